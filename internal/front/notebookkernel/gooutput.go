package notebookkernel

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	process "github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter"
)

// goOutput sends on what GoNB publishes for a cell, under this kernel's session and
// counter.
type goOutput struct {
	cell   *cell
	joiner joiner
	errors *process.Tail // of the cell's stderr: a panic's text is only there
	last   holder        // the end of the cell's stderr, which the error may say
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
		if s.Name == "stderr" {
			_, _ = o.errors.Write([]byte(s.Text)) // never fails
			o.last.add(s.Text)
			return
		}
		o.joiner.add(s.Name, s.Text)
		return
	}
	o.joiner.flush()
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
	switch {
	case strings.HasPrefix(f.Value, "exit status") || strings.HasPrefix(f.Value, "signal:"):
		o.explain(f)
	default:
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
