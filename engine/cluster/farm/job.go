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

// Job is work that was handed in. One goroutine drives it: it cuts chunks, offers them, and takes reports. Summaries are made by
// others beside it. It has to be closed.
type Job struct {
	runner *Runner            // that handed it in
	work   Work               // unchanged since it was handed in
	id     string             // its name: the run of its facts and its queue
	recipe string             // its hash
	cancel context.CancelFunc // ends driving, summaries and signs of life
	over   sync.WaitGroup     // of the goroutines that drive it

	mu        sync.Mutex          // guards the fields down to failed
	tasks     []*task             // one for each order; the list itself never changes
	first     int                 // the tasks before it are all offered; or settled
	unoffered int                 // runs of tasks that are not settled; only the ones that were not offered yet
	waiting   map[string]*offered // chunks without a result, by id; an entry goes when its result was taken
	ids       map[string]bool     // ids of all chunks that were offered
	takers    map[taker]bool      // who made chunks; their number is how many chunks are made at a time
	workers   []string            // their names in the order of their first result
	runs      int                 // that were made
	seconds   float64             // of a run of the last chunk; 0 before the first result
	// seconds that preparing an experiment takes, as reported by the last worker that prepared one
	prepare  float64
	failed   error         // what ended the job before its end; set before stopped is closed
	stopped  chan struct{} // closed by stop
	stopOnce sync.Once
	renewed  sync.Once     // whether it was reported that chunks are offered again
	merging  chan struct{} // with room for as many as there may be summaries at a time
}

// taker is one of the chunks that a worker makes at a time.
type taker struct {
	worker string // its name
	slot   int    // which of its chunks, from 0
}

// offered is a chunk in the queue. Only the goroutine that drives the job writes to it.
type offered struct {
	Chunk
	failures int // by workers, so far
}

// ChunkError states that runs of an experiment could not be made; it ends the job. Everything that was finished before stays; see
// Job.Result.
type ChunkError struct {
	Order int    // number of the experiment in its job
	text  string // names the experiment, its runs, the worker and the failure
}

func (e *ChunkError) Error() string { return e.text }

// mostFailures ends a job: so often is a chunk tried that cannot be made. Another machine may succeed where one failed: it has
// more memory, or a sound processor.
const mostFailures = 3

// Name returns the name of the job on the exchange. Workers show it in their messages.
func (j *Job) Name() string { return j.id }

// Result waits for the result of an order. When the context ends, or the job was ended by a chunk that could not be made, its finished part
// is returned with the error. A context that ends ends the job, too, so that a summary under way comes to its end. The result is then the
// summary of the runs that are there.
func (j *Job) Result(ctx context.Context, order int) (engine.Result, error) {
	t := j.tasks[order]
	select {
	// settled: the usual end
	case <-t.ready:
		return t.result, t.err
	case <-j.stopped:
	case <-ctx.Done():
	}
	j.cancel() // a summary under way comes to its end
	j.mu.Lock()
	defer j.mu.Unlock()
	// the summary of this very task is under way, and ends soon
	if t.merging {
		j.mu.Unlock()
		<-t.merged
		j.mu.Lock()
	}
	// the caller's own end says more than the job's
	err := cmp.Or(ctx.Err(), j.failed)
	switch {
	case t.settled():
		return t.result, t.err
	case err == nil: // it was closed
		err = context.Canceled
	}
	// all runs were there, and the summary was cut off
	if t.cut != nil {
		return *t.cut, err
	}
	if t.done == 0 { // nothing of it was made
		return engine.Result{}, err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel() // the summary of a part has no time for more
	// under the lock: parts may still come
	r, bad := t.trials.Result(ended, t.parts...)
	if bad != nil {
		return engine.Result{}, errors.Join(err, bad)
	}
	r.Warnings = append(r.Warnings, t.mixed(j.runner.Build)...)
	return r, err
}

// Ready returns the result of an order if it is there. It is false while runs or the summary are missing, and where there is
// an error. It waits for nothing.
func (j *Job) Ready(order int) (engine.Result, bool) {
	t := j.tasks[order]
	if !t.settled() || t.err != nil {
		return engine.Result{}, false
	}
	return t.result, true
}

// Workers returns the names of the workers that made runs, in the order of their first. The list is a copy.
func (j *Job) Workers() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.workers)
}

// closing limits the time that taking work back may take. A server that is away must not hold up the end of the program.
const closing = 5 * time.Second

// Close ends the job, and takes what is left of it out of the queue. The work of workers that is under way is not interrupted; its results
// are not read. An error states that the queue may still have chunks. Workers give them up some time after the runner has ended.
func (j *Job) Close() error {
	j.cancel()
	// before the goroutines are waited for, since stop ends them
	j.stop(nil)
	j.over.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return j.runner.Exchange.Withdraw(ctx, j.id)
}

// stop ends the job, with an error or without one. The first call counts. Error and channel are set in this order, so that a goroutine that
// sees the channel closed finds the error.
func (j *Job) stop(err error) {
	j.stopOnce.Do(func() {
		j.mu.Lock()
		j.failed = err
		j.mu.Unlock()
		close(j.stopped)
		j.cancel()
	})
}

// drive offers chunks and takes reports until all tasks are settled. It ends with the last report that is needed, with an error,
// or with the context.
func (j *Job) drive(ctx context.Context) {
	// ctx ends the reading when driving ends; job continues for summaries
	job := ctx
	ctx, done := context.WithCancel(ctx)
	// reports are handed over one by one: taking one changes what is offered next
	reports := make(chan cluster.Fact)
	var reading sync.WaitGroup
	reading.Go(func() {
		for f, err := range j.runner.Exchange.Read(ctx, j.id) {
			if err != nil {
				if ctx.Err() == nil {
					j.stop(fmt.Errorf("reading the messages of the workers: %w", err))
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
	// deferred calls run in reverse: reading is ended, and then waited for
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
			return // the last summaries continue
		}
		// a new limit for each wait: any report is a sign that workers are there
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

// idle reports whether all is offered, and no chunk is without a result. Then only summaries are left.
func (j *Job) idle() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unoffered == 0 && len(j.waiting) == 0
}

// settle ends a task with an error; it needs the lock. Runs of it that were not offered are no longer missing.
func (j *Job) settle(t *task, err error) {
	if !t.settled() {
		j.unoffered -= t.runs() - t.next
		t.settle(engine.Result{}, err)
	}
}

// take takes what a worker said. An error ends the job: what a worker said is of no chunk, cannot be used, or is the last failure that is
// allowed. Every client with the right to publish results may write it, so everything in it is checked.
func (j *Job) take(ctx context.Context, f cluster.Fact, q *quiet) error {
	// pieces are read with their report
	if f.Round == 0 || strings.Contains(f.Name, "-piece-") {
		return nil
	}
	// any fact shows that a worker is there
	q.answered()
	var r Report
	err := errors.Join(json.Unmarshal(f.Body, &r), cluster.CheckText(f.Body))
	// ids stay after a chunk has its result, waiting does not
	j.mu.Lock()
	c, offered := j.waiting[r.ID], j.ids[r.ID]
	j.mu.Unlock()
	if err == nil && (!offered || !r.at(f)) {
		err = errors.New("it belongs to no chunk of this job, but is stored as a result")
	}
	if err != nil {
		return fmt.Errorf("the message of %s at %s is refused: %w", whose("a worker", f), f.Address(), err)
	}
	r.Worker = whose(r.Worker, f)
	if c == nil { // doubled, or of an experiment that is settled
		return nil
	}
	// without outcomes
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
	// one item after the other, each for its own task
	for k, o := range made {
		// the script makes another experiment on workers: the task ends, and the others continue
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
	// last, so that the job is not idle while parts are missing
	delete(j.waiting, r.ID)
	took := 0.0
	for _, seconds := range r.Seconds {
		took += r.Prepare + seconds // each item may have been the first of its experiment
	}
	q.longest = max(q.longest, time.Duration(took*float64(time.Second)))
	j.meet(r)
	// the list is cut to its length, as it grows later
	if tell := j.work.Progress; tell != nil {
		tell(Progress{Done: j.runs, Workers: j.workers[:len(j.workers):len(j.workers)]})
	}
	return nil
}

// failure counts a failure, and ends the job with the last that is allowed. Below the limit there is nothing to do: the worker has put the
// chunk back, and another takes it. A failure that the worker calls final, as for a chunk that ends every program that begins it, counts at
// once.
func (j *Job) failure(c *offered, r Report) error {
	if r.Item < 0 || r.Item >= len(c.Items) {
		return fmt.Errorf("worker %s failed with item %d of a chunk of %d", r.Worker, r.Item, len(c.Items))
	}
	c.failures++
	if c.failures < mostFailures && !r.Last {
		return nil
	}
	// the item that failed, in a chunk of several experiments
	i := c.Items[r.Item]
	return &ChunkError{i.Task, fmt.Sprintf("%s, runs %d to %d: stopped after %d failures, the last on worker %s: %s",
		j.tasks[i.Task].what, i.From+1, i.To, c.failures, r.Worker, r.Failed)}
}

// accept takes the part of an item, whose runs took that many seconds. Parts of a task that is settled are dropped. With the
// last part the summary begins.
func (j *Job) accept(ctx context.Context, t *task, r Report, seconds float64, p *sim.Part) {
	j.mu.Lock()
	defer j.mu.Unlock()
	// it was settled with an error
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

// meet notes who made a chunk, and how long preparing takes there. It needs the lock.
func (j *Job) meet(r Report) {
	if r.Prepare > 0 {
		j.prepare = r.Prepare
	}
	j.takers[taker{r.Worker, r.Slot}] = true
	j.workers = lists.Add(j.workers, r.Worker)
}

// merge makes the result of a task whose runs are all there. It runs beside driving. An interrupted summary is kept for later calls, and
// does not settle the task.
func (j *Job) merge(ctx context.Context, t *task) {
	defer close(t.merged)
	// as many summaries at a time as there are cores
	j.merging <- struct{}{}
	defer func() { <-j.merging }()
	// what the summary rests on changes no more: all parts are there
	j.mu.Lock()
	trials, parts, warnings := t.trials, t.parts, t.mixed(j.runner.Build)
	j.mu.Unlock()
	// without the lock, as it may take long
	result, err := trials.Result(ctx, parts...)
	result.Warnings = append(result.Warnings, warnings...)
	interrupted := ctx.Err() != nil // its comparison with the theory may be missing
	// before the task is settled: a caller that waits for the result finds it reported
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
