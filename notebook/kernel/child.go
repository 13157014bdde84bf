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

// child is a running GoNB process with the connection to it.
type child struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser // standard input of the warden, which reads orders from it
	client  *jupyter.Client
	exited  chan struct{}
	started time.Time
	log     *process.Tail // the end of what GoNB printed outside of cells
	calls   *jupyter.Calls
	prompt  func(m, request *jupyter.Message) // receives GoNB's input_request and the request of the cell that asks
}

// errGone states that GoNB ended before it answered.
var errGone = errors.New("GoNB has ended")

const (
	startTime = 2 * time.Minute // limit for GoNB's first answer after its start, on a busy machine
	stopTime  = 3 * time.Second // limit for the warden to end GoNB and all its child processes
)

// command states what startChild runs: the warden's command, with GoNB as its argument.
type command struct {
	warden []string
	gonb   string
	env    []string
	folder string // private folder for sockets; the warden removes it
	name   string // name of the connection file; GoNB takes the kernel's ID from it
}

// startChild starts GoNB under its warden and waits until GoNB answers. stray receives the messages that GoNB publishes
// outside of requests, and prompt its questions for input. On failure startChild stops GoNB and returns an error with what
// GoNB printed.
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
	g.cmd.WaitDelay = time.Second // limit for reading output after the warden was killed
	go func() {
		_ = g.cmd.Wait() // the exit status does not matter
		warden.Clean(c.folder)
		close(g.exited)
	}()
	if err := g.connect(ctx, connection, stray); err != nil {
		g.stop()
		return nil, fmt.Errorf("starting GoNB: %w%s", err, g.printed())
	}
	return g, nil
}

// connect connects to GoNB and waits for its first answer. The answer must include published messages. Messages that GoNB
// publishes before the subscription is active are lost, so connect repeats its request every 100 ms.
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

// request sends m to GoNB and waits for its reply and for the end of its output. It calls output, which may be nil, for
// each published message in order. It returns errGone if GoNB ends, and ctx.Err() if ctx ends.
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
			for { // pass on the messages that have already arrived
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

// interrupt orders the warden to interrupt the processes below GoNB, including new ones, until calm is called. Errors are
// ignored: a process that has ended needs no interrupt.
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

// stop ends GoNB and all its child processes. It kills the warden if the warden does not end within stopTime.
func (g *child) stop() {
	_, _ = io.WriteString(g.orders, warden.Stop) // an error means that the warden has already ended
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

// printed returns "; it printed:" and the last output of GoNB on new lines, or "" if there was none.
func (g *child) printed() string {
	text := g.log.String()
	if text == "" {
		return ""
	}
	return "; it printed:\n" + text
}

func newTail() *process.Tail { return &process.Tail{Size: 32 << 10} }
