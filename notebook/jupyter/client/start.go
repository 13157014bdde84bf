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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// StartOptions state how Start starts a kernel. The zero value works.
type StartOptions struct {
	Dir     string        // working folder of the kernel; "" means the current one
	Stderr  io.Writer     // receives the output of the kernel's process; nil discards it
	Timeout time.Duration // limit until the kernel is ready; 0 means one minute
}

// startTimeout is the default of StartOptions.Timeout, the same as nbclient's startup_timeout.
const startTimeout = time.Minute

// Start starts a kernel and waits until it replies and its published messages arrive. If the kernel ends earlier or is not
// ready in time, Start ends it and returns an error that quotes its output.
func Start(ctx context.Context, spec Spec, opt StartOptions) (*Kernel, error) {
	limit := cmp.Or(opt.Timeout, startTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was not ready within %v", limit))
	defer cancel()
	for attempt := 1; ; attempt++ {
		k, err := start(ctx, spec, opt)
		if err == nil {
			return k, nil
		}
		// Ports are chosen before the kernel opens them, and another program may open them first.
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

// begin starts the process, connects to it, and waits until the kernel is ready.
func (k *Kernel) begin(ctx context.Context, opt StartOptions) (err error) {
	defer try.Caught(&err)
	connection := try.Of(k.connection())
	// some kernels take their ID from this name
	file := filepath.Join(k.dir, "kernel-"+newUUID()+".json")
	try.To(connection.WriteFile(file))
	argv, env := k.Spec.command(file)
	// kernels watch this process and end with it
	env = append(env, fmt.Sprintf("JPY_PARENT_PID=%d", os.Getpid()))
	k.process = try.Of(launch(argv, env, opt.Dir, opt.Stderr))
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

// connection returns the addresses at which the kernel should listen. The field transport in the kernelspec's metadata
// selects ipc (Unix sockets in a private folder) or tcp (ports of 127.0.0.1). The default is tcp, because some kernels do
// not support ipc and then never answer.
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
		defer l.Close() // closed after all ports are chosen, so that they differ
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// joinTime is the wait for the output of an answered request before ready asks again. The wait grows by joinTime per try,
// and there are joinTries tries. A subscriber misses what is published before its subscription is active, which takes
// longer on a busy machine. A kernel that never publishes a status counts as ready after the last try, about eight
// seconds.
const (
	joinTime  = 100 * time.Millisecond
	joinTries = 12
)

// ready sends kernel_info_request until both the reply and its published status arrive, at most joinTries times. It stores
// the reply in k.Info.
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

// introduce sends a request and waits for its reply. The first result reports whether the status idle arrived, at most
// wait after the reply.
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

// process is the process of a kernel, in its own process group.
type process struct {
	cmd  *exec.Cmd
	tail *child.Tail
	dead chan struct{} // closed when the process has ended
	err  error         // exit error; valid after dead is closed
}

// pipeDelay limits the wait for output after the kernel has ended, because its child processes may keep the pipe open.
const pipeDelay = 500 * time.Millisecond

// launch starts a process. output receives what it prints, and may be nil.
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

// wait waits until the process ends, at most for limit, and reports whether it ended.
func (p *process) wait(limit time.Duration) bool {
	select {
	case <-p.dead:
		return true
	case <-time.After(limit):
		return false
	}
}

// signal sends a signal to the kernel and its child processes, as Jupyter does. Windows has no signals, so only kernels
// whose interrupt_mode is message can be interrupted there.
func (p *process) signal(s syscall.Signal) { _ = child.Signal(p.cmd.Process, s) }

// ending returns an error that states how the process ended and quotes its last output.
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

// tailSize is the number of bytes of a kernel's last output that errors quote.
const tailSize = 2000
