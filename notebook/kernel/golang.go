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

// goSide sends Go cells to GoNB. It starts GoNB when the first Go cell arrives.
type goSide struct {
	k *kernel

	mu      sync.Mutex
	child   *child // nil before the first Go cell and after GoNB has ended
	tools   gonb.Tools
	imports *gonb.Imports // nil before the first start, and if the library's source was not found
	count   int           // GoNB's execution counter
	autoGet bool          // whether GoNB runs go get before each cell
	// private folder with the bridge's socket and a folder per GoNB process; "" before the first start
	folder string
	// folder of the running GoNB: its sockets and its go.mod
	prepared string
	bridge   *host.Host // gives Go cells access to the session; nil before the first start
	output   *goOutput  // output of the running Go cell; nil if no Go cell runs
}

func (g *goSide) run(ctx context.Context, c *cell) *failure {
	child, fault := g.ready(ctx, c)
	if fault != nil {
		return fault
	}
	untilDone := context.WithoutCancel(ctx) // an interrupt must not cut off these requests, or GoNB's counter would be wrong
	g.keepStep(untilDone, child, c)
	g.setAutoGet(untilDone, child, c.ask.Code)
	out := newGoOutput(c)
	defer g.watchCompiler(untilDone, out)()
	g.setOutput(out) // from now on, interrupt also interrupts GoNB
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
	out.joiner.add("stderr", out.last.rest(fault)) // the held text without what the failure already says
	out.joiner.flush()
	if gonb.Resets(c.ask.Code) {
		g.prepare(untilDone, child) // the cell has replaced go.mod
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

// failed returns the failure in GoNB's reply, or nil if the cell succeeded. An interrupted cell becomes an Interrupted
// failure. If a cell imports this library and the source is missing, the failure says so.
func (g *goSide) failed(ctx context.Context, c *cell, out *goOutput, reply *jupyter.Message) *failure {
	failed := out.failure(reply)
	switch {
	case failed == nil:
	case ctx.Err() != nil && failed.Name == "ProgramError":
		return interrupted("") // the program's exit status only repeats the interrupt
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

// source returns the Go file that GoNB generated from the cells and compiled last, or "" if it cannot be read.
func (g *goSide) source() string {
	work, err := os.ReadFile(filepath.Join(g.prepared, warden.WorkFile))
	if err != nil {
		return ""
	}
	text, _ := os.ReadFile(filepath.Join(strings.TrimSpace(string(work)), "main.go"))
	return string(text)
}

// requestFor returns the execute_request to send to GoNB. It sets all fields, because GoNB requires them.
func (g *goSide) requestFor(c *cell) *jupyter.Message {
	m := *c.request
	m.SetContent(map[string]any{
		"code": strings.ReplaceAll(c.ask.Code, "\r\n", "\n"), "silent": c.ask.Silent, "store_history": c.ask.stores(),
		"allow_stdin":      isTrue(c.ask.AllowStdin),
		"user_expressions": map[string]string{}, "stop_on_error": isTrue(c.ask.StopOnError),
	})
	return &m
}

// goEnded returns the failure of a cell during which the GoNB process ended.
func goEnded(child *child) *failure {
	return failed("GoNBEnded", "the Go side of this kernel has ended. Its declarations are lost; the next Go cell starts it again. Values of "+
		"%%cope cells are kept"+child.printed())
}

// stray forwards the widget messages that GoNB publishes outside of requests to all front ends.
func (g *goSide) stray(m *jupyter.Message) {
	g.k.comms.see(m)
	g.k.server.Publish(m)
}

// prompt forwards GoNB's question for input, m, to the front end that sent request.
func (g *goSide) prompt(m, request *jupyter.Message) {
	g.k.server.Send(jupyter.StdinChannel, g.k.server.Session().New(m.Header.Type, request, m.Content))
}

// forward sends a message to GoNB on channel ch. If GoNB does not run, the message is dropped.
func (g *goSide) forward(ch jupyter.Channel, m *jupyter.Message) {
	if child := g.live(); child != nil {
		child.client.Send(ch, m)
	}
}

// live returns the running GoNB, or nil if none runs.
func (g *goSide) live() *child {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == nil || g.child.ended() {
		return nil
	}
	return g.child
}

const (
	goplsTime = 12500 * time.Millisecond // after its start, GoNB polls gopls for 12 s and answers no questions
	askTime   = time.Second              // limit for a completion, because front ends do not wait longer
)

// ask lets GoNB answer a complete_request or inspect_request. It returns nil if GoNB is not running or not ready, or does
// not answer within askTime.
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

// setOutput sets the cell that shows the displays that arrive over the bridge; nil means none.
func (g *goSide) setOutput(out *goOutput) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.output = out
}

// printTime is the wait before a display is sent. Printed text takes longer, because it goes through GoNB, and the wait
// keeps the display after it.
const printTime = 5 * time.Millisecond

// show sends a display that arrived over the bridge as output of the running Go cell. bundle maps media types to
// representations. show returns an error if no Go cell runs.
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

// listen creates the private folder and opens the bridge, over which Go cells access the session. A second call does
// nothing.
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

// interrupt interrupts the running Go cell. It also interrupts a Go function of an earlier cell that a %%cope cell is
// calling.
func (g *goSide) interrupt() {
	g.mu.Lock()
	bridge := g.bridge
	if g.output != nil {
		g.child.interrupt() // under the lock, so that the calm order of run always comes later
	}
	g.mu.Unlock()
	if bridge != nil {
		bridge.Interrupt()
	}
}

// noteBusy records which Go function is running. fault later returns that the function was interrupted.
func (g *goSide) noteBusy() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bridge != nil {
		g.bridge.NoteBusy()
	}
}

// fault returns the first error of a Go function since the last call of fault, or nil. A failed cell that used the
// function shows this error.
func (g *goSide) fault() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bridge == nil {
		return nil
	}
	return g.bridge.Fault()
}
