package kernel

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	process "github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// goOutput forwards what GoNB publishes for a cell to the front ends. It replaces GoNB's session and execution counter by
// this kernel's.
type goOutput struct {
	cell   *cell
	joiner joiner
	errors *process.Tail // the end of the cell's stderr, which alone has the text of a panic
	last   holder        // holds back the end of stderr, which the failure may repeat

	compiling *meter // progress of the compiler; the first output removes it
}

func newGoOutput(c *cell) *goOutput {
	o := &goOutput{cell: c, errors: newTail()}
	o.joiner.send = c.stream
	o.last.send = func(text string) { o.joiner.add("stderr", text) }
	return o
}

func (o *goOutput) take(m *jupyter.Message) {
	if m.Header.Type == "stream" {
		var s struct{ Name, Text string }
		if m.Decode(&s) != nil {
			return
		}
		o.compiling.finish(true)
		if s.Name == "stderr" {
			_, _ = o.errors.Write([]byte(s.Text)) // never fails
			o.last.add(s.Text)
			return
		}
		o.joiner.add(s.Name, s.Text)
		return
	}
	o.joiner.flush()
	if m.Header.Type != "execute_input" {
		o.compiling.finish(true)
	}
	switch m.Header.Type {
	case "execute_input", "error": // dropped, because this kernel publishes its own
	case "execute_result":
		var content map[string]any
		if m.Decode(&content) == nil {
			content["execution_count"] = o.cell.count
			o.cell.publish(m.Header.Type, content)
		}
	default:
		o.cell.k.comms.see(m)
		out := o.cell.k.server.Session().New(m.Header.Type, o.cell.request, m.Content)
		out.Metadata, out.Buffers = m.Metadata, m.Buffers
		if !o.cell.ask.Silent {
			o.cell.k.server.Publish(out)
		}
	}
}

// cellMark matches the text by which GoNB marks a position in a stack trace: the cell (missing for the running one) and
// the line.
var cellMark = regexp.MustCompile(`\x1b\[7m\[\[ Cell (?:\[(\d+)\] )?Line (\d+) \]\]\x1b\[0m`)

// mainPlace matches a position in the Go file that GoNB generates from cells: file and line.
var mainPlace = regexp.MustCompile(`(/\S*/gonb_\w+/main\.go):(\d+)`)

// compileMark matches GoNB's mark of a position in the context of a compiler message: cell and line. Each message has one
// mark.
var compileMark = regexp.MustCompile(`Cell(?:\[(\d+)\]:)? Line (\d+)`)

// compilerLine matches a message of the compiler or of goimports about GoNB's generated file: line, column and text.
var compilerLine = regexp.MustCompile(`(?m)^(?:\./|/\S*/)?main(?:_test)?\.go:(\d+)(?::(\d+))?: (.*)$`)

// failure returns the failure in GoNB's reply, or nil if the status is ok. After a panic, GoNB's error is only "exit
// status 2", so failure adds the text and position from stderr.
func (o *goOutput) failure(reply *jupyter.Message) *failure {
	var r struct {
		Status string `json:"status"`
		failure
	}
	if json.Unmarshal(reply.Content, &r) != nil || r.Status != "error" {
		return nil
	}
	f := &r.failure
	if f.Traceback == nil {
		f.Traceback = []string{}
	}
	if strings.HasPrefix(f.Value, "exit status") || strings.HasPrefix(f.Value, "signal:") {
		o.explain(f)
	} else {
		o.place(f)
	}
	return f
}

// place rewrites compiler messages so that they name cell, line and column of the user's code, in the format of %%cope
// errors. It changes nothing if messages and marks do not match in number.
func (o *goOutput) place(f *failure) {
	messages := compilerLine.FindAllStringSubmatch(f.Value, -1)
	marks := compileMark.FindAllStringSubmatch(strings.Join(f.Traceback, "\n"), -1)
	if len(messages) == 0 || len(messages) != len(marks) {
		return
	}
	var traceback []string
	for i, m := range messages {
		cell, line := o.cell.count, atoi(marks[i][2])
		if marks[i][1] != "" {
			cell = atoi(marks[i][1])
		}
		column := o.column(atoi(m[1]), atoi(m[2]), o.cell.k.line(o.cell, cell, line))
		first := fmt.Sprintf("cell %d:%d:%d: %s", cell, line, max(column, 1), m[3])
		text := excerpt(o.cell.k.line(o.cell, cell, line), line, column)
		if i == 0 {
			f.Value = first
		}
		traceback = append(traceback, emphasised(first+text))
	}
	f.Name, f.Traceback = "CompileError", traceback
}

// column returns the column in line own of a cell for a compiler's position in GoNB's generated file. GoNB reformats
// declarations, so column searches own for the rest of the generated line. It returns 0 if the rest is not found.
func (o *goOutput) column(line, column int, own string) int {
	if column < 1 {
		return 0
	}
	lines := strings.Split(o.cell.k.golang.source(), "\n")
	if line < 1 || line > len(lines) || column > len(lines[line-1])+1 {
		return column
	}
	made := lines[line-1]
	if made == own {
		return column
	}
	rest := strings.TrimRight(made[column-1:], " \t")
	if at := strings.LastIndex(own, rest); rest != "" && at >= 0 {
		return at + 1
	}
	return 0
}

// excerpt returns a line of a cell with its number and a caret below the column, in dsl's format. It omits the caret if
// column is below 1. It returns "" for a blank line.
func excerpt(source string, line, column int) string {
	if strings.TrimSpace(source) == "" {
		return ""
	}
	text := fmt.Sprintf("\n %d | %s", line, source)
	if column < 1 {
		return text
	}
	// column counts bytes, as in the compiler's messages.
	pad := []rune(strings.ToValidUTF8(source[:min(column-1, len(source))], "?"))
	for i, r := range pad {
		if r != '\t' {
			pad[i] = ' '
		}
	}
	return text + fmt.Sprintf("\n %s| %s^", strings.Repeat(" ", len(fmt.Sprint(line))+1), string(pad))
}

// atoi converts digits to a number, and "" to 0.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// explain replaces a failure's name, value and traceback by the panic found on stderr. Without a panic it only sets the
// name ProgramError.
func (o *goOutput) explain(f *failure) {
	text := o.errors.String()
	at := -1
	for _, start := range []string{"panic: ", "fatal error: "} {
		if i := strings.LastIndex("\n"+text, "\n"+start); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		f.Name = "ProgramError"
		return
	}
	trace := strings.TrimRight(text[at:], "\n")
	trace = strings.TrimSuffix(trace, "\n"+f.Value)
	f.Name, f.Value = "Panic", firstLine(trace)
	if cell, line := o.origin(trace); line > 0 {
		f.Value += fmt.Sprintf(" (cell %d, line %d)", cell, line)
	}
	f.Traceback = strings.Split(trace, "\n")
}

// origin returns the first cell and line that a stack trace names, or 0, 0. GoNB does not mark its file's name if two
// reads of the pipe split it. In that case origin searches the cell for the text of that line of the generated file.
func (o *goOutput) origin(trace string) (cell, line int) {
	if m := cellMark.FindStringSubmatch(trace); m != nil {
		if m[1] == "" {
			return o.cell.count, atoi(m[2])
		}
		return atoi(m[1]), atoi(m[2])
	}
	m := mainPlace.FindStringSubmatch(trace)
	if m == nil {
		return 0, 0
	}
	text, err := os.ReadFile(m[1])
	lines := strings.Split(string(text), "\n")
	if n := atoi(m[2]); err == nil && n >= 1 && n <= len(lines) {
		for i, own := range strings.Split(o.cell.ask.Code, "\n") {
			if strings.TrimSpace(own) != strings.TrimSpace(lines[n-1]) {
				continue
			}
			if line > 0 {
				return 0, 0 // the text occurs twice in the cell
			}
			line = i + 1
		}
	}
	return o.cell.count, line
}

// holder holds back the end of a program's stderr if it looks like a panic or an exit message. The cell's failure will
// contain the same text, and the user should see it only once.
type holder struct {
	send func(text string)

	mu    sync.Mutex
	text  string // text held back; it starts at the beginning of a line
	open  bool   // the text sent last did not end with a newline
	timer *time.Timer
}

// holdTime is the longest time for which text is held back. A program that panics ends sooner; one that only prints such a
// line continues.
const holdTime = time.Second

// endings are the beginnings of the lines that Go and GoNB print when a program ends.
var endings = []string{"panic: ", "fatal error: ", "exit status ", "signal: ", "^C"}

// add appends text of the stream. It sends the text immediately, except from the first line that may be an ending.
func (h *holder) add(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.text != ""
	h.text += text
	if !held {
		at := h.suspect()
		h.pass(at)
	}
	if h.text != "" && h.timer == nil {
		h.timer = time.AfterFunc(holdTime, h.release)
	}
}

// suspect returns the offset of the first line of h.text that may begin with one of endings, or len(h.text).
func (h *holder) suspect() int {
	at := 0
	for line := range strings.SplitAfterSeq(h.text, "\n") {
		for _, e := range endings {
			if n := min(len(e), len(line)); line != "" && line[:n] == e[:n] && !(at == 0 && h.open) {
				return at
			}
		}
		at += len(line)
	}
	return at
}

// pass sends the first n bytes of h.text and removes them.
func (h *holder) pass(n int) {
	if n == 0 {
		return
	}
	h.open = h.text[n-1] != '\n'
	h.send(h.text[:n])
	h.text = h.text[n:]
}

// release sends all held text, because the program has not ended within holdTime.
func (h *holder) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = nil
	h.pass(len(h.text))
}

// rest clears the held text and returns the part that the user should still see: all of it without a failure, and "" after
// a panic. Otherwise it leaves out lines equal to failed.Value and, after an interrupt, lines such as ^C and "signal:
// interrupt".
func (h *holder) rest(failed *failure) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	text := h.text
	h.text = ""
	switch {
	case failed == nil:
		return text
	case failed.Name == "Panic":
		return ""
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		switch s := strings.TrimSpace(line); {
		case s == failed.Value, failed.Name == "Interrupted" &&
			(s == "^C" || strings.HasPrefix(s, "signal: ") || strings.HasPrefix(s, "exit status ")):
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// joiner joins the pieces of a stream that arrive within joinTime. Otherwise a program that prints 200,000 lines would
// send thousands of messages, which front ends render one by one. No text is dropped. A piece that arrives after a pause
// is sent immediately.
type joiner struct {
	send func(name, text string)

	mu    sync.Mutex
	name  string
	text  strings.Builder
	last  time.Time // when joiner last sent text
	timer *time.Timer
}

const (
	joinTime = 25 * time.Millisecond
	joinSize = 512 << 10
)

// add appends text to the stream name (stdout or stderr). If the name changes, add first sends the text of the other
// stream.
func (j *joiner) add(name, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.name != name {
		j.flushLocked()
		j.name = name
	}
	j.text.WriteString(text)
	wait := joinTime - time.Since(j.last)
	if wait <= 0 || j.text.Len() >= joinSize {
		j.flushLocked()
		return
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(wait, j.flush)
	}
}

// flush sends the collected text immediately.
func (j *joiner) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flushLocked()
}

func (j *joiner) flushLocked() {
	if j.timer != nil {
		j.timer.Stop()
		j.timer = nil
	}
	if j.text.Len() == 0 {
		return
	}
	j.send(j.name, j.text.String())
	j.text.Reset()
	j.last = time.Now()
}
