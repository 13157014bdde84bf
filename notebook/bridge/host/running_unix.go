//go:build unix

package host

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// running is a process that has reached its Put and serves requests.
type running struct {
	conn    *bridge.Conn
	remote  *bridge.Remote
	session *replay
	command *exec.Cmd
	files   []io.Closer
	errors  child.Tail    // beginning and end of its standard error
	done    chan struct{} // closed when the process has ended

	mu     sync.Mutex
	reason error // why it was killed, or how it ended
}

// start starts the copy of a cell's program and waits until it reaches its Put. It returns an error if the program ends
// earlier, takes too long or is interrupted.
func start(program string, put bridge.FunctionPut, session *replay, interrupted <-chan struct{}) (*running, error) {
	asked, askedChild, err := socketPair()
	if err != nil {
		return nil, err
	}
	own, ownChild, err := socketPair()
	if err != nil {
		return nil, errors.Join(err, asked.Close(), askedChild.Close())
	}
	r := &running{conn: bridge.NewConn(asked), files: []io.Closer{asked, own}, done: make(chan struct{}),
		errors: child.Tail{Head: tailSize, Size: tailSize}}
	r.remote, r.session = bridge.NewRemote(r.conn), session
	for try := range 10 { // ETXTBSY: a process that is being forked may still have the new copy open
		r.command = &exec.Cmd{
			Path: program, Args: put.Args, Dir: put.Dir, Env: environment(put),
			ExtraFiles: []*os.File{askedChild, ownChild}, // become bridge.FunctionFile and bridge.SessionFile
			Stderr:     &r.errors, SysProcAttr: child.Attributes(syscall.SIGKILL),
			WaitDelay: 100 * time.Millisecond, // limit for child processes that keep standard error open
		}
		if err = child.Start(r.command, r.ended); !errors.Is(err, syscall.ETXTBSY) {
			break
		}
		time.Sleep(time.Duration(try+1) * 5 * time.Millisecond)
	}
	_, _ = askedChild.Close(), ownChild.Close()
	if err != nil {
		r.close()
		return nil, fmt.Errorf("the cell's program cannot be started again: %w", err)
	}
	ready := make(chan error, 1)
	go serveSession(own, put, session, ready)
	limit := time.NewTimer(startTime + 3*put.Elapsed)
	defer limit.Stop()
	select {
	case err = <-ready:
	case <-r.done:
		err = fmt.Errorf("%w before it reached session.Put again. The code before session.Put must do the same when it runs twice", r.end())
	case <-interrupted:
		err = errors.New("interrupted while the function's process was starting")
	case <-limit.C:
		err = fmt.Errorf("the cell's program was started again for the function, but did not reach session.Put within %v",
			(startTime + 3*put.Elapsed).Round(time.Second))
	}
	if err != nil {
		r.kill(err)
		return nil, err
	}
	return r, nil
}

// ended records how the process ended.
func (r *running) ended(err error) {
	r.mu.Lock()
	if r.reason == nil {
		r.reason = ending(err, r.errors.String())
	}
	r.mu.Unlock()
	close(r.done)
	r.close()
}

// ending returns an error that states how a process ended by itself. It quotes the panic or the last line of standard
// error.
func ending(err error, stderr string) error {
	how := "its process ended"
	if err != nil {
		how += " with " + err.Error()
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, line := range lines {
		for _, sign := range []string{"panic: ", "fatal error: "} {
			if strings.HasPrefix(line, sign) {
				return fmt.Errorf("%s: %s", how, line)
			}
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		how += ": " + last
	}
	return errors.New(how)
}

// environment returns the cell's environment without the variables that connect it to GoNB, the warden or the kernel's
// socket. It adds EnvServe.
func environment(put bridge.FunctionPut) []string {
	env := slices.DeleteFunc(slices.Clone(put.Env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains([]string{"GONB_PIPE", "GONB_PIPE_BACK", warden.EnvFolder, bridge.EnvSocket, bridge.EnvKey, bridge.EnvServe}, name)
	})
	return append(env, fmt.Sprintf("%s=%d", bridge.EnvServe, put.Number))
}

// serveSession answers the program's requests to the session with recorded answers. It sends nil or an error on ready when
// the program reaches its Put.
func serveSession(conn net.Conn, put bridge.FunctionPut, session *replay, ready chan<- error) {
	for {
		op, content, err := bridge.ReadFrame(conn, bridge.MaxFrame)
		if err != nil {
			return
		}
		kind, answer := bridge.OpDone, []byte(nil)
		if op == bridge.OpFunction {
			var again bridge.FunctionPut
			err := bridge.Unpack(content, &again)
			if err == nil && again.Name != put.Name {
				err = fmt.Errorf("the cell's program was started again for the function, but reached session.Put(%q) instead", again.Name)
			}
			ready <- err
		} else {
			kind, answer = session.answer(op, content)
		}
		if bridge.WriteFrame(conn, kind, answer) != nil {
			return
		}
	}
}

// over reports whether the process has ended.
func (r *running) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// kill kills the process and its child processes and waits for the end. The first reason is recorded.
func (r *running) kill(reason error) {
	r.mu.Lock()
	r.reason = cmp.Or(r.reason, reason)
	r.mu.Unlock()
	if !r.over() {
		_ = child.Signal(r.command.Process, syscall.SIGKILL)
	}
	<-r.done
}

// tailSize is the number of bytes of standard error that are kept, both of the beginning and of the end.
const tailSize = 8 << 10

// endTime limits the wait for the process to end after it has closed its connection.
const endTime = 10 * time.Second

// end waits for the end of a process whose connection is broken, and returns why it ended.
func (r *running) end() error {
	select {
	case <-r.done:
	case <-time.After(endTime):
		r.kill(errors.New("its process closed the connection"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason
}

func (r *running) close() {
	for _, f := range r.files {
		_ = f.Close()
	}
}

// socketPair returns two connected sockets. The second is for a child process.
func socketPair() (net.Conn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("a socket for a function: %w", err)
	}
	mine, child := os.NewFile(uintptr(fds[0]), "function"), os.NewFile(uintptr(fds[1]), "kernel")
	conn, err := net.FileConn(mine)
	_ = mine.Close()
	if err != nil {
		return nil, nil, errors.Join(err, child.Close())
	}
	return conn, child, nil
}
