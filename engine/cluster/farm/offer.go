package farm

import (
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
	shares      = 3  // chunks for each that is made at a time, of what is left: the last ones end together
)

// offer puts chunks into the queue, as many as workers may want soon. A task that cannot be prepared
// is settled with its error.
func (j *Job) offer(ctx context.Context) error {
	for {
		t := j.nextTask()
		if t == nil {
			return nil
		}
		if t.trials == nil { // nobody else has it before its first chunk
			if err := t.prepare(ctx); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				j.settle(t, err)
				continue
			}
		}
		c := j.cut(t)
		body, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if err := j.runner.Exchange.Offer(ctx, j.id, cluster.Work{Run: j.id, ID: c.id(), Body: body}); err != nil {
			return err
		}
	}
}

// nextTask returns the first task of which something is to be offered; nil while the queue is full.
func (j *Job) nextTask() *task {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) >= max(leastQueue, queueEach*len(j.takers)) {
		return nil
	}
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

// cut takes the next chunk off a task.
func (j *Job) cut(t *task) Chunk {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := Chunk{
		Revision: sim.ResultsRevision, Build: j.runner.Build, Recipe: j.recipe, Task: t.number, Cell: t.order.Cell,
		Key: t.key, Name: t.name, From: t.next, To: t.next + j.size(t),
	}
	t.next = c.To
	j.unoffered -= c.To - c.From
	j.waiting[c.id()] = &offered{Chunk: c}
	return c
}

// size returns how many runs the next chunk of a task has.
func (j *Job) size(t *task) int {
	left := t.runs() - t.next
	seconds := t.seconds
	if seconds == 0 {
		seconds = j.seconds
	}
	if seconds == 0 {
		return 1
	}
	wanted := max(leastWork, workEach*float64(len(j.takers)), prepareWork*j.prepare)
	size := int(min(math.Ceil(wanted/seconds), float64(left)))
	fair := j.unoffered / (shares * max(1, len(j.takers)))
	return max(1, min(size, max(fair, int(leastWork/seconds))))
}

// measure notes how long the runs of a chunk took, and who made them. The first run of an
// experiment pays for the designs of all, so the shortest time counts.
func (j *Job) measure(t *task, r Report, runs int) {
	seconds := max(r.Seconds/float64(runs), 1e-9)
	if t.seconds == 0 || seconds < t.seconds {
		t.seconds = seconds
	}
	j.seconds = t.seconds
	if r.Prepare > 0 {
		j.prepare = r.Prepare
	}
	j.takers[taker{r.Worker, r.Slot}] = true
	if !slices.Contains(j.workers, r.Worker) {
		j.workers = append(j.workers, r.Worker)
	}
}
