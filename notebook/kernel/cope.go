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

// copeSide evaluates %%cope cells.
type copeSide struct {
	k *kernel
	// of the ids of displays, different in each kernel: a notebook keeps displays of several
	prefix string

	mu       sync.Mutex // held while the session is used: Go cells use it, too
	session  *dsl.Session
	shown    func(report.Display) // takes what the running cell displays
	notice   func(string)         // states what takes much memory
	noted    []string             // of the running cell, shown below its result
	clear    func()               // clears what it has displayed
	meter    *meter               // shows what it is doing
	reported map[string]string    // the stale names that the user has seen, with the reasons
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

// run evaluates a cell. The last display is the cell's result, the others are shown
// as they come. result is its text.
func (s *copeSide) run(ctx context.Context, c *cell, body string) (result string, failed *failure) {
	body, asked := questions(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.k.golang.fault() // of an earlier cell
	script, errs := dsl.Parse(fmt.Sprintf("cell %d", c.count), body)
	if len(errs) > 0 {
		return "", mistakes(errs)
	}
	c.remembers = true
	s.meter = &meter{cell: c, id: s.nextID()}
	defer s.meter.stop()
	var held *report.Display // the newest display: whether it is the last is known at the end
	s.shown = func(d report.Display) {
		if held != nil {
			_ = s.show(c, "display_data", *held)
		}
		held = &d
		delete(s.reported, d.Name) // a stale value that is shown is said to be stale again
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

// provenance returns which data files the session has read, and the seeds of its results.
func (s *copeSide) provenance() any {
	if !s.mu.TryLock() { // a cell runs that does not end: the answer must not wait for it
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

// show sends a display in all its representations and returns its text.
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

// warnStale says which results have become stale since it last did, and why.
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

// help opens the help for the names that a cell asked about in the pager.
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

// mistakes shows errors of a script. The first line is alone as the value.
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

// The emphasis of a traceback, as terminals and front ends take it. It has no colours: front ends set
// a traceback on a red ground, pale or dark, on which no colour of theirs can be read in both.
const (
	bold   = "\x1b[1m"
	normal = "\x1b[0m"
)

// emphasised marks the message, the underline and the hint of an error.
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

// boldFrom marks a line from a text on, if it has it.
func boldFrom(line, text string) string {
	if before, after, there := strings.Cut(line, text); there {
		return before + bold + text + after + normal
	}
	return line
}

// expressions evaluates the expressions that a front end asked for beside a cell.
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
