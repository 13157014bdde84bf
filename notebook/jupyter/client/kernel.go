package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// Info is the description that a kernel gives of itself.
type Info struct {
	Protocol              string         `json:"protocol_version"`
	Implementation        string         `json:"implementation"`
	ImplementationVersion string         `json:"implementation_version"`
	Banner                string         `json:"banner"`
	Language              map[string]any `json:"language_info"`
}

// Kernel is a running kernel. Its methods may be called from several goroutines;
// requests on one channel are answered in the order in which they were sent.
type Kernel struct {
	Spec Spec // what it was started from
	Info Info // what it says about itself

	dir     string
	process *process
	client  *jupyter.Client
	calls   *jupyter.Calls
	killing sync.Once

	routing  sync.WaitGroup // ends when all that the kernel sent has been handed on
	patience time.Duration  // how long a kernel has to end after it was asked to

	failing sync.Once
	failed  chan struct{} // closed when no answer can come any more
	failure error         // why; valid after failed
}

// decode reads the content of a message of the kernel.
func decode(m *jupyter.Message, v any) error {
	if err := m.Decode(v); err != nil {
		return fmt.Errorf("message %s from the kernel cannot be decoded: %w", m.Header.Type, plainJSON(err))
	}
	return nil
}

// route hands every message of a channel to the request that caused it. Messages without a waiting
// request are dropped.
func (k *Kernel) route(ch jupyter.Channel) {
	k.calls.Deliver(ch, nil)
	k.routing.Done()
	// Mostly because the process is about to end, which says more.
	if !k.process.wait(endingTime) {
		k.fail(errors.New("the connection to the kernel is lost"))
	}
}

// watch ends what waits for a kernel that has died, after what it still sent has come.
func (k *Kernel) watch() {
	<-k.process.dead
	delivered := make(chan struct{})
	go func() {
		k.routing.Wait()
		close(delivered)
	}()
	select {
	case <-delivered:
	case <-time.After(lingerTime):
	}
	k.fail(k.process.ending())
}

// lingerTime limits the wait for the last messages of a kernel where something else holds its
// sockets, endingTime the time that a process that has closed them takes to end.
const (
	lingerTime = 10 * time.Second
	endingTime = 10 * time.Second
)

func (k *Kernel) fail(why error) {
	k.failing.Do(func() {
		k.failure = why
		close(k.failed)
	})
}

// Request sends a request and waits for its reply, which says itself whether it
// succeeded. It ends with an error when the context ends or the kernel dies.
func (k *Kernel) Request(ctx context.Context, ch jupyter.Channel, msgType string, content any) (*jupyter.Message, error) {
	r := k.calls.Open(k.client.Session().New(msgType, nil, content))
	defer k.calls.Drop(r)
	k.client.Send(ch, r.Request)
	for {
		select {
		case a := <-r.Arrivals:
			if a.Reply() {
				return a.Message, nil
			}
		case <-k.failed:
			return nil, k.failure
		case <-ctx.Done():
			return nil, fmt.Errorf("no reply to %s: %w", msgType, context.Cause(ctx))
		}
	}
}

// Interrupt stops what the kernel executes, in the way that its kernelspec asks for.
// It does not wait: the interrupted execution answers when it has stopped.
func (k *Kernel) Interrupt() {
	if k.Spec.InterruptMode != "message" {
		k.process.signal(syscall.SIGINT)
		return
	}
	k.client.Send(jupyter.ControlChannel, k.client.Session().New("interrupt_request", nil, struct{}{}))
}

// How long a kernel has to end after it was asked to, and after SIGTERM. The sum is
// Jupyter's shutdown_wait_time.
const (
	shutdownTime  = 4 * time.Second
	terminateTime = time.Second
)

// Shutdown ends the kernel: it asks, then sends SIGTERM, then SIGKILL, which also
// ends what is left of the processes that the kernel started. A context that ends
// shortens the wait. The kernel cannot be used afterwards; a second call does nothing.
func (k *Kernel) Shutdown(ctx context.Context) {
	asked, cancel := context.WithTimeout(ctx, k.patience)
	defer cancel()
	k.client.Send(jupyter.ControlChannel, k.client.Session().New("shutdown_request", nil, map[string]bool{"restart": false}))
	select {
	case <-k.process.dead:
	case <-asked.Done():
		k.process.signal(syscall.SIGTERM)
		k.process.wait(terminateTime)
	}
	k.Kill()
}

// Kill ends the kernel and the processes that it started at once.
func (k *Kernel) Kill() {
	k.killing.Do(func() {
		if k.process != nil {
			k.process.signal(syscall.SIGKILL)
			<-k.process.dead
		}
		if k.client != nil {
			_ = k.client.Close()
		}
		_ = os.RemoveAll(k.dir)
	})
}
