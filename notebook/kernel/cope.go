package kernel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/report"
)

// copeSide evaluates %%cope cells. Except for k, prefix and mu, all fields are guarded by mu.
type copeSide struct {
	k *kernel
	// prefix of display IDs. Each kernel has a different one, because a notebook can keep displays of several kernels.
	prefix string

	mu       sync.Mutex // held while the session is in use; Go cells also use the session
	session  *dsl.Session
	shown    func(report.Display) // receives the displays of the running cell
	notice   func(string)         // receives warnings about memory use
	noted    []string             // notes of the running cell, shown below its result
	clear    func()               // clears the output of the running cell
	meter    *meter               // progress of the running cell
	reported map[string]string    // stale names that the user has been warned about → reasons
	ids      int
}

func newCopeSide(k *kernel) *copeSide {
	s := &copeSide{k: k, prefix: "c" + jupyter.NewSession("").ID()[:6]}
	s.session = dsl.NewSession(dsl.Options{
		Folder: k.opt.Folder, Rebind: true, Campaigns: folder.Keeper(dsl.MakeProtocol),
		Shown:    func(d report.Display) { s.shown(d) },
		Clear:    func() { s.clear() },
		Progress: func(a dsl.Activity) { s.meter.update(a) },
		Notice:   func(line string) { s.notice(line) },
		Noted:    func(line string) { s.noted = append(s.noted, line) },
	})
	return s
}

// run evaluates a %%cope cell with source body and sends its displays. The last display is sent as the cell's result if
// there is no error. run returns the text of that display.
func (s *copeSide) run(ctx context.Context, c *cell, body string) (result string, failed *failure) {
	body, asked := questions(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.k.golang.fault() // discards the error of a Go function in an earlier cell
	script, errs := dsl.Parse(fmt.Sprintf("cell %d", c.count), body)
	if len(errs) > 0 {
		return "", mistakes(errs)
	}
	c.remembers = true
	s.meter = &meter{cell: c, id: s.nextID()}
	defer s.meter.stop()
	var held *report.Display // the newest display; only at the end is it known to be the last
	s.shown = func(d report.Display) {
		if held != nil {
			_ = s.show(c, "display_data", *held)
		}
		held = &d
		delete(s.reported, d.Name) // after a stale value is shown, warnStale must warn about it again
	}
	s.notice = func(line string) { c.stream("stderr", line+"\n") }
	s.clear = func() {
		held = nil
		c.publish("clear_output", map[string]bool{"wait": false})
	}
	s.noted = nil
	_, err := s.session.Eval(ctx, script)
	msgType := "execute_result"
	if err == nil {
		s.meter.finish(held != nil)
	} else {
		s.meter.stop()
		msgType = "display_data"
	}
	if held != nil {
		result = s.show(c, msgType, *held)
	}
	if len(s.noted) > 0 {
		s.show(c, "display_data", report.Display{Value: report.Notes(s.noted)})
	}
	s.warnStale(c)
	if err == nil {
		return result, s.help(c, asked)
	}
	failed = mistakes(err)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		failed.Name = "Interrupted"
	}
	if fault := s.k.golang.fault(); fault != nil {
		failed.Traceback = append(failed.Traceback, "the Go function says: "+fault.Error())
	}
	return result, failed
}

// provenance returns the data files that the session has read and the seed of each result. It returns a failure if a cell
// is running.
func (s *copeSide) provenance() any {
	if !s.mu.TryLock() { // a cell is running and may never end: do not wait
		return (&failure{"Busy", "a cell is running", []string{}}).reply()
	}
	defer s.mu.Unlock()
	seeds := []string{}
	for _, name := range s.session.Names() {
		if v, _, _ := s.session.Value(name); v != nil {
			if r, ok := v.(engine.Result); ok {
				seeds = append(seeds, fmt.Sprintf("%s: %d", name, r.Seed))
			}
		}
	}
	return map[string]any{"status": "ok", "data": s.session.Sources(), "seeds": seeds}
}

// show sends a display in all its media types and returns its plain text. On failure it prints the error on stderr and
// returns "".
func (s *copeSide) show(c *cell, msgType string, d report.Display) string {
	bundle, err := report.Bundle(d, s.nextID())
	if err != nil {
		c.stream("stderr", "cannot display this value: "+err.Error()+"\n")
		return ""
	}
	c.display(msgType, "", bundle, nil)
	text, _ := bundle["text/plain"].(string)
	return text
}

func (s *copeSide) nextID() string {
	s.ids++
	return fmt.Sprintf("%s-%d", s.prefix, s.ids)
}

// warnStale shows which results are stale and which names caused it. It shows nothing if no stale name or reason is new
// since the last call.
func (s *copeSide) warnStale(c *cell) {
	causes, fresh := map[string]bool{}, false
	reasons := map[string]string{}
	stale, because := s.session.Stale(), s.session.StaleBecause()
	for _, name := range stale {
		reasons[name] = fmt.Sprint(because[name])
		fresh = fresh || s.reported[name] != reasons[name]
		for cause := range because[name] {
			causes[cause] = true
		}
	}
	s.reported = reasons
	if !fresh {
		return
	}
	format := "%s are stale: made with what %s was before. Run their cells again, in this order."
	if len(stale) == 1 {
		format = "%s is stale: made with what %s was before. Run its cell again."
	}
	text := fmt.Sprintf(format, strings.Join(stale, ", "), strings.Join(slices.Sorted(maps.Keys(causes)), ", "))
	s.show(c, "display_data", report.Display{Value: []report.Block{report.Note{Text: text}}})
}

// help shows the help texts of the names in asked in the front end's pager. It returns a failure for the first unknown
// name.
func (s *copeSide) help(c *cell, asked []string) *failure {
	for _, name := range asked {
		found := s.session.Inspect(name, len(name))
		if found.Text == "" {
			return failed("CopeError", "there is nothing named "+name)
		}
		c.payload = append(c.payload, map[string]any{"source": "page", "start": 0, "data": map[string]any{"text/plain": found.Text}})
	}
	return nil
}

// mistakes converts an error of a script into a failure. The value is the first line of the first error.
func mistakes(err error) *failure {
	var all dsl.Errors
	if !errors.As(err, &all) {
		return &failure{Name: "CopeError", Value: err.Error(), Traceback: strings.Split(err.Error(), "\n")}
	}
	f := &failure{Name: "CopeError"}
	for i, e := range all {
		text := e.Error()
		if i == 0 {
			f.Value, _, _ = strings.Cut(text, "\n")
		}
		f.Traceback = append(f.Traceback, emphasised(text))
	}
	return f
}

// These escape codes emphasise parts of a traceback in terminals and front ends. There are no colours: front ends show a
// traceback on a light or a dark red background, and no colour is readable on both.
const (
	bold   = "\x1b[1m"
	normal = "\x1b[0m"
)

// emphasised makes the message, the caret line and the hint of an error text bold.
func emphasised(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		body := strings.TrimLeft(line, " ")
		switch {
		case i == 0:
			lines[i] = bold + line + normal
		case strings.HasPrefix(body, "|"):
			lines[i] = boldFrom(line, "^")
		case strings.HasPrefix(body, "= hint:"):
			lines[i] = boldFrom(line, "hint:")
		}
	}
	return strings.Join(lines, "\n")
}

// boldFrom makes the part of line from the first occurrence of text bold. Without an occurrence it returns line unchanged.
func boldFrom(line, text string) string {
	if before, after, there := strings.Cut(line, text); there {
		return before + bold + text + after + normal
	}
	return line
}

// expressions evaluates the user_expressions of an execute_request. It returns a reply per key of asked, with status ok or
// error.
func (s *copeSide) expressions(ctx context.Context, asked map[string]string) map[string]any {
	out := map[string]any{}
	if len(asked) == 0 {
		return out
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter = nil
	for key, text := range asked {
		out[key] = s.expression(ctx, text)
	}
	return out
}

func (s *copeSide) expression(ctx context.Context, text string) any {
	bundle := map[string]any{}
	s.shown = func(d report.Display) { bundle, _ = report.Bundle(d, s.nextID()) }
	s.clear = func() {}
	script, errs := dsl.Parse("expression", text)
	var err error
	if len(errs) > 0 {
		err = errs
	} else {
		_, err = s.session.Eval(ctx, script)
	}
	if err != nil {
		return mistakes(err).reply()
	}
	return map[string]any{"status": "ok", "data": bundle, "metadata": map[string]any{}}
}
