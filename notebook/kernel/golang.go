package kernel

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/notebook/bridge/host"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// goSide hands cells to GoNB, which it starts when the first comes.
type goSide struct {
	k *kernel

	mu      sync.Mutex
	child   *child // nil before the first Go cell, and after GoNB has ended
	tools   gonb.Tools
	imports *gonb.Imports // nil before the first start, and when no source was found
	count   int           // GoNB's counter of executions
	autoGet bool          // GoNB runs go get before each cell
	// private, "" before the first start: the bridge, and a folder for each GoNB
	folder string
	// the folder of the GoNB that runs: its sockets and what it is prepared with
	prepared string
	bridge   *host.Host // lets Go cells see the session; nil before the first start
	output   *goOutput  // of the cell that runs; nil when none does
}

func (g *goSide) run(ctx context.Context, c *cell) *failure {
	child, fault := g.ready(ctx, c)
	if fault != nil {
		return fault
	}
	untilDone := context.WithoutCancel(ctx) // GoNB must be in step, whatever the user interrupts
	g.keepStep(untilDone, child, c)
	g.setAutoGet(untilDone, child, c.ask.Code)
	out := newGoOutput(c)
	defer g.watchCompiler(untilDone, out)()
	g.setOutput(out) // from here on, an interrupt reaches GoNB
	if ctx.Err() != nil {
		g.setOutput(nil)
		return interrupted("the cell was not started")
	}
	reply, err := child.request(untilDone, g.requestFor(c), out.take)
	out.compiling.finish(false)
	g.setOutput(nil)
	if ctx.Err() != nil {
		child.calm()
	}
	if err == nil {
		fault = g.failed(ctx, c, out, reply)
	}
	out.joiner.add("stderr", out.last.rest(fault)) // without what the failure says, too
	out.joiner.flush()
	if gonb.Resets(c.ask.Code) {
		g.prepare(untilDone, child) // its go.mod is new
	}
	switch {
	case errors.Is(err, errGone):
		g.forget(child)
		return goEnded(child)
	case err != nil:
		return failed("GoNBError", err.Error())
	}
	if c.ask.stores() {
		g.count++
	}
	return fault
}

// failed returns the failure of a cell that GoNB has answered: an interrupt as what it is, and for a
// cell that imports this library, that its source cannot be found.
func (g *goSide) failed(ctx context.Context, c *cell, out *goOutput, reply *jupyter.Message) *failure {
	failed := out.failure(reply)
	switch {
	case failed == nil:
	case ctx.Err() != nil && failed.Name == "ProgramError":
		return interrupted("") // how the program ended says the same
	case ctx.Err() != nil:
		return interrupted(firstLine(failed.Value))
	case failed.Name != "Panic" && gonb.ImportsLibrary(c.ask.Code):
		if _, err := gonb.FindSource(ctx, cmp.Or(g.k.opt.Folder, ".")); err != nil {
			lines := strings.Split(err.Error(), "\n")
			failed.Name, failed.Value = "SourceMissing", lines[0]
			failed.Traceback = append(append(lines,
				"GONB_COPE_SOURCE is the folder of a checkout of this library, with which Go cells are compiled. Start the kernel "+
					"again after setting it.", ""),
				failed.Traceback...)
		}
	}
	return failed
}

// source returns the file that GoNB made of the cells and compiled last; "" when it cannot be read.
func (g *goSide) source() string {
	work, err := os.ReadFile(filepath.Join(g.prepared, warden.WorkFile))
	if err != nil {
		return ""
	}
	text, _ := os.ReadFile(filepath.Join(strings.TrimSpace(string(work)), "main.go"))
	return string(text)
}

// requestFor returns the execute_request for GoNB, with every field that it expects.
func (g *goSide) requestFor(c *cell) *jupyter.Message {
	m := *c.request
	m.SetContent(map[string]any{
		"code": strings.ReplaceAll(c.ask.Code, "\r\n", "\n"), "silent": c.ask.Silent, "store_history": c.ask.stores(),
		"allow_stdin":      isTrue(c.ask.AllowStdin),
		"user_expressions": map[string]string{}, "stop_on_error": isTrue(c.ask.StopOnError),
	})
	return &m
}

// goEnded returns the failure of a cell during which GoNB ended.
func goEnded(child *child) *failure {
	return failed("GoNBEnded", "the Go side of this kernel has ended. Its declarations are lost; the next Go cell starts it again. Values of "+
		"%%cope cells are kept"+child.printed())
}

// stray sends on what GoNB publishes outside of requests: messages of widgets.
func (g *goSide) stray(m *jupyter.Message) {
	g.k.comms.see(m)
	g.k.server.Publish(m)
}

// prompt asks the front end that sent the request for input.
func (g *goSide) prompt(m, request *jupyter.Message) {
	g.k.server.Send(jupyter.StdinChannel, g.k.server.Session().New(m.Header.Type, request, m.Content))
}

// forward hands a message to GoNB if it runs.
func (g *goSide) forward(ch jupyter.Channel, m *jupyter.Message) {
	if child := g.live(); child != nil {
		child.client.Send(ch, m)
	}
}

// live returns GoNB, nil if it does not run.
func (g *goSide) live() *child {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == nil || g.child.ended() {
		return nil
	}
	return g.child
}

const (
	goplsTime = 12500 * time.Millisecond // GoNB blocks until it has polled gopls for 12 s
	askTime   = time.Second              // front ends do not wait longer for a completion
)

// ask lets GoNB answer a complete_request or inspect_request, or returns nil when it
// could not do so quickly.
func (g *goSide) ask(ctx context.Context, m *jupyter.Message) any {
	child := g.live()
	if child == nil || g.tools.Gopls == "" || time.Since(child.started) < goplsTime {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	reply, err := child.request(ctx, m, nil)
	if err != nil {
		return nil
	}
	return reply.Content
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// setOutput says where displays of Go cells go that come over the bridge.
func (g *goSide) setOutput(out *goOutput) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.output = out
}

// printTime is the time that what a cell printed takes through GoNB: a display comes by a shorter
// way, and must not overtake it. The cell waits meanwhile.
const printTime = 5 * time.Millisecond

// show displays what a Go cell shows over the bridge.
func (g *goSide) show(bundle map[string]any) error {
	g.mu.Lock()
	out := g.output
	g.mu.Unlock()
	if out == nil {
		return errors.New("no Go cell runs below which this could be shown")
	}
	time.Sleep(printTime)
	out.joiner.flush()
	out.compiling.finish(true)
	out.cell.display("display_data", "", bundle, nil)
	return nil
}

// listen opens the bridge over which Go cells see the session.
func (g *goSide) listen() (err error) {
	if g.bridge != nil {
		return nil
	}
	if g.folder, err = jupyter.SocketFolder("cope-"); err != nil {
		return err
	}
	g.bridge, err = host.Listen(&host.Session{Lock: &g.k.cope.mu, Session: g.k.cope.session, Display: g.show}, g.folder)
	return err
}

// interrupt interrupts the Go cell that runs, and the function of an earlier one that
// a %%cope cell waits for.
func (g *goSide) interrupt() {
	g.mu.Lock()
	bridge := g.bridge
	if g.output != nil {
		g.child.interrupt() // under the lock: run orders calm after it, never before
	}
	g.mu.Unlock()
	if bridge != nil {
		bridge.Interrupt()
	}
}

// noteBusy records which Go function runs now, for a later call of fault.
func (g *goSide) noteBusy() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bridge != nil {
		g.bridge.NoteBusy()
	}
}

// fault returns the error of a function of a Go cell that a %%cope cell used, or nil.
func (g *goSide) fault() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bridge == nil {
		return nil
	}
	return g.bridge.Fault()
}
