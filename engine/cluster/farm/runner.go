package farm

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
)

// Runner hands experiments to workers. One program may have several jobs of one runner, one after the other or at once. Workers
// tell runners apart by their names, which are random. It is safe for concurrent use.
type Runner struct {
	Exchange cluster.Exchange // that workers take chunks from
	Build    Build            // build of this program
	Notice   Listener         // receives that no worker answers, for example; may be nil

	mu    sync.Mutex // guards the three fields below
	id    string     // id of all that it hands in; "" before the first job
	jobs  int        // handed in so far, for their names
	beats int        // signs of life that it has given

	// 0 means the constant of that name
	beatEach time.Duration // between two signs of life
	silence  time.Duration // until it is reported that no worker answers
}

// Listener receives sentences, from any goroutine.
type Listener func(string)

// say passes a sentence to the listener, if there is one.
func (l Listener) say(format string, a ...any) {
	if l != nil {
		l(fmt.Sprintf(format, a...))
	}
}

// Work holds the experiments that a Runner is handed.
type Work struct {
	Recipe Recipe            // its Files are filled in by Hand
	Files  map[string][]byte // content of each data file, by the path under which the script reads it
	Orders []Order           // the experiments that its last statement makes, by which results are numbered

	// Finished is given each result as soon as all its runs are there, from any goroutine; may be nil.
	Finished func(order int, r engine.Result)
	Progress func(Progress) // never called concurrently; may be nil
}

// Progress states how far the work is. Done grows, and never by runs that were recorded before.
type Progress struct {
	Done    int      // runs, of all experiments together
	Workers []string // that have made some, in the order of their first
}

// ErrElsewhere is wrapped by the error of an experiment that workers cannot make. Its task ends with it, and the caller may make
// the experiment here; others continue.
var ErrElsewhere = errors.New("workers cannot make this experiment")

// Hand hands work in, and returns at once. The end of the context ends the job. The first sign of life comes before anything
// else, and the files before the chunks: a worker that sees a chunk finds the rest. An error is one of the exchange; experiments
// that cannot be made have errors of their own.
func (r *Runner) Hand(ctx context.Context, w Work) (*Job, error) {
	// the name of a job is also the run of its files, facts and work
	id := r.next()
	err := r.beat(ctx)
	if err != nil {
		return nil, fmt.Errorf("sending the request to the workers: %w", err)
	}
	w.Recipe.Files = map[string]string{}
	for path, content := range w.Files {
		if w.Recipe.Files[path], err = r.Exchange.Keep(ctx, id, content); err != nil {
			return nil, fmt.Errorf("sending %s to the workers: %w", path, err)
		}
	}
	text, err := json.Marshal(w.Recipe)
	if err != nil {
		return nil, err
	}
	recipe, err := r.Exchange.Keep(ctx, id, text)
	if err != nil {
		return nil, fmt.Errorf("sending the script to the workers: %w", err)
	}
	// from here on the job has to be closed, or its context to end
	ctx, cancel := context.WithCancel(ctx)
	j := &Job{
		runner: r, work: w, id: id, recipe: recipe, cancel: cancel, stopped: make(chan struct{}),
		waiting: map[string]*offered{}, ids: map[string]bool{}, takers: map[taker]bool{}, merging: make(chan struct{}, max(1, cores.Of(ctx))),
	}
	for k, o := range w.Orders {
		j.tasks = append(j.tasks, &task{order: o, number: k, what: o.Experiment.Algorithm + " on " + o.Experiment.Problem.Name,
			builds: map[Build]bool{}, merged: make(chan struct{}), ready: make(chan struct{})})
		j.unoffered += o.Experiment.Runs
	}
	j.over.Go(func() { j.drive(ctx) })
	j.over.Go(func() { // what hinders a sign is met by whatever else is published
		await.Every(ctx, cmp.Or(r.beatEach, beatEach), func() { _ = r.beat(ctx) })
	})
	return j, nil
}

// next returns the name of the next job: the runner's name with a number. The runner's own name is made with its first job.
func (r *Runner) next() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id == "" {
		var b [10]byte
		// 80 random bits
		_, _ = rand.Read(b[:]) // never fails
		r.id = fmt.Sprintf("sweep-%x", b)
	}
	r.jobs++
	return fmt.Sprintf("%s-%d", r.id, r.jobs)
}

// runnerOf returns the name of the runner of a job. A name without a number is returned unchanged.
func runnerOf(job string) string {
	if k := strings.LastIndexByte(job, '-'); k > 0 {
		return job[:k]
	}
	return job
}

// endName names the fact that a runner hands in no more.
const endName = "end"

// Close states that no more is handed in, by which workers that are there for it alone end. It is to be called after the last job.
// A runner that handed nothing in has nothing to say.
func (r *Runner) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	return r.Exchange.Publish(ctx, cluster.Fact{Run: r.id, Name: endName})
}

// Sizes of chunks.
const (
	leastWork = 0.05 // seconds of a chunk: the queue takes about a thousandth of that
	// seconds of a chunk for each that is made at a time: all together the server and the runner
	// then have about 2 ms for each
	workEach    = 0.002
	prepareWork = 3  // times what a worker needs to prepare an experiment
	leastQueue  = 32 // chunks in the queue while there are some to offer
	queueEach   = 3  // chunks in the queue for each that is made at a time
	mostItems   = 64 // of a chunk
	shares      = 3  // chunks per busy worker slot into which the remaining runs are cut, so that workers finish together
)

// offer puts chunks into the queue, as many as workers may want soon. It ends when the queue has enough, or all is offered. The
// context is the job's.
func (j *Job) offer(ctx context.Context) error {
	for {
		c, err := j.chunk(ctx)
		if err != nil || len(c.Items) == 0 {
			return err
		}
		// before the queue has it: its report may come at once
		j.mu.Lock()
		j.waiting[c.id()], j.ids[c.id()] = &offered{Chunk: c}, true
		j.mu.Unlock()
		if err := j.put(ctx, c); err != nil {
			return err
		}
	}
}

// put puts a chunk into the queue.
func (j *Job) put(ctx context.Context, c Chunk) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return j.runner.Exchange.Offer(ctx, j.id, cluster.Work{Run: j.id, ID: c.id(), Body: body})
}

// chunk cuts the next chunk, which is empty if the queue is full or nothing is left. A task that
// cannot be prepared is settled with its error. It has items of one task after the other until it is enough work. Preparing is
// done here, so that keys are known before workers see the chunk. Only the goroutine that drives the job calls it.
func (j *Job) chunk(ctx context.Context) (Chunk, error) {
	c := Chunk{Revision: sim.ResultsRevision, Build: j.runner.Build, Recipe: j.recipe}
	j.mu.Lock()
	defer j.mu.Unlock()
	// as many as are made at a time, and twice that for quick workers
	if len(j.waiting) >= max(leastQueue, queueEach*len(j.takers)) {
		return c, nil
	}
	for seconds := 0.0; len(c.Items) < mostItems; {
		t := j.nextTask()
		if t == nil {
			break
		}
		// summaries may end and settle tasks meanwhile
		err := func() error {
			j.mu.Unlock() // preparing takes long
			defer j.mu.Lock()
			return t.prepare(ctx)
		}()
		// the end of the job is not an error of the task
		if err != nil && ctx.Err() != nil {
			return c, ctx.Err()
		}
		if err != nil {
			j.settle(t, err)
			continue
		}
		i := Item{Task: t.number, Cell: t.order.Cell, Key: t.key, Name: t.name, From: t.next, To: t.next + j.size(t)}
		// from now on these runs are offered, whether or not the queue has them
		t.next = i.To
		j.unoffered -= i.To - i.From
		c.Items = append(c.Items, i)
		// what a worker will need for it, as far as that is known
		seconds += j.prepare + float64(i.To-i.From)*cmp.Or(t.seconds, j.seconds)
		if j.enough(c.runs(), seconds) {
			break
		}
	}
	return c, nil
}

// nextTask returns the first task that has something to offer; nil without one. Tasks before first never have anything to offer
// again. It needs the lock.
func (j *Job) nextTask() *task {
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

// wanted returns the seconds of a chunk. This and what follows need the lock of the job, as nextTask does.
func (j *Job) wanted() float64 { return max(leastWork, workEach*float64(len(j.takers))) }

// fair returns how many of the remaining runs a chunk may take. With the shares that are left for each taker the last chunks
// become smaller and smaller.
func (j *Job) fair() int { return j.unoffered / (shares * max(1, len(j.takers))) }

// size returns how many runs the next item of a task has. It is the work of a chunk, but no more than a fair share of all, nor
// than the task has. It is at least one run.
func (j *Job) size(t *task) int {
	seconds := cmp.Or(t.seconds, j.seconds)
	if seconds == 0 {
		return 1
	}
	// preparing an experiment pays where more of its runs follow
	wanted := max(j.wanted(), prepareWork*j.prepare)
	size := int(min(math.Ceil(wanted/seconds), float64(t.runs()-t.next)))
	// leastWork bounds the share from below: chunks that are too small cost more than they gain
	return max(1, min(size, max(j.fair(), int(leastWork/seconds))))
}

// enough reports whether a chunk of that many runs, which take that long, is large enough. The first chunks are always large enough, since
// the time of a run is unknown. Later ones are by their time, or by their share if little is left.
func (j *Job) enough(runs int, seconds float64) bool {
	return j.seconds == 0 || seconds >= j.wanted() || seconds >= leastWork && runs >= j.fair()
}
