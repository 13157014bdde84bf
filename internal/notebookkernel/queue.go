package notebookkernel

import (
	"context"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/jupyter"
)

// request is a message with the time at which it arrived.
type request struct {
	message *jupyter.Message
	arrived time.Time
}

// queue holds the requests that wait. It grows as needed, so that reading never
// waits for executing: the time of arrival decides what an error aborts.
type queue struct {
	mu    sync.Mutex
	wait  []request
	token chan struct{} // holds a token while something waits
}

func newQueue() *queue { return &queue{token: make(chan struct{}, 1)} }

func (q *queue) push(m *jupyter.Message) {
	q.mu.Lock()
	q.wait = append(q.wait, request{m, time.Now()})
	q.mu.Unlock()
	select {
	case q.token <- struct{}{}:
	default:
	}
}

// pop returns the oldest request, or false when the context has ended.
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
