package farm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Job is work that was handed in.
type Job struct {
	runner *Runner
	work   Work
	id     string
	recipe string // its hash
	cancel context.CancelFunc
	over   sync.WaitGroup // of the goroutines that drive it

	mu        sync.Mutex
	tasks     []*task
	first     int                 // the tasks before it are all offered
	unoffered int                 // runs of tasks that are not settled
	waiting   map[string]*offered // chunks without a result, by id
	ids       map[string]bool     // of all chunks that were offered
	takers    map[taker]bool      // who made chunks
	workers   []string            // their names in the order of their first result
	runs      int                 // that were made
	seconds   float64             // of a run of the last chunk
	prepare   float64             // seconds that a worker needs before the first run of an experiment
	failed    error               // what ended the job before its end; set before stopped is closed
	stopped   chan struct{}
	stopOnce  sync.Once
	renewed   sync.Once     // whether it was told that chunks are offered again
	merging   chan struct{} // with room for as many as there may be summaries at a time
}

// taker is one of the chunks that a worker makes at a time.
type taker struct {
	worker string
	slot   int
}

// offered is a chunk in the queue.
type offered struct {
	Chunk
	failures int
}

// ChunkError says that runs of an experiment could not be made; it ends the job.
type ChunkError struct {
	Order int // number of the experiment in its job
	text  string
}

func (e *ChunkError) Error() string { return e.text }

// mostFailures ends a job: so often is a chunk tried that cannot be made.
const mostFailures = 3

// Name returns the name of the job on the exchange.
func (j *Job) Name() string { return j.id }

// Result waits for the result of an order. When the context ends, or the job was ended by a chunk that
// could not be made, what is finished of it comes with the error.
func (j *Job) Result(ctx context.Context, order int) (engine.Result, error) {
	t := j.tasks[order]
	select {
	case <-t.ready:
		return t.result, t.err
	case <-j.stopped:
	case <-ctx.Done():
	}
	j.cancel() // a summary under way comes to its end
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.merging {
		j.mu.Unlock()
		<-t.merged
		j.mu.Lock()
	}
	err := cmp.Or(ctx.Err(), j.failed)
	switch {
	case t.settled():
		return t.result, t.err
	case err == nil: // it was closed
		err = context.Canceled
	}
	if t.cut != nil {
		return *t.cut, err
	}
	if t.done == 0 {
		return engine.Result{}, err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel() // the summary of a part has no time for more
	r, bad := t.trials.Result(ended, t.parts...)
	if bad != nil {
		return engine.Result{}, errors.Join(err, bad)
	}
	r.Warnings = append(r.Warnings, t.mixed(j.runner.Build)...)
	return r, err
}

// Ready returns the result of an order where it is there.
func (j *Job) Ready(order int) (engine.Result, bool) {
	t := j.tasks[order]
	if !t.settled() || t.err != nil {
		return engine.Result{}, false
	}
	return t.result, true
}

// Workers returns the names of the workers that made runs, in the order of their first.
func (j *Job) Workers() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.workers)
}

// closing limits the time that taking work back may take.
const closing = 5 * time.Second

// Close ends the job, and takes what is left of it out of the queue.
func (j *Job) Close() error {
	j.cancel()
	j.stop(nil)
	j.over.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return j.runner.Exchange.Withdraw(ctx, j.id)
}

// stop ends the job, with an error or without one.
func (j *Job) stop(err error) {
	j.stopOnce.Do(func() {
		j.mu.Lock()
		j.failed = err
		j.mu.Unlock()
		close(j.stopped)
		j.cancel()
	})
}

// drive offers chunks and takes reports until all tasks are settled.
func (j *Job) drive(ctx context.Context) {
	job := ctx
	ctx, done := context.WithCancel(ctx)
	reports := make(chan cluster.Fact)
	var reading sync.WaitGroup
	reading.Go(func() {
		for f, err := range j.runner.Exchange.Read(ctx, j.id) {
			if err != nil {
				if ctx.Err() == nil {
					j.stop(fmt.Errorf("reading what the workers say: %w", err))
				}
				return
			}
			select {
			case reports <- f:
			case <-ctx.Done():
				return
			}
		}
	})
	defer reading.Wait()
	defer done()
	quiet := j.quiet()
	for {
		if err := j.offer(job); err != nil {
			if ctx.Err() == nil {
				j.stop(err)
			}
			return
		}
		if j.idle() {
			return // the last summaries go on
		}
		late, stop := quiet.begin()
		select {
		case f := <-reports:
			if err := j.take(job, f, quiet); err != nil && ctx.Err() == nil {
				j.stop(err)
			}
		case <-late:
			quiet.late()
		case <-ctx.Done():
			stop()
			return
		}
		stop()
	}
}

// idle reports whether all is offered, and no chunk is without a result.
func (j *Job) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unoffered == 0 && len(j.waiting) == 0
}

// settle ends a task with an error; it needs the lock.
func (j *Job) settle(t *task, err error) {
	if !t.settled() {
		j.unoffered -= t.runs() - t.next
		t.settle(engine.Result{}, err)
	}
}

// take takes what a worker said.
func (j *Job) take(ctx context.Context, f cluster.Fact, q *quiet) error {
	if f.Round == 0 || strings.Contains(f.Name, "-piece-") {
		return nil
	}
	q.answered()
	var r Report
	err := errors.Join(json.Unmarshal(f.Body, &r), cluster.CheckText(f.Body))
	j.mu.Lock()
	c, offered := j.waiting[r.ID], j.ids[r.ID]
	j.mu.Unlock()
	if err == nil && (!offered || !r.at(f)) {
		err = errors.New("it is of no chunk that was handed out, and takes the place of a result")
	}
	if err != nil {
		return fmt.Errorf("what %s said at %s is refused: %w", whose("a worker", f), f.Address(), err)
	}
	r.Worker = whose(r.Worker, f)
	if c == nil { // doubled, or of an experiment that is settled
		return nil
	}
	switch {
	case r.Dropped:
		return j.renew(ctx, c)
	case r.Failed != "":
		return j.failure(c, r)
	}
	made, err := r.outcomes(ctx, j.runner.Exchange, f)
	if err == nil && (len(made) != len(c.Items) || len(r.Seconds) != len(c.Items)) {
		err = fmt.Errorf("%d outcomes and %d times of %d items", len(made), len(r.Seconds), len(c.Items))
	}
	if err != nil {
		return fmt.Errorf("the result of worker %s: %w", r.Worker, err)
	}
	for k, o := range made {
		if o.Other != "" {
			j.mu.Lock()
			j.settle(j.tasks[c.Items[k].Task], fmt.Errorf("%w: %s", ErrElsewhere, o.Other))
			j.mu.Unlock()
			continue
		}
		p, err := o.part(c.Items[k])
		if err != nil {
			return fmt.Errorf("the result of worker %s: %w", r.Worker, err)
		}
		j.accept(ctx, j.tasks[c.Items[k].Task], r, r.Seconds[k], p)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.waiting, r.ID)
	took := 0.0
	for _, seconds := range r.Seconds {
		took += r.Prepare + seconds // each item may have been the first of its experiment
	}
	q.longest = max(q.longest, time.Duration(took*float64(time.Second)))
	j.meet(r)
	if tell := j.work.Progress; tell != nil {
		tell(Progress{Done: j.runs, Workers: j.workers[:len(j.workers):len(j.workers)]})
	}
	return nil
}

// failure counts a failure, and ends the job with the last that is allowed.
func (j *Job) failure(c *offered, r Report) error {
	if r.Item < 0 || r.Item >= len(c.Items) {
		return fmt.Errorf("worker %s failed with item %d of a chunk of %d", r.Worker, r.Item, len(c.Items))
	}
	c.failures++
	if c.failures < mostFailures && !r.Last {
		return nil
	}
	i := c.Items[r.Item]
	return &ChunkError{i.Task, fmt.Sprintf("%s, runs %d to %d: given up after %d failures, the last on worker %s: %s",
		j.tasks[i.Task].what, i.From+1, i.To, c.failures, r.Worker, r.Failed)}
}

// accept takes the part of an item, whose runs took that many seconds.
func (j *Job) accept(ctx context.Context, t *task, r Report, seconds float64, p *sim.Part) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.settled() {
		return
	}
	t.parts = append(t.parts, p)
	t.done += p.Done()
	t.builds[r.Build] = true
	t.measure(seconds / float64(p.Done()))
	j.seconds = t.seconds
	j.runs += p.Done()
	if t.done == t.runs() {
		t.merging = true
		j.over.Go(func() { j.merge(ctx, t) })
	}
}

// meet notes who made a chunk, and how long preparing takes there.
func (j *Job) meet(r Report) {
	if r.Prepare > 0 {
		j.prepare = r.Prepare
	}
	j.takers[taker{r.Worker, r.Slot}] = true
	j.workers = lists.Add(j.workers, r.Worker)
}

// merge makes the result of a task whose runs are all there.
func (j *Job) merge(ctx context.Context, t *task) {
	defer close(t.merged)
	j.merging <- struct{}{}
	defer func() { <-j.merging }()
	j.mu.Lock()
	trials, parts, warnings := t.trials, t.parts, t.mixed(j.runner.Build)
	j.mu.Unlock()
	result, err := trials.Result(ctx, parts...)
	result.Warnings = append(result.Warnings, warnings...)
	interrupted := ctx.Err() != nil // its comparison with the theory may be missing
	if err == nil && !interrupted && j.work.Finished != nil {
		j.work.Finished(t.number, result)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if interrupted && err == nil {
		t.cut = &result
		return
	}
	t.settle(result, err)
}
