package notebookkernel

import (
	"context"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter"
)

// cursorRequest is the content of complete_request and inspect_request. The cursor
// counts characters (code points), as protocol 5.2 and later have it.
type cursorRequest struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
}

// complete answers a complete_request.
func (k *kernel) complete(ctx context.Context, m *jupyter.Message) {
	var r cursorRequest
	_ = m.Decode(&r) // an empty request has an empty answer
	r.Cursor = min(max(r.Cursor, 0), len([]rune(r.Code)))
	if from, items, is := magics(r); is {
		k.reply(jupyter.ShellChannel, m, "complete_reply", completeReply(from, r.Cursor, items))
		return
	}
	if !isCope(r.Code) {
		if reply := k.golang.ask(ctx, m); reply != nil {
			k.reply(jupyter.ShellChannel, m, "complete_reply", reply)
			return
		}
		k.reply(jupyter.ShellChannel, m, "complete_reply", completeReply(r.Cursor, r.Cursor, nil))
		return
	}
	body, cursor := copeCursor(r)
	k.cope.mu.Lock()
	from, to, items := k.cope.session.CompleteItems(body, cursor)
	k.cope.mu.Unlock()
	shift := r.Cursor - cursor
	k.reply(jupyter.ShellChannel, m, "complete_reply", completeReply(from+shift, to+shift, items))
}

// completeReply returns the content of complete_reply.
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
func (k *kernel) inspect(ctx context.Context, m *jupyter.Message) {
	var r cursorRequest
	_ = m.Decode(&r) // an empty request has an empty answer
	r.Cursor = min(max(r.Cursor, 0), len([]rune(r.Code)))
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
		k.reply(jupyter.ShellChannel, m, "inspect_reply", reply)
		return
	}
	k.reply(jupyter.ShellChannel, m, "inspect_reply",
		map[string]any{"status": "ok", "found": len(data) > 0, "data": data, "metadata": map[string]any{}})
}

// copeCursor returns the script of a %%cope cell and the cursor in it: the line of
// the magic is empty there, and what is before it stands where it did.
func copeCursor(r cursorRequest) (body string, cursor int) {
	body, _, _ = copeBody(r.Code)
	full, short := []rune(r.Code), []rune(body)
	same := 0
	for same < len(short) && same < len(full) && short[same] == full[same] {
		same++
	}
	return body, max(r.Cursor-(len(full)-len(short)), min(r.Cursor, same))
}

// isComplete answers an is_complete_request.
func (k *kernel) isComplete(m *jupyter.Message) {
	var r struct {
		Code string `json:"code"`
	}
	_ = m.Decode(&r) // an empty request is about an empty cell
	status, indent := goCompleteness(r.Code)
	if body, is, failed := copeBody(r.Code); failed != nil {
		status, indent = "invalid", ""
	} else if is {
		body, _ = questions(body)
		status, indent = dsl.Completeness(body)
	}
	reply := map[string]any{"status": status}
	if status == "incomplete" {
		reply["indent"] = indent
	}
	k.reply(jupyter.ShellChannel, m, "is_complete_reply", reply)
}
