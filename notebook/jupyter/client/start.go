package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// StartOptions state how a kernel is started. The zero value works.
type StartOptions struct {
	Dir     string        // the kernel's working folder; "" is the current one
	Stderr  io.Writer     // gets the output of the kernel's process itself; nil: discarded
	Timeout time.Duration // until the kernel must be ready; 0 is a minute
}

// startTimeout is nbclient's startup_timeout.
const startTimeout = time.Minute

// Start starts a kernel and waits until it answers and its output arrives. A kernel
// that ends before that, or does not answer in time, is an error that quotes what
// it wrote; nothing is left of it.
func Start(ctx context.Context, spec Spec, opt StartOptions) (*Kernel, error) {
	limit := cmp.Or(opt.Timeout, startTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was not ready within %v", limit))
	defer cancel()
	for attempt := 1; ; attempt++ {
		k, err := start(ctx, spec, opt)
		if err == nil {
			return k, nil
		}
		// Free ports are looked for before the kernel opens them: another party may be faster.
		if attempt < 3 && strings.Contains(strings.ToLower(err.Error()), "address already in use") {
			continue
		}
		return nil, fmt.Errorf("kernel %s did not start: %w", cmp.Or(spec.Name, filepath.Base(spec.Argv[0])), err)
	}
}

func start(ctx context.Context, spec Spec, opt StartOptions) (*Kernel, error) {
	dir, err := jupyter.SocketFolder("jupyter-")
	if err != nil {
		return nil, err
	}
	k := &Kernel{Spec: spec, dir: dir, patience: shutdownTime, failed: make(chan struct{})}
	if err := k.begin(ctx, opt); err != nil {
		k.Kill()
		return nil, err
	}
	return k, nil
}

// begin starts the process, connects and waits until the kernel is ready.
func (k *Kernel) begin(ctx context.Context, opt StartOptions) error {
	connection, err := k.connection()
	if err != nil {
		return err
	}
	// some kernels take their id from this name
	file := filepath.Join(k.dir, "kernel-"+newUUID()+".json")
	if err := connection.WriteFile(file); err != nil {
		return err
	}
	argv, env := k.Spec.command(file)
	// by which kernels watch their parent
	env = append(env, fmt.Sprintf("JPY_PARENT_PID=%d", os.Getpid()))
	if k.process, err = launch(argv, env, opt.Dir, opt.Stderr); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-k.process.dead:
			cancel(k.process.ending())
		case <-ctx.Done():
		}
	}()
	k.routing.Add(1)
	go k.watch()
	if k.client, err = jupyter.Dial(ctx, connection); err == nil {
		k.calls = jupyter.NewCalls(k.client)
		for _, ch := range []jupyter.Channel{jupyter.ShellChannel, jupyter.ControlChannel, jupyter.StdinChannel, jupyter.IOPubChannel} {
			k.routing.Add(1)
			go k.route(ch)
		}
	}
	k.routing.Done()
	if err == nil {
		err = k.ready(ctx)
	}
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if last := k.process.tail.String(); last != "" && !errors.Is(cause, context.Canceled) && !k.process.wait(0) {
		cause = fmt.Errorf("%w; it wrote:\n%s", cause, last)
	}
	return cause
}

// connection says where the kernel shall listen: on ipc (Unix sockets in a folder of the user's own) or tcp (ports of
// 127.0.0.1), as the kernelspec's metadata says under "transport", otherwise on tcp as in Jupyter: not every kernel speaks
// ipc, and one that does not shows it only by never answering.
func (k *Kernel) connection() (jupyter.Connection, error) {
	transport, _ := k.Spec.Metadata["transport"].(string)
	c := jupyter.LocalConnection(k.dir)
	c.KernelName = k.Spec.Name
	switch transport {
	case "ipc":
		return c, nil
	case "tcp", "":
	default:
		return c, fmt.Errorf("transport must be ipc or tcp, not %q", transport)
	}
	c.Transport, c.IP = "tcp", "127.0.0.1"
	for _, port := range []*int{&c.Shell, &c.IOPub, &c.Stdin, &c.Control, &c.Heartbeat} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return c, fmt.Errorf("no free port: %w", err)
		}
		defer l.Close() // after all are chosen, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// joinTime is the wait for the output of an answered request before it is asked for again, the
// second time twice as long and so on, and joinTries the number of times. A subscriber misses what
// is published before its subscription has arrived, which on a busy machine takes a while. Kernels
// that never publish a status are ready after the last try, which is eight seconds.
const (
	joinTime  = 100 * time.Millisecond
	joinTries = 12
)

// ready asks who the kernel is until its answer and the output of the question are seen.
func (k *Kernel) ready(ctx context.Context) error {
	for try := range joinTries {
		r := k.calls.Open(k.client.Session().New("kernel_info_request", nil, struct{}{}))
		joined, err := k.introduce(ctx, r, joinTime*time.Duration(try+1))
		k.calls.Drop(r)
		if err != nil || joined {
			return err
		}
	}
	return nil
}

// introduce waits for one kernel_info_reply and reports whether its idle was seen,
// at most so long after the reply.
func (k *Kernel) introduce(ctx context.Context, r *jupyter.Call, wait time.Duration) (joined bool, err error) {
	k.client.Send(jupyter.ShellChannel, r.Request)
	var late <-chan time.Time
	for replied, idle := false, false; !replied || !idle; {
		select {
		case a := <-r.Arrivals:
			switch {
			case a.Message.Header.Type == "kernel_info_reply":
				replied, late = true, time.After(wait)
				if err := decode(a.Message, &k.Info); err != nil {
					return false, err
				}
			case a.Idle():
				idle = true
			}
		case <-late:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return true, nil
}

// process is a kernel's process, in its own process group.
type process struct {
	cmd  *exec.Cmd
	tail *child.Tail
	dead chan struct{} // closed when the process has ended
	err  error         // how it ended; valid after dead
}

// pipeDelay limits the wait for output that children of an ended kernel may still write to its
// pipe.
const pipeDelay = 500 * time.Millisecond

// launch starts a process.
func launch(argv, env []string, dir string, output io.Writer) (*process, error) {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), tail: &child.Tail{To: output, Size: tailSize}, dead: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.tail, p.tail
	p.cmd.WaitDelay = pipeDelay
	p.cmd.SysProcAttr = child.Attributes(syscall.SIGTERM)
	err := child.Start(p.cmd, func(err error) {
		p.err = err
		close(p.dead)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// wait reports whether the process ends within a time.
func (p *process) wait(limit time.Duration) bool {
	select {
	case <-p.dead:
		return true
	case <-time.After(limit):
		return false
	}
}

// signal sends a signal to the kernel and to what it started, as Jupyter does. Where there are no signals only kernels whose
// interrupt_mode is message can be interrupted.
func (p *process) signal(s syscall.Signal) { _ = child.Signal(p.cmd.Process, s) }

// ending states how the process ended, with what it wrote last.
func (p *process) ending() error {
	how := "ended"
	if p.err != nil {
		how = "died: " + p.err.Error()
	}
	if last := p.tail.String(); last != "" {
		return fmt.Errorf("the kernel %s; it wrote last:\n%s", how, last)
	}
	return fmt.Errorf("the kernel %s; it wrote nothing", how)
}

// tailSize limits the bytes of a kernel's own output that an error quotes.
const tailSize = 2000
