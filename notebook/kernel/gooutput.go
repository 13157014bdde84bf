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

// goOutput sends on what GoNB publishes for a cell, under this kernel's session and
// counter.
type goOutput struct {
	cell   *cell
	joiner joiner
	errors *process.Tail // of the cell's stderr: a panic's text is only there
	last   holder        // the end of the cell's stderr, which the error may say

	compiling *meter // gone at the first output
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
	case "execute_input", "error": // this kernel publishes its own
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

// cellMark matches GoNB's mark of a place in a stack trace.
var cellMark = regexp.MustCompile(`\x1b\[7m\[\[ Cell (?:\[(\d+)\] )?Line (\d+) \]\]\x1b\[0m`)

// mainPlace is a place in the file that GoNB makes of cells.
var mainPlace = regexp.MustCompile(`(/\S*/gonb_\w+/main\.go):(\d+)`)

// compileMark matches GoNB's mark of a place in the context of a compiler's message, one mark for
// each message.
var compileMark = regexp.MustCompile(`Cell(?:\[(\d+)\]:)? Line (\d+)`)

// compilerLine is a message of the compiler or of goimports about GoNB's own file.
var compilerLine = regexp.MustCompile(`(?m)^(?:\./|/\S*/)?main(?:_test)?\.go:(\d+)(?::(\d+))?: (.*)$`)

// failure makes a failure of GoNB's reply: GoNB says "exit status 2" of a panic,
// whose text and place are on stderr.
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

// place rewrites the messages of the compiler so that they name cell, line and column
// of the user's code, in the form that %%cope cells have.
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

// column returns the column in a line of a cell for a place that the compiler found in a line of GoNB's
// file. GoNB prints declarations again, so the rest of the line from there on is looked for in the
// cell; 0 when it is not found.
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

// excerpt returns a line of a cell with a caret where the column is known, as dsl prints it; "" for
// a blank one.
func excerpt(source string, line, column int) string {
	if strings.TrimSpace(source) == "" {
		return ""
	}
	text := fmt.Sprintf("\n %d | %s", line, source)
	if column < 1 {
		return text
	}
	// the compiler counts bytes
	pad := []rune(strings.ToValidUTF8(source[:min(column-1, len(source))], "?"))
	for i, r := range pad {
		if r != '\t' {
			pad[i] = ' '
		}
	}
	return text + fmt.Sprintf("\n %s| %s^", strings.Repeat(" ", len(fmt.Sprint(line))+1), string(pad))
}

// atoi returns the number that a pattern matched, or 0.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// explain adds the text of a panic to a failure.
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

// origin returns the place in a cell that a stack trace names first. GoNB misses its own file's
// name where two reads of the pipe split it; then the line of that file is looked up in the cell.
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
				return 0, 0 // it is there twice
			}
			line = i + 1
		}
	}
	return o.cell.count, line
}

// holder keeps the end of a program's stderr back for a moment when it looks like the text with
// which Go ends a program: the error of the cell will say it, and once is enough.
type holder struct {
	send func(text string)

	mu    sync.Mutex
	text  string // held back; it begins a line
	open  bool   // what was sent last has not ended its line
	timer *time.Timer
}

// holdTime is the time for which a text is held back: a program that panics ends at once, and one that only
// prints such a line continues.
const holdTime = time.Second

// endings begin the lines with which Go and GoNB end a program.
var endings = []string{"panic: ", "fatal error: ", "exit status ", "signal: ", "^C"}

// add takes a piece of the stream.
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

// suspect returns where the first line begins that an ending may begin.
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

// pass sends the first bytes of the text.
func (h *holder) pass(n int) {
	if n == 0 {
		return
	}
	h.open = h.text[n-1] != '\n'
	h.send(h.text[:n])
	h.text = h.text[n:]
}

// release sends all: the program continues.
func (h *holder) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = nil
	h.pass(len(h.text))
}

// rest returns the text held back at the end, without the text that the failure shows: after a panic all, else the
// lines that state how the program ended.
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

// joiner joins the pieces of a stream that come in quick succession: a program that
// prints 200,000 lines makes thousands of messages, which front ends render one by
// one. Nothing is dropped, and what comes alone is sent at once.
type joiner struct {
	send func(name, text string)

	mu    sync.Mutex
	name  string
	text  strings.Builder
	last  time.Time // when something was sent
	timer *time.Timer
}

const (
	joinTime = 25 * time.Millisecond
	joinSize = 512 << 10
)

// add takes a piece of the stream name.
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

// flush sends what waits.
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
