package kernel

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// Options state how a kernel is run.
type Options struct {
	ConnectionFile string   // connection file that Jupyter wrote
	Version        string   // version of gonb-cope
	Warden         []string // command and arguments that run a further command and end all its processes
	Folder         string   // folder for relative paths in cells; "" means the current folder
	HistoryFile    string   // history file; "" means DefaultHistory
	Log            func(format string, args ...any)
}

// kernel is a running kernel.
type kernel struct {
	opt     Options
	server  *jupyter.Server
	queue   *queue
	history *history
	cope    *copeSide
	golang  *goSide
	comms   comms
	stop    context.CancelFunc

	count       int       // execution counter; only the worker uses it and abortBefore
	abortBefore time.Time // after an error, requests that arrived before this time are aborted

	mu       sync.Mutex
	cancel   context.CancelFunc // cancels the current request; nil if there is none
	farewell func()             // sends the reply to shutdown_request
}

// lingerTime limits the wait for the last messages to be sent at shutdown.
const lingerTime = 500 * time.Millisecond

// Run serves a kernel until a shutdown_request or a signal on ends arrives, or until the parent process has ended. A
// signal on interrupts interrupts the running cell. Run returns an error if the connection file cannot be read or the
// ports cannot be opened.
func Run(opt Options, interrupts, ends <-chan os.Signal) error {
	connection, err := jupyter.ReadConnection(opt.ConnectionFile)
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	k := &kernel{opt: opt, queue: &queue{token: make(chan struct{}, 1)}, stop: stop, history: openHistory(opt.HistoryFile, opt.Log)}
	k.cope, k.golang = newCopeSide(k), &goSide{k: k}
	defer k.golang.close()
	if k.server, err = jupyter.Listen(connection, func(err error) { opt.Log("ignored: %v", err) }); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer k.server.Close(lingerTime)
	go k.announce(ctx)
	go k.watchParent(ctx)
	go k.readShell()
	go k.each(ctx, jupyter.ControlChannel, func(m *jupyter.Message) { // control requests are answered while cells run
		k.bracket(m, func() { k.serveEither(jupyter.ControlChannel, m) })
	})
	go k.each(ctx, jupyter.StdinChannel, func(m *jupyter.Message) { k.golang.forward(jupyter.StdinChannel, m) }) // replies to GoNB's questions
	go k.work(ctx)
	for ctx.Err() == nil {
		select {
		case <-interrupts:
			k.interrupt()
		case <-ends:
			stop()
		case <-ctx.Done():
		}
	}
	k.interrupt()
	k.golang.close()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.farewell != nil {
		k.farewell()
	}
	return nil
}

// announce publishes the status starting when the first front end has subscribed.
func (k *kernel) announce(ctx context.Context) {
	select {
	case <-k.server.Joined():
		k.publish("status", nil, map[string]string{"execution_state": "starting"})
	case <-ctx.Done():
	}
}

// watchParent stops the kernel when its parent process has ended, because nothing could shut it down afterwards.
func (k *kernel) watchParent(ctx context.Context) {
	parent := os.Getppid()
	if parent <= 1 {
		return
	}
	await.Every(ctx, 500*time.Millisecond, func() {
		if os.Getppid() != parent {
			k.opt.Log("the process that started this kernel has gone")
			k.stop()
		}
	})
}

// readShell queues the messages of the shell channel. It forwards widget messages to GoNB immediately, because the running
// cell may wait for them.
func (k *kernel) readShell() {
	for m := range k.server.Messages(jupyter.ShellChannel) {
		switch m.Header.Type {
		case "comm_open", "comm_msg", "comm_close":
			k.comms.see(m)
			k.bracket(m, func() { k.golang.forward(jupyter.ShellChannel, m) })
		default:
			k.queue.push(m)
		}
	}
}

// work answers queued requests in order, until ctx ends. An interrupt can cancel a request from before its first message
// is sent until after its last.
func (k *kernel) work(ctx context.Context) {
	for {
		r, ok := k.queue.pop(ctx)
		if !ok {
			return
		}
		one, end := k.begin(ctx)
		k.bracket(r.message, func() { k.serve(one, r) })
		end()
	}
}

// serve answers one request of the shell channel.
func (k *kernel) serve(ctx context.Context, r request) {
	var reply any
	switch m := r.message; m.Header.Type {
	case "execute_request":
		k.execute(ctx, r)
		return
	case "complete_request":
		reply = k.complete(ctx, m)
	case "inspect_request":
		reply = k.inspect(ctx, m)
	case "is_complete_request":
		reply = k.isComplete(m)
	case "history_request":
		reply = k.history.answer(m)
	case "comm_info_request":
		reply = k.comms.answer(m)
	default:
		k.serveEither(jupyter.ShellChannel, m)
		return
	}
	k.reply(jupyter.ShellChannel, r.message, reply)
}

// serveEither answers the requests that may arrive on the shell or the control channel.
func (k *kernel) serveEither(ch jupyter.Channel, m *jupyter.Message) {
	var reply any
	switch m.Header.Type {
	case "kernel_info_request":
		reply = k.info()
	case "connect_request":
		reply = k.ports()
	case "interrupt_request":
		k.interrupt()
		reply = map[string]any{"status": "ok"}
	case "shutdown_request":
		k.shutdown(ch, m)
		return
	case "gonb_cope_provenance_request":
		// our own request: headless runs use the answer for the report's provenance
		reply = k.cope.provenance()
	case "debug_request":
		reply = debugReply(m)
	default:
		k.opt.Log("ignored: request %q is not of protocol %s", m.Header.Type, jupyter.Version)
		return
	}
	k.reply(ch, m, reply)
}

// bracket publishes the status busy, calls do, and publishes the status idle.
func (k *kernel) bracket(m *jupyter.Message, do func()) {
	k.status(m, "busy")
	defer k.status(m, "idle")
	do()
}

func (k *kernel) status(parent *jupyter.Message, state string) {
	k.publish("status", parent, map[string]string{"execution_state": state})
}

func (k *kernel) publish(msgType string, parent *jupyter.Message, content any) {
	k.server.Publish(k.server.Session().New(msgType, parent, content))
}

// reply sends content as the reply to a request on channel ch. X_request gets a reply of type X_reply.
func (k *kernel) reply(ch jupyter.Channel, request *jupyter.Message, content any) {
	k.server.Send(ch, k.server.Session().New(strings.TrimSuffix(request.Header.Type, "request")+"reply", request, content))
}

// request is a message with the time at which it arrived.
type request struct {
	message *jupyter.Message
	arrived time.Time
}

// queue holds the waiting requests of the shell channel. It grows without limit, so that reading never waits for
// execution. Each request keeps its time of arrival, which decides whether an error aborts the request.
type queue struct {
	mu    sync.Mutex
	wait  []request
	token chan struct{} // has one token if a request may be waiting
}

func (q *queue) push(m *jupyter.Message) {
	q.mu.Lock()
	q.wait = append(q.wait, request{m, time.Now()})
	q.mu.Unlock()
	select {
	case q.token <- struct{}{}:
	default:
	}
}

// pop removes and returns the oldest request, and waits for one. It returns false when the context has ended.
func (q *queue) pop(ctx context.Context) (request, bool) {
	for ctx.Err() == nil {
		q.mu.Lock()
		if len(q.wait) > 0 {
			r := q.wait[0]
			q.wait = q.wait[1:]
			q.mu.Unlock()
			return r, true
		}
		q.wait = nil
		q.mu.Unlock()
		select {
		case <-q.token:
		case <-ctx.Done():
		}
	}
	return request{}, false
}

// line returns a line, counted from 1, of the cell with execution count number. The cell is the running one or one in the
// history. line returns "" if the cell or the line is unknown.
func (k *kernel) line(running *cell, number, line int) string {
	code := running.ask.Code
	if number != running.count {
		code = k.history.input(number)
	}
	lines := strings.Split(code, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}
