package kernel

import (
	"context"
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// cursorRequest is the content of complete_request and inspect_request. The cursor counts Unicode code points, as in
// protocol 5.2 and later.
type cursorRequest struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
}

// cursorOf decodes a cursorRequest and limits the cursor to the code. A request that cannot be decoded counts as empty.
func cursorOf(m *jupyter.Message) (r cursorRequest) {
	_ = m.Decode(&r)
	r.Cursor = min(max(r.Cursor, 0), len([]rune(r.Code)))
	return r
}

// complete answers a complete_request.
func (k *kernel) complete(ctx context.Context, m *jupyter.Message) any {
	r := cursorOf(m)
	if from, items, is := magics(r); is {
		return completeReply(from, r.Cursor, items)
	}
	if !isCope(r.Code) {
		if reply := k.golang.ask(ctx, m); reply != nil {
			return reply
		}
		return completeReply(r.Cursor, r.Cursor, nil)
	}
	body, cursor := copeCursor(r)
	k.cope.mu.Lock()
	from, to, items := k.cope.session.CompleteItems(body, cursor)
	k.cope.mu.Unlock()
	shift := r.Cursor - cursor
	return completeReply(from+shift, to+shift, items)
}

// completeReply returns the content of complete_reply. The items replace the code points from (inclusive) to (exclusive).
func completeReply(from, to int, items []dsl.Completion) any {
	matches, types := []string{}, []any{}
	for _, item := range items {
		matches = append(matches, item.Text)
		types = append(types, map[string]any{"start": from, "end": to, "text": item.Text, "type": item.Type, "signature": item.Signature})
	}
	return map[string]any{
		"status": "ok", "matches": matches, "cursor_start": from, "cursor_end": to,
		"metadata": map[string]any{"_jupyter_types_experimental": types},
	}
}

// inspect answers an inspect_request.
func (k *kernel) inspect(ctx context.Context, m *jupyter.Message) any {
	r := cursorOf(m)
	data := map[string]any{}
	if isCope(r.Code) {
		body, cursor := copeCursor(r)
		k.cope.mu.Lock()
		found := k.cope.session.Inspect(body, cursor)
		k.cope.mu.Unlock()
		if found.Text != "" {
			data = map[string]any{"text/plain": found.Text, "text/markdown": found.Markdown, "text/html": found.HTML}
		}
	} else if reply := k.golang.ask(ctx, m); reply != nil {
		return reply
	}
	return map[string]any{"status": "ok", "found": len(data) > 0, "data": data, "metadata": map[string]any{}}
}

// copeCursor returns the script of a %%cope cell and the cursor's position in the script. In the script, the line of the
// magic is empty.
func copeCursor(r cursorRequest) (body string, cursor int) {
	body, _, _ = dsl.Cell(r.Code)
	full, short := []rune(r.Code), []rune(body)
	same := 0
	for same < len(short) && same < len(full) && short[same] == full[same] {
		same++
	}
	return body, max(r.Cursor-(len(full)-len(short)), min(r.Cursor, same))
}

// isComplete answers an is_complete_request.
func (k *kernel) isComplete(m *jupyter.Message) any {
	var r struct {
		Code string `json:"code"`
	}
	_ = m.Decode(&r) // a request that cannot be decoded counts as an empty cell
	status, indent := goCompleteness(r.Code)
	if body, is, err := dsl.Cell(r.Code); err != nil {
		status, indent = "invalid", ""
	} else if is {
		body, _ = questions(body)
		status, indent = dsl.Completeness(body)
	}
	reply := map[string]any{"status": status}
	if status == "incomplete" {
		reply["indent"] = indent
	}
	return reply
}

// questionLine is a line such as "rbf?", which asks for help as in IPython.
var questionLine = regexp.MustCompile(`^\s*(?:\?\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*\?)\s*$`)

// questions replaces lines such as "rbf?" in a script by empty lines. It returns the new script and the names in those
// lines.
func questions(body string) (script string, names []string) {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if m := questionLine.FindStringSubmatch(line); m != nil {
			names = append(names, m[1]+m[2])
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n"), names
}

// isCope reports whether a cell, finished or not, is a %%cope cell.
func isCope(code string) bool {
	_, is, _ := dsl.Cell(code)
	return is
}

// magicLines are the magics that completion offers, each with a short description. The first is this kernel's, and the
// others are GoNB's.
var magicLines = []dsl.Completion{
	{Text: dsl.CellMagic, Signature: "the cell is a script"},
	{Text: "%%", Signature: "the Go statements that follow run; above it are declarations"},
	{Text: "%main", Signature: "the same as %%"},
	{Text: "%%bash", Signature: "the cell is a shell script"},
	{Text: "%%script", Signature: "the cell is the input of a program"},
	{Text: "%%sh", Signature: "the cell is a shell script"},
	{Text: "%%writefile", Signature: "the cell is written to a file"},
	{Text: "%args", Signature: "arguments of the program that the cells make"},
	{Text: "%autoget", Signature: "go get runs before each Go cell"},
	{Text: "%cd", Signature: "changes the folder of Go cells"},
	{Text: "%env", Signature: "sets an environment variable"},
	{Text: "%goflags", Signature: "flags of go build"},
	{Text: "%help", Signature: "GoNB's own help"},
	{Text: "%list", Signature: "the declarations that are kept"},
	{Text: "%noautoget", Signature: "go get does not run before Go cells"},
	{Text: "%remove", Signature: "drops declarations"},
	{Text: "%reset", Signature: "drops all declarations"},
	{Text: "%test", Signature: "runs the tests of the cell"},
	{Text: "%track", Signature: "follows files of a Go module"},
	{Text: "%untrack", Signature: "follows them no more"},
	{Text: "%version", Signature: "GoNB's version"},
	{Text: "%widgets", Signature: "prepares widgets"},
}

// magics completes a word that begins with % and is the first in its line. It returns the word's first code point and
// the candidates. It offers %%cope and other magics of whole cells only if nothing but comments and blank lines precede
// the line. The last result is false if the cursor is not at such a word.
func magics(r cursorRequest) (from int, items []dsl.Completion, is bool) {
	runes := []rune(r.Code)
	from = r.Cursor
	for from > 0 && runes[from-1] != '\n' {
		from--
	}
	word := strings.TrimLeft(string(runes[from:r.Cursor]), " \t")
	from = r.Cursor - len([]rune(word))
	if !strings.HasPrefix(word, "%") || strings.ContainsAny(word, " \t") || isCope(string(runes[:from])) {
		return 0, nil, false
	}
	first := true
	for line := range strings.SplitSeq(string(runes[:from]), "\n") {
		text := strings.TrimSpace(line)
		first = first && (text == "" || strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "//gonb:"))
	}
	for _, m := range magicLines {
		if m.Type = "magic"; strings.HasPrefix(m.Text, word) && (first || !strings.HasPrefix(m.Text, "%%") || m.Text == "%%") {
			items = append(items, m)
		}
	}
	return from, items, true
}
