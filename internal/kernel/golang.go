package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/bridge/host"
	"github.com/gonb-cope/gonb-cope/internal/gonb"
	"github.com/gonb-cope/gonb-cope/internal/jupyter"
	"github.com/gonb-cope/gonb-cope/internal/warden"
)

// goSide hands cells to GoNB, which it starts when the first comes.
type goSide struct {
	k *kernel

	mu       sync.Mutex
	child    *child // nil before the first Go cell, and after GoNB has ended
	tools    gonb.Tools
	imports  *gonb.Imports // nil before the first start, and when no source was found
	count    int           // GoNB's counter of executions
	getting  bool          // GoNB runs go get before each cell
	folder   string        // private, "" before the first start: the bridge, and a folder for each GoNB
	prepared string        // the folder of the GoNB that runs: its sockets and what it is prepared with
	bridge   *host.Host    // lets Go cells see the session; nil before the first start
	output   *goOutput     // of the cell that runs; nil when none does
}

func newGoSide(k *kernel) *goSide { return &goSide{k: k} }

// run executes a Go cell.
func (g *goSide) run(ctx context.Context, c *cell) *failure {
	child, failed := g.ready(ctx, c)
	if failed != nil {
		return failed
	}
	g.keepStep(ctx, child, c)
	g.chooseGetting(ctx, child, c.ask.Code)
	out := &goOutput{cell: c}
	out.joiner.send = c.stream
	g.direct(out)
	defer g.direct(nil)
	stop := context.AfterFunc(ctx, child.interrupt)
	defer stop()
	request := g.requestFor(c)
	reply, err := child.request(context.WithoutCancel(ctx), request, out.take)
	out.joiner.flush()
	if gonb.Resets(c.ask.Code) {
		g.prepare(ctx, child) // its go.mod is new
	}
	switch {
	case errors.Is(err, errGone):
		g.forget(child)
		return gone(child)
	case err != nil:
		return &failure{Name: "GoNBError", Value: err.Error(), Traceback: []string{err.Error()}}
	}
	if c.ask.stores() {
		g.count++
	}
	failed = out.failure(reply)
	if ctx.Err() != nil && failed != nil {
		return interrupted(firstLine(failed.Value))
	}
	return failed
}

// direct says where displays of Go cells go that come over the bridge.
func (g *goSide) direct(out *goOutput) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.output = out
}

// printTime is how long what a cell printed takes through GoNB: a display comes by a
// shorter way, and must not overtake it. The cell waits meanwhile.
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
	out.cell.display("display_data", "", bundle, nil)
	return nil
}

// requestFor is the execute_request for GoNB, with every field that it expects.
func (g *goSide) requestFor(c *cell) *jupyter.Message {
	m := *c.request
	m.SetContent(map[string]any{
		"code": c.ask.Code, "silent": c.ask.Silent, "store_history": c.ask.stores(), "allow_stdin": isTrue(c.ask.AllowStdin),
		"user_expressions": map[string]string{}, "stop_on_error": isTrue(c.ask.StopOnError),
	})
	return &m
}

// gone is the failure of a cell during which GoNB ended.
func gone(child *child) *failure {
	text := "the Go side of this kernel has ended. Its declarations are lost; the next Go cell starts it anew. Values of %%cope cells are kept" + child.log.lines()
	return &failure{Name: "GoNBEnded", Value: firstLine(text), Traceback: strings.Split(text, "\n")}
}

// ready returns the running GoNB, started if need be.
func (g *goSide) ready(ctx context.Context, c *cell) (*child, *failure) {
	child, err := g.start(ctx, func(line string) { c.stream("stderr", line+"\n") })
	switch {
	case err == nil:
		return child, nil
	case ctx.Err() != nil:
		return nil, interrupted("GoNB was not started")
	}
	return nil, &failure{Name: "GoNBMissing", Value: firstLine(err.Error()), Traceback: append(strings.Split(err.Error(), "\n"), "gonb-cope doctor says what is missing and how to mend it")}
}

// start starts GoNB unless it runs. log is told what takes long.
func (g *goSide) start(ctx context.Context, log func(string)) (*child, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child != nil && !g.child.gone() {
		return g.child, nil
	}
	var err error
	if g.tools, err = gonb.Provision(ctx, log); err != nil {
		return nil, err
	}
	if err := g.listen(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(g.folder, "gonb-")
	if err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	child, err := startChild(ctx, command{
		warden: g.k.opt.Warden, gonb: g.tools.GoNB, env: g.environment(), folder: folder, name: filepath.Base(g.k.opt.ConnectionFile),
	}, g.stray, g.prompt)
	if err != nil {
		return nil, err
	}
	g.child, g.count, g.prepared = child, 0, folder
	g.prepare(ctx, child)
	return child, nil
}

// listen opens the bridge over which Go cells see the session.
func (g *goSide) listen() (err error) {
	if g.bridge != nil {
		return nil
	}
	if g.folder, err = privateFolder(); err != nil {
		return err
	}
	g.bridge, err = host.Listen(&host.Session{Lock: &g.k.cope.mu, Session: g.k.cope.session, Display: g.show}, g.folder)
	return err
}

// environment is that of GoNB: its tools come first on the path, and cells find the
// bridge.
func (g *goSide) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	env = append(env, g.bridge.Env()...)
	return append(env, "PATH="+g.tools.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// prepare tells GoNB where the packages are that Go cells import without set-up. What
// fails here shows when a cell imports them.
func (g *goSide) prepare(ctx context.Context, child *child) {
	if err := g.writeModule(ctx); err != nil {
		g.k.opt.Log("Go cells: %v", err)
		return
	}
	g.silently(ctx, child, gonb.Preparation(g.prepared)+"!*pwd > '"+filepath.Join(g.prepared, warden.WorkFile)+"'", false)
	g.getting = false
}

// writeModule looks for the source that Go cells are compiled with, and writes their
// go.mod.
func (g *goSide) writeModule(ctx context.Context) error {
	folder := g.k.opt.Folder
	if folder == "" {
		folder = "."
	}
	m, err := gonb.FindSource(ctx, folder)
	if err != nil {
		return err
	}
	if err := m.WriteCellModule(g.prepared); err != nil {
		return err
	}
	if g.imports == nil {
		g.imports, err = m.Imports(ctx)
	}
	return err
}

// silently lets GoNB execute something of ours. counted says that its counter moves.
func (g *goSide) silently(ctx context.Context, child *child, code string, counted bool) {
	m := child.client.Session().New("execute_request", nil, map[string]any{
		"code": code, "silent": true, "store_history": counted, "allow_stdin": false, "user_expressions": map[string]string{}, "stop_on_error": false,
	})
	if counted {
		g.count++
	}
	if _, err := child.request(ctx, m, func(m *jupyter.Message) { g.k.opt.Log("GoNB: %s %s", m.Header.Type, m.Content) }); err != nil {
		g.k.opt.Log("GoNB: %v", err)
	}
}

// keepStep moves GoNB's counter to this kernel's, so that "Cell [7] Line 3" is right.
func (g *goSide) keepStep(ctx context.Context, child *child, c *cell) {
	want := c.count
	if c.ask.stores() {
		want--
	}
	for g.count < want && ctx.Err() == nil {
		g.silently(ctx, child, "", true)
	}
}

// chooseGetting switches GoNB's go get on, for good, when a cell imports what is
// not pinned. It costs a quarter of a second a cell.
func (g *goSide) chooseGetting(ctx context.Context, child *child, code string) {
	if g.getting || g.imports == nil {
		return
	}
	for _, path := range gonb.ImportsOf(code) {
		if !g.imports.Pinned(path) {
			g.silently(ctx, child, "%autoget", false)
			g.getting = true
			return
		}
	}
}

// stray sends on what GoNB publishes outside of requests: messages of widgets.
func (g *goSide) stray(m *jupyter.Message) {
	g.k.comms.see(m)
	g.k.server.Publish(m)
}

// prompt asks the front end that sent the request for input.
func (g *goSide) prompt(m *jupyter.Message, e *exchange) {
	g.k.server.Send(jupyter.StdinChannel, g.k.server.Session().New(m.Header.Type, e.request, m.Content))
}

// forward hands a message to GoNB if it runs.
func (g *goSide) forward(ch jupyter.Channel, m *jupyter.Message) {
	g.mu.Lock()
	child := g.child
	g.mu.Unlock()
	if child != nil && !child.gone() {
		child.client.Send(ch, m)
	}
}

const (
	goplsTime = 12500 * time.Millisecond // GoNB blocks until it has polled gopls for 12 s
	askTime   = time.Second              // front ends do not wait longer for a completion
)

// ask lets GoNB answer a complete_request or inspect_request, or returns nil when it
// could not do so quickly.
func (g *goSide) ask(ctx context.Context, m *jupyter.Message) any {
	g.mu.Lock()
	child := g.child
	g.mu.Unlock()
	if child == nil || child.gone() || g.tools.Gopls == "" || time.Since(child.started) < goplsTime {
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

// forget drops a GoNB that has ended or is to end.
func (g *goSide) forget(child *child) {
	child.stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == child {
		g.child = nil
	}
}

// interrupt ends a function of a Go cell that a %%cope cell waits for.
func (g *goSide) interrupt() {
	g.mu.Lock()
	bridge := g.bridge
	g.mu.Unlock()
	if bridge != nil {
		bridge.Interrupt()
	}
}

// fault is what went wrong in a function of a Go cell while a %%cope cell used it, or
// nil.
func (g *goSide) fault() error {
	g.mu.Lock()
	bridge := g.bridge
	g.mu.Unlock()
	if bridge == nil {
		return nil
	}
	return bridge.Fault()
}

// close ends GoNB and the functions of Go cells.
func (g *goSide) close() {
	g.mu.Lock()
	child, bridge := g.child, g.bridge
	g.mu.Unlock()
	if child != nil {
		g.forget(child)
	}
	if bridge != nil {
		if err := bridge.Close(); err != nil {
			g.k.opt.Log("bridge: %v", err)
		}
		_ = os.RemoveAll(g.folder)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
