package client

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/child"
)

// process is a kernel's process, in its own process group.
type process struct {
	cmd  *exec.Cmd
	tail *tail
	dead chan struct{} // closed when the process has ended
	err  error         // how it ended; valid after dead
}

// pipeDelay limits the wait for output that children of an ended kernel may still write to its
// pipe.
const pipeDelay = 500 * time.Millisecond

// launch starts a process. The goroutine that forks keeps its thread until the
// process has ended: on Linux the signal that a child gets when its parent dies is
// sent when the thread that forked it ends.
func launch(argv, env []string, dir string, output io.Writer) (*process, error) {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), tail: &tail{to: output}, dead: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.tail, p.tail
	p.cmd.WaitDelay = pipeDelay
	p.cmd.SysProcAttr = child.Attributes(syscall.SIGTERM)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		close(p.dead)
	}()
	if err := <-started; err != nil {
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

// interrupt sends what ^C sends, to the kernel and to what it started, as Jupyter does. Where there are no signals only
// kernels whose interrupt_mode is message can be interrupted.
func (p *process) interrupt() { _ = child.Signal(p.cmd.Process, syscall.SIGINT) }

// terminate asks the process and what it started to end.
func (p *process) terminate() { _ = child.Signal(p.cmd.Process, syscall.SIGTERM) }

// kill ends the process and what it started.
func (p *process) kill() { _ = child.Signal(p.cmd.Process, syscall.SIGKILL) }

// ending says how the process ended, with what it wrote last.
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

// tail passes on what is written and remembers its end.
type tail struct {
	to  io.Writer // nil for nobody
	mu  sync.Mutex
	end []byte
}

// tailSize limits the bytes of a kernel's own output that an error quotes.
const tailSize = 2000

// Write never fails, so that a reader that is gone does not stop the kernel.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.to != nil {
		_, _ = t.to.Write(b)
	}
	t.end = append(t.end, b[max(0, len(b)-tailSize):]...)
	if cut := len(t.end) - tailSize; cut > 0 {
		t.end = append(t.end[:0], t.end[cut:]...)
	}
	return len(b), nil
}

// String returns the last lines that were written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.end)
	if len(text) == tailSize { // begins within a line
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}
