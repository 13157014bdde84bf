package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
)

// Worker makes the runs of jobs. Its slots work side by side and share what was evaluated. Made may be asked meanwhile.
type Worker struct {
	Exchange cluster.Exchange // where work is taken from and results go to
	Make     Maker            // evaluates recipes
	Name     string           // shown to who asks; letters, digits and -
	Build    Build            // build of this program
	Slots    int              // chunks at a time; 0 means one for each core that the context allows
	Mixed    bool             // whether it works for other builds, too, which then state so in their results
	Once     bool             // whether it ends with the first Runner that it works for
	Notice   Listener         // receives the job it works for, for example; may be nil

	mu      sync.Mutex                  // guards the three fields below
	caches  recent[string, recipeCache] // by job and recipe
	runner  string                      // that it works for
	callers map[string]*caller          // by the names of the runners; nil before the first
	silent  time.Duration               // until a runner counts as gone; 0 means the constant of that name
	made    atomic.Int64                // runs
}

// Made returns how many runs the worker has made and handed over. Runs that another worker has made as well are among them.
func (w *Worker) Made() int { return int(w.made.Load()) }

// Causes that end a worker.
var (
	// ErrBuild is wrapped by the error of a worker that meets a job of another build.
	ErrBuild = errors.New("the request comes from another build of gonb-cope")
	errOver  = errors.New("no more work is offered")
)

// Times are far below Patience, after which the server would hand a chunk out again.
const (
	aliveEach  = cluster.Patience / 5 // between two signs of life of a chunk
	onceWait   = 2 * time.Second      // between two looks whether the job is over
	returnTime = 5 * time.Second      // to give a chunk back after an interrupt
	// so often a chunk is begun that ends every program that tries it
	mostAttempts = 25
)

// Serve takes chunks and makes them, until the context ends: chunks under way then go back to the queue. Before that it ends with an error
// only, or after its job if it is to do one. Errors that end it are the ones of the exchange, of chunks that it cannot read, of another
// build, and a report that contradicts another worker's.
func (w *Worker) Serve(ctx context.Context) error {
	slots := w.Slots
	if slots < 1 {
		slots = cores.Of(ctx)
	}
	// stop is the caller's context, which reports whether the end was wanted
	stop := ctx
	// the cores are shared among the slots
	ctx, cancel := context.WithCancelCause(cores.Share(ctx, slots))
	defer cancel(nil)
	var all sync.WaitGroup
	for slot := range slots {
		all.Go(func() {
			// one chunk after the other
			for ctx.Err() == nil {
				// the first error ends all slots; the ones after it come from that
				if err := w.next(ctx, slot); err != nil && ctx.Err() == nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	err := context.Cause(ctx)
	if stop.Err() != nil || errors.Is(err, errOver) {
		return nil
	}
	return err
}

// next takes a chunk and makes it. Its error ends the worker. A chunk is taken, looked at, made, reported and done, in this
// order. Whatever ends that before, the chunk goes back, or comes back by itself after the patience.
func (w *Worker) next(ctx context.Context, slot int) error {
	taken, err := w.take(ctx)
	if err != nil {
		return err
	}
	work := taken.Work()
	// its own runner is over: others make this chunk
	if w.foreign(ctx, work.Run) {
		if err := back(ctx, taken); err != nil {
			return err
		}
		return errOver
	}
	var c Chunk
	err = json.Unmarshal(work.Body, &c)
	// a chunk of another revision may have other fields, and is refused by suits
	if err == nil && c.Revision == sim.ResultsRevision {
		err = c.check()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the chunk %s of %s cannot be read: %w", work.ID, work.Run, err), back(ctx, taken))
	}
	if err := w.suits(c); err != nil {
		return errors.Join(err, back(ctx, taken))
	}
	// only now is it known that it will work for that runner
	w.begin(work.Run)
	// from here to the report the server receives signs of life
	ended := w.alive(ctx, taken)
	defer ended()
	r := w.report(ctx, taken, c)
	// finished runs are lost, and made again elsewhere
	if ctx.Err() != nil {
		return back(ctx, taken)
	}
	r.ID, r.Worker, r.Slot, r.Build = c.id(), w.Name, slot, w.Build
	name := c.fact("runs")
	// Failures and drops are facts of their own, by attempt. The result has one address, which the first worker takes.
	switch {
	case r.Dropped:
		name = fmt.Sprintf("%s-%d-%d", c.fact("dropped"), c.Again, taken.Attempt())
	case r.Failed != "":
		name = fmt.Sprintf("%s-%d", c.fact("failed"), taken.Attempt())
	}
	// the report is published before the chunk is done, see the package
	if err := r.publish(ctx, w.Exchange, work.Run, c, name); err != nil {
		if ctx.Err() != nil {
			return back(ctx, taken)
		}
		return err
	}
	// others try it
	if r.Failed != "" && !r.Last {
		i := c.Items[r.Item]
		w.Notice.say("runs %d to %d of experiment %d of %s failed: %s", i.From+1, i.To, i.Task+1, work.Run, r.Failed)
		return back(ctx, taken)
	}
	// counted once they are published
	if r.Made != nil {
		w.made.Add(int64(c.runs()))
	}
	// a chunk that was given up for good is done as well: it has left the queue
	if err := taken.Done(ctx); err != nil || !r.Dropped {
		return ignore(ctx, err)
	}
	w.giveUp(runnerOf(work.Run))
	if w.Once {
		return errOver
	}
	return nil
}

// report makes the runs of a chunk. It gives the chunk up where its runner counts as gone before or meanwhile. It asks for the
// runner again while it works. Runs that were made for a runner that is gone are thrown away.
func (w *Worker) report(ctx context.Context, t cluster.Taken, c Chunk) (r Report) {
	job := t.Work().Run
	switch {
	// before anything is fetched or evaluated
	case w.expired(ctx, runnerOf(job)):
		return Report{Dropped: true}
	// a chunk that takes all memory leaves no report, so that handings out are counted
	case t.Attempt() > mostAttempts:
		return Report{Failed: fmt.Sprintf("it was begun %d times, but no worker finished it", mostAttempts), Last: true}
	}
	// the runs end with making; what was evaluated stays for other chunks, under ctx
	making, made := w.untilGone(ctx, runnerOf(job))
	defer made()
	w.fill(ctx, making, job, c, &r)
	// the errors of runs that were cut off say no more than this
	if errors.Is(context.Cause(making), errGone) {
		return Report{Dropped: true}
	}
	return r
}

// ignore drops an error that comes with the end of the context.
func ignore(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// back gives a chunk back, also after an interrupt. The server hands it to another worker after the patience in any case.
func back(ctx context.Context, t cluster.Taken) error {
	// the context may have ended already
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	return ignore(ctx, t.Back(late))
}

// take returns the next chunk. A worker that is there for one runner looks now and then whether that runner has ended. Before it works for
// a runner, or if it is there for all, it waits without looking.
func (w *Worker) take(ctx context.Context) (cluster.Taken, error) {
	for {
		w.mu.Lock()
		runner := w.runner
		w.mu.Unlock()
		if !w.Once || runner == "" {
			return w.Exchange.Take(ctx)
		}
		waiting, cancel := context.WithTimeout(ctx, onceWait)
		t, err := w.Exchange.Take(waiting)
		// whether it was the look that was due and not an error
		late := waiting.Err() != nil
		cancel()
		if err == nil {
			return t, nil
		}
		if ctx.Err() != nil || !late {
			return nil, err
		}
		if w.over(ctx, runner) {
			return nil, errOver
		}
	}
}

// over reports whether a runner hands in nothing more: the runner has published that, or it is gone, which a notice says.
func (w *Worker) over(ctx context.Context, runner string) bool {
	// an error says nothing
	if _, over, err := w.Exchange.Find(ctx, runner, 0, endName); err == nil && over {
		return true
	}
	if !w.expired(ctx, runner) {
		return false
	}
	w.giveUp(runner)
	return true
}

// foreign reports a chunk that a worker for one runner leaves to others: its own runner is over.
// While that continues it makes the chunks of all who ask, as other workers do.
func (w *Worker) foreign(ctx context.Context, job string) bool {
	w.mu.Lock()
	runner := w.runner
	w.mu.Unlock()
	return w.Once && runner != "" && runnerOf(job) != runner && w.over(ctx, runner)
}

// begin notes for whom the worker works; one that is there for one runner, for the first. A worker that stays reports each change of
// runner.
func (w *Worker) begin(job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if runner := runnerOf(job); w.runner != runner && !(w.Once && w.runner != "") {
		w.runner = runner
		w.Notice.say("works for %s", runner)
	}
}

// suits reports a chunk of another program. Results of another revision are other results by intent, whatever --mixed says.
func (w *Worker) suits(c Chunk) error {
	switch {
	case c.Revision != sim.ResultsRevision:
		return fmt.Errorf("%w. Its results have revision %d, but this worker has revision %d. Start the worker with the same "+
			"version", ErrBuild, c.Revision, sim.ResultsRevision)
	case c.Build != w.Build && !w.Mixed:
		return fmt.Errorf("%w. It is %s, but this worker is %s, so the last digits of numbers, and then samples and answers, may differ. "+
			"Start the worker with the same program, or with --mixed, which the results then report", ErrBuild, c.Build, w.Build)
	}
	return nil
}

// alive sends signs of life now and then, until the function that it returns is called. The function waits for a sign that is on its way.
func (w *Worker) alive(ctx context.Context, t cluster.Taken) (ended func()) {
	ctx, cancel := context.WithCancel(ctx)
	var said sync.WaitGroup
	said.Go(func() { await.Every(ctx, aliveEach, func() { _ = t.Alive(ctx) }) }) // where one is lost the next may arrive
	return func() { cancel(); said.Wait() }
}

// fill makes the runs of a chunk and puts what came of them into the report. Making ends the runs, and ctx
// what stays for chunks to come. Item is the first that failed, and Made is nil then. Prepare is the mean over the items for
// which nothing was ready.
func (w *Worker) fill(ctx, making context.Context, job string, c Chunk, r *Report) {
	made := make([]Outcome, len(c.Items))
	fresh := 0
	for k, i := range c.Items {
		var prepared, seconds float64
		var err error
		made[k], prepared, seconds, err = w.item(ctx, making, job, c, i)
		if err != nil {
			r.Failed, r.Item = err.Error(), k
			return
		}
		if prepared > 0 {
			fresh++
			// a running mean
			r.Prepare += (prepared - r.Prepare) / float64(fresh)
		}
		r.Seconds = append(r.Seconds, seconds)
	}
	var err error
	if r.Made, err = json.Marshal(made); err != nil {
		r.Failed = err.Error()
	}
}

// item makes the runs of an item. Prepared are the seconds before that, if nothing was ready. A panic in the code of an
// experiment becomes its error, so that a worker outlives it.
func (w *Worker) item(ctx, making context.Context, job string, c Chunk, i Item) (o Outcome, prepared, seconds float64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("defect in gonb-cope (please report it): %v\n%s", p, debug.Stack())
		}
	}()
	// evaluating the recipe counts as preparing, where this item is the first of it
	began := time.Now()
	trials, fresh, err := w.trials(ctx, job, c, i)
	// an answer, not a failure: the runner settles the task
	if other := (*otherError)(nil); errors.As(err, &other) {
		return Outcome{Other: err.Error()}, 0, 0, nil
	}
	if err != nil {
		return o, 0, 0, err
	}
	// an item for which all was there has no time of preparing
	if fresh {
		prepared = time.Since(began).Seconds()
	}
	// the time of the runs alone
	began = time.Now()
	p, err := trials.RunPart(making, i.From, i.To)
	seconds = time.Since(began).Seconds()
	if err == nil {
		o.Part, err = p.MarshalBinary()
	}
	return o, prepared, seconds, err
}
