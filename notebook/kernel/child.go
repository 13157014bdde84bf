package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	process "github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// child is a running GoNB with the connection to it.
type child struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser // to the warden
	client  *jupyter.Client
	exited  chan struct{}
	started time.Time
	log     *process.Tail // what it printed outside of cells
	calls   *jupyter.Calls
	prompt  func(m, request *jupyter.Message) // receives a question for input
}

// errGone states that GoNB ended while it was needed.
var errGone = errors.New("GoNB has ended")

const (
	startTime = 2 * time.Minute // for GoNB to answer after its start, on a busy machine
	stopTime  = 3 * time.Second // for the warden to end GoNB and all below it
)

// command states what startChild runs: GoNB under its warden.
type command struct {
	warden []string
	gonb   string
	env    []string
	folder string // private, for sockets; the warden removes it
	name   string // name of the connection file: GoNB reads the kernel's id from it
}

// startChild starts GoNB and waits until it answers.
func startChild(ctx context.Context, c command, stray func(*jupyter.Message), prompt func(m, request *jupyter.Message)) (*child, error) {
	connection := jupyter.LocalConnection(c.folder)
	path := filepath.Join(c.folder, c.name)
	if err := connection.WriteFile(path); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	argv := append(append([]string{}, c.warden...), c.folder, c.gonb, "-kernel", path, "-raw_error=true")
	g := &child{cmd: exec.Command(argv[0], argv[1:]...), exited: make(chan struct{}), started: time.Now(), log: newTail(),
		prompt: prompt}
	g.cmd.Env, g.cmd.Stderr, g.cmd.Stdout = c.env, g.log, g.log
	var err error
	if g.orders, err = g.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w", err)
	}
	g.cmd.WaitDelay = time.Second // for what a killed warden left behind with its output
	go func() {
		_ = g.cmd.Wait() // that it ended is what matters
		warden.Clean(c.folder)
		close(g.exited)
	}()
	if err := g.connect(ctx, connection, stray); err != nil {
		g.stop()
		return nil, fmt.Errorf("starting GoNB: %w%s", err, g.printed())
	}
	return g, nil
}

// connect waits for GoNB to answer, and for its answer to come by both ways: what is
// published before the subscription has arrived is lost.
func (g *child) connect(ctx context.Context, c jupyter.Connection, stray func(*jupyter.Message)) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	go func() {
		select {
		case <-g.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	client, err := jupyter.Dial(ctx, c)
	if err != nil {
		return err
	}
	g.client, g.calls = client, jupyter.NewCalls(client)
	for _, ch := range []jupyter.Channel{jupyter.ShellChannel, jupyter.ControlChannel, jupyter.StdinChannel} {
		go g.calls.Deliver(ch, nil)
	}
	go g.calls.Deliver(jupyter.IOPubChannel, func(m *jupyter.Message) {
		if m.Header.Type != "status" {
			stray(m)
		}
	})
	for {
		try, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := g.request(try, client.Session().New("kernel_info_request", nil, struct{}{}), nil)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, errGone) {
			return err
		}
	}
}

// request sends a request and waits for its reply and the end of its output, which output takes in order; it may be nil.
func (g *child) request(ctx context.Context, m *jupyter.Message, output func(*jupyter.Message)) (*jupyter.Message, error) {
	call := g.calls.Open(m)
	defer g.calls.Drop(call)
	g.client.Send(jupyter.ShellChannel, m)
	var reply *jupyter.Message
	idle := false
	take := func(a jupyter.Arrival) {
		switch {
		case a.Channel == jupyter.StdinChannel:
			g.prompt(a.Message, m)
		case a.Reply():
			reply = cmp.Or(reply, a.Message)
		case a.Message.Header.Type == "status":
			idle = idle || a.Idle()
		case a.Channel == jupyter.IOPubChannel && output != nil:
			output(a.Message)
		}
	}
	for reply == nil || !idle {
		select {
		case a := <-call.Arrivals:
			take(a)
		case <-g.exited:
			for { // what has come is shown
				select {
				case a := <-call.Arrivals:
					take(a)
					continue
				default:
				}
				return nil, errGone
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return reply, nil
}

// interrupt interrupts whatever runs below GoNB, and what it starts until calm.
// A process that has ended needs no interrupt.
func (g *child) interrupt() { _, _ = io.WriteString(g.orders, warden.Interrupt) }

func (g *child) calm() { _, _ = io.WriteString(g.orders, warden.Calm) }

// ended reports whether GoNB has ended.
func (g *child) ended() bool {
	select {
	case <-g.exited:
		return true
	default:
		return false
	}
}

// stop ends GoNB and everything below it.
func (g *child) stop() {
	_, _ = io.WriteString(g.orders, warden.Stop) // one that has ended needs no order
	_ = g.orders.Close()
	select {
	case <-g.exited:
	case <-time.After(stopTime):
		_ = g.cmd.Process.Kill()
		<-g.exited
	}
	if g.client != nil {
		_ = g.client.Close()
	}
}

// printed returns the output of GoNB, on separate lines, or nothing.
func (g *child) printed() string {
	text := g.log.String()
	if text == "" {
		return ""
	}
	return "; it printed:\n" + text
}

func newTail() *process.Tail { return &process.Tail{Size: 32 << 10} }
