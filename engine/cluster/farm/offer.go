package farm

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// What chunks are cut by.
const (
	leastWork = 0.05 // seconds of a chunk: the queue takes about a thousandth of that
	// seconds of a chunk for each that is made at a time: all together the server and the one who asks
	// then have about 2 ms for each
	workEach    = 0.002
	prepareWork = 3  // times what a worker needs to prepare an experiment
	leastQueue  = 32 // chunks in the queue while there are some to offer
	queueEach   = 3  // chunks in the queue for each that is made at a time
	mostItems   = 64 // of a chunk
	shares      = 3  // chunks for each that is made at a time, of what is left: the last ones end together
)

// offer puts chunks into the queue, as many as workers may want soon.
func (j *Job) offer(ctx context.Context) error {
	for {
		c, err := j.chunk(ctx)
		if err != nil || len(c.Items) == 0 {
			return err
		}
		body, err := json.Marshal(c)
		if err != nil {
			return err
		}
		j.mu.Lock()
		j.waiting[c.id()], j.ids[c.id()] = &offered{Chunk: c}, true
		j.mu.Unlock()
		if err := j.runner.Exchange.Offer(ctx, j.id, cluster.Work{Run: j.id, ID: c.id(), Body: body}); err != nil {
			return err
		}
	}
}

// chunk cuts the next chunk, which is empty where the queue is full or nothing is left. A task that
// cannot be prepared is settled with its error.
func (j *Job) chunk(ctx context.Context) (Chunk, error) {
	c := Chunk{Revision: sim.ResultsRevision, Build: j.runner.Build, Recipe: j.recipe}
	if j.full() {
		return c, nil
	}
	for seconds := 0.0; len(c.Items) < mostItems; {
		t := j.nextTask()
		if t == nil {
			return c, nil
		}
		if err := t.prepare(ctx); err != nil {
			if ctx.Err() != nil {
				return c, ctx.Err()
			}
			j.settle(t, err)
			continue
		}
		i, took := j.cut(t)
		c.Items = append(c.Items, i)
		seconds += took
		if j.enough(c.runs(), seconds) {
			return c, nil
		}
	}
	return c, nil
}

// full reports whether the queue has as many chunks as workers may want soon.
func (j *Job) full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.waiting) >= max(leastQueue, queueEach*len(j.takers))
}

// nextTask returns the first task of which something is to be offered; nil without one.
func (j *Job) nextTask() *task {
	j.mu.Lock()
	defer j.mu.Unlock()
	for ; j.first < len(j.tasks); j.first++ {
		t := j.tasks[j.first]
		if t.settled() || t.next == t.runs() {
			continue
		}
		if j.seconds == 0 && t.next > 0 { // nothing is measured yet: of each experiment the first run
			if k := slices.IndexFunc(j.tasks[j.first:], func(t *task) bool { return t.next == 0 }); k >= 0 {
				return j.tasks[j.first+k]
			}
		}
		return t
	}
	return nil
}

// cut takes the next item off a task, and returns how long it will take.
func (j *Job) cut(t *task) (i Item, seconds float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i = Item{Task: t.number, Cell: t.order.Cell, Key: t.key, Name: t.name, From: t.next, To: t.next + j.size(t)}
	t.next = i.To
	j.unoffered -= i.To - i.From
	return i, j.prepare + float64(i.To-i.From)*cmp.Or(t.seconds, j.seconds)
}

// wanted returns the seconds of a chunk.
func (j *Job) wanted() float64 { return max(leastWork, workEach*float64(len(j.takers))) }

// fair returns how many runs of what is left a chunk may take.
func (j *Job) fair() int { return j.unoffered / (shares * max(1, len(j.takers))) }

// size returns how many runs the next item of a task has.
func (j *Job) size(t *task) int {
	seconds := cmp.Or(t.seconds, j.seconds)
	if seconds == 0 {
		return 1
	}
	wanted := max(j.wanted(), prepareWork*j.prepare)
	size := int(min(math.Ceil(wanted/seconds), float64(t.runs()-t.next)))
	return max(1, min(size, max(j.fair(), int(leastWork/seconds))))
}

// enough reports whether a chunk of that many runs, which take that long, is large enough. Nothing is
// known of the first chunks.
func (j *Job) enough(runs int, seconds float64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seconds == 0 || seconds >= j.wanted() || seconds >= leastWork && runs >= j.fair()
}
