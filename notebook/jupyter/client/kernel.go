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

// Info is the kernel's kernel_info_reply.
type Info struct {
	Protocol              string         `json:"protocol_version"`
	Implementation        string         `json:"implementation"`
	ImplementationVersion string         `json:"implementation_version"`
	Banner                string         `json:"banner"`
	Language              map[string]any `json:"language_info"`
}

// Kernel is a running kernel. Several goroutines may call its methods. Requests on one channel are answered in the order
// in which they were sent.
type Kernel struct {
	Spec Spec // kernelspec that started the kernel
	Info Info // the kernel's description of itself

	dir     string
	process *process
	client  *jupyter.Client
	calls   *jupyter.Calls
	killing sync.Once

	routing  sync.WaitGroup // ends when all messages from the kernel have been delivered
	patience time.Duration  // limit for the kernel to end after a shutdown_request

	failing sync.Once
	failed  chan struct{} // closed when no more answers can arrive
	failure error         // the reason; valid after failed is closed
}

// decode decodes the content of a kernel's message into v.
func decode(m *jupyter.Message, v any) error {
	if err := m.Decode(v); err != nil {
		return fmt.Errorf("message %s from the kernel cannot be decoded: %w", m.Header.Type, plainJSON(err))
	}
	return nil
}

// route delivers the messages of a channel to the requests that caused them, until the connection ends. Messages without a
// waiting request are dropped.
func (k *Kernel) route(ch jupyter.Channel) {
	k.calls.Deliver(ch, nil)
	k.routing.Done()
	// Usually the process is about to end, and its error explains more.
	if !k.process.wait(endingTime) {
		k.fail(errors.New("the connection to the kernel is lost"))
	}
}

// watch waits until the process of the kernel has ended and its last messages are delivered. It then makes all waiting
// requests fail.
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

// lingerTime limits the wait for the last messages of a dead kernel, whose sockets another process may hold open.
// endingTime limits the wait for the process to end after its connection is lost.
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

// Request sends a request and waits for its reply, whose status field states success or failure. It returns an error if
// the context ends or the kernel dies.
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

// Interrupt interrupts the kernel in the way that its kernelspec requires (signal or message). It does not wait: the
// interrupted execution replies when it has stopped.
func (k *Kernel) Interrupt() {
	if k.Spec.InterruptMode != "message" {
		k.process.signal(syscall.SIGINT)
		return
	}
	k.client.Send(jupyter.ControlChannel, k.client.Session().New("interrupt_request", nil, struct{}{}))
}

// shutdownTime limits the wait after a shutdown_request, and terminateTime the wait after SIGTERM. The sum is Jupyter's
// shutdown_wait_time.
const (
	shutdownTime  = 4 * time.Second
	terminateTime = time.Second
)

// Shutdown ends the kernel: it sends a shutdown_request, then SIGTERM, then SIGKILL. SIGKILL also ends processes that the
// kernel started. If the context ends, the wait is shorter. The kernel cannot be used afterwards. A second call has no
// effect.
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

// Kill immediately ends the kernel and the processes that it started, and removes its files.
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
