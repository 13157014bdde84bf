package notebookkernel

import (
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// copeBody returns the script of a %%cope cell, with every line where it stands in
// the cell, so that messages point into what the user sees.
func copeBody(code string) (body string, is bool, failed *failure) {
	body, is, err := dsl.Cell(code)
	if err != nil {
		failed = &failure{Name: "CopeError", Value: err.Error(), Traceback: []string{err.Error()}}
	}
	return body, is, failed
}

// questionLine is a line such as "rbf?", which asks for help as in IPython.
var questionLine = regexp.MustCompile(`^\s*(?:\?\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*\?)\s*$`)

// questions takes the lines that ask for help out of a script and returns the names
// they ask about.
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
	_, is, _ := copeBody(code)
	return is
}

// magicLines are the lines by which a cell, or what follows in it, says what it is, with a word on each.
// The first is this kernel's, the others are GoNB's.
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

// magics completes a line that begins with %, up to the cursor. %%cope is proposed only where nothing
// but comments and blank lines stands above.
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
