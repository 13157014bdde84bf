package farm

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// A runner that is killed cannot take its chunks back. So it gives signs of life, and a worker that has read no new sign for a while gives
// up the chunks of that runner: it takes them out of the queue and publishes that it did. A runner that was only cut off, or whose machine
// slept, reads that and offers them again. The worker measures the silence by its own clock.

const (
	beatEach = 20 * time.Second // between two signs of life of a runner
	silent   = 2 * time.Minute  // without a new sign until a runner counts as gone
	checks   = 8                // of a worker in that time
	// so soon after a check a worker checks again only if a runner counts as gone
	checkSoon = 5 * time.Second
)

// beatName names the signs of life of a runner: sign number k has round k.
const beatName = "alive"

// beat publishes the next sign of life. A number counts once something is there, be it another party's: workers look for the next
// one, and see none behind a gap. Two jobs that give the same sign at once give one.
func (r *Runner) beat(ctx context.Context) error {
	r.mu.Lock()
	f := cluster.Fact{Run: r.id, Round: r.beats + 1, Name: beatName}
	r.mu.Unlock()
	err := r.Exchange.Publish(ctx, f)
	if err == nil || errors.As(err, new(*cluster.ConflictError)) {
		r.mu.Lock()
		r.beats = max(r.beats, f.Round)
		r.mu.Unlock()
	}
	return err
}

// errGone ends the chunks of a runner that counts as gone.
var errGone = errors.New("the program that requested these runs does not answer")

// caller is a runner as a worker sees it. A worker has one for each runner whose chunks it met.
type caller struct {
	mu       sync.Mutex // guards the fields below; held while the server is asked, so that one slot asks for all
	beats    int        // the number of its latest sign of life; 0 if it gives none
	heard    time.Time  // when that was seen first; or when the worker first met the runner
	checked  time.Time  // when the worker looked last; zero before the first look
	reported sync.Once  // that it was given up
}

// caller returns the record of a runner. A new record has now as the time of the last sign of life.
func (w *Worker) caller(name string) *caller {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.callers == nil {
		w.callers = map[string]*caller{}
	}
	if w.callers[name] == nil {
		w.callers[name] = &caller{heard: time.Now()}
	}
	return w.callers[name]
}

// expired reports whether a runner has been silent for too long. It returns false for a runner that has never given a sign, which another
// version may be, and if the server cannot be asked. It asks the server at most every few seconds while the runner is known to be there,
// and each time once it counts as gone: a runner that comes back is heard at once.
func (w *Worker) expired(ctx context.Context, runner string) bool {
	limit := w.silence()
	c := w.caller(runner)
	c.mu.Lock()
	defer c.mu.Unlock()
	// heard a moment ago, or looked at a moment ago
	if over := time.Since(c.heard) > limit; !over && c.beats > 0 && time.Since(c.checked) < min(checkSoon, limit/checks) {
		return false
	}
	c.checked = time.Now()
	latest, err := w.latest(ctx, runner, c.beats)
	if err != nil {
		return false // a server that cannot be asked says nothing about the runner
	}
	if latest > c.beats {
		c.beats, c.heard = latest, time.Now()
	}
	// a runner that has never given a sign is never gone
	return c.beats > 0 && time.Since(c.heard) > limit
}

// silence returns the time without a sign after that a runner counts as gone.
func (w *Worker) silence() time.Duration { return cmp.Or(w.silent, silent) }

// latest returns the number of the latest sign of life, given a known one: it doubles the step until there is none, and then halves it. The
// signs have no gap, so that one number implies all before it. It costs about two questions for each doubling of their number.
func (w *Worker) latest(ctx context.Context, runner string, known int) (int, error) {
	for step, grows := 1, true; step > 0; {
		_, there, err := w.Exchange.Find(ctx, runner, known+step, beatName)
		if err != nil {
			// an error says nothing about the signs: the known number is kept
			return known, err
		}
		if there {
			known += step
		}
		// steps of 1, 2, 4 and so on while there are signs, and then of half the last one, down to 1
		if grows = grows && there; grows {
			step *= 2
		} else {
			step /= 2
		}
	}
	return known, nil
}

// untilGone returns a context that ends with errGone when a runner counts as gone. The function that it returns ends the looking
// and waits for its end; it has to be called.
func (w *Worker) untilGone(ctx context.Context, runner string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		// eight looks in the time of silence: a runner is noticed to be gone soon after it
		await.Every(ctx, w.silence()/checks, func() {
			if w.expired(ctx, runner) {
				cancel(errGone)
			}
		})
	})
	return ctx, func() { cancel(nil); looking.Wait() }
}

// giveUp says once that a runner counts as gone.
func (w *Worker) giveUp(runner string) {
	w.caller(runner).reported.Do(func() {
		w.Notice.say("gives up the work of %s, which has sent no message for %v", runner, w.silence())
	})
}

// renew offers a chunk again that a worker gave up, since it had heard nothing of this runner. The runs are the same, and so is the address
// of their result. A notice states so once in a job.
func (j *Job) renew(ctx context.Context, c *offered) error {
	// under the lock, as the id changes with the number of offers
	j.mu.Lock()
	delete(j.waiting, c.id())
	c.Again++
	j.waiting[c.id()], j.ids[c.id()] = c, true
	j.mu.Unlock()
	j.renewed.Do(func() {
		j.runner.Notice.say("a worker gave up runs, because it received no message of this program for a while. They are offered again")
	})
	return j.put(ctx, c.Chunk)
}

// silence is the least time without an answer before it is reported.
const silence = 15 * time.Second

// quiet notices that workers do not answer, once for each time that they are silent, and that they answer
// again. It is of the goroutine that drives the job.
type quiet struct {
	least    time.Duration // of a silence
	longest  time.Duration // that a chunk took so far; by what workers say it took them
	heard    bool          // whether anybody has answered; since the job began
	reported bool          // whether the silence was reported
	notice   func(format string, a ...any)
}

func (j *Job) quiet() *quiet {
	return &quiet{least: cmp.Or(j.runner.silence, silence), notice: j.runner.Notice.say}
}

// limit returns the silence that is reported: longer than any chunk took, with as much again for one that is slower. Twice the longest
// chunk: another one may take as long again.
func (q *quiet) limit() time.Duration { return max(q.least, 2*q.longest) }

// begin returns a channel that receives when the limit, counted from now, is over; nil if the silence was reported already. It is called
// before each wait. The stop has to be called when the wait is over.
func (q *quiet) begin() (late <-chan time.Time, stop func()) {
	if q.reported {
		return nil, func() {}
	}
	t := time.NewTimer(q.limit())
	return t.C, func() { t.Stop() }
}

// answered notes an answer. A report with any content is an answer. The next silence is reported again.
func (q *quiet) answered() {
	if q.reported && q.heard {
		q.notice("workers answer again")
	}
	q.heard, q.reported = true, false
}

// late reports that the limit is over. It names what people can do about it: start workers.
func (q *quiet) late() {
	q.reported = true
	if !q.heard {
		q.notice("no worker has answered in %v, so the runs wait. Start one with gonb-cope worker --server URL", q.limit())
		return
	}
	q.notice("no worker has answered for %v, longer than any earlier piece of work. If the workers ended, start others with gonb-cope "+
		"worker --server URL. They repeat the unfinished work", q.limit())
}
