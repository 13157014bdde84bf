package farm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// Runner hands experiments to workers.
type Runner struct {
	Exchange cluster.Exchange
	Build    Build
	// told sentences, as that nobody answers; from any goroutine; may be nil
	Notice func(string)

	mu    sync.Mutex
	id    string // of all that it hands in
	jobs  int
	beats int // signs of life that it has given

	// 0 means the constant of that name
	beatEach time.Duration // between two signs of life
	silence  time.Duration // until it is told that nobody answers
}

// Work holds the experiments that a Runner is handed.
type Work struct {
	Recipe Recipe            // its Files are filled in by Hand
	Files  map[string][]byte // content of each data file, by the path under which the script reads it
	Orders []Order

	// Finished is given each result as soon as all its runs are there, from any goroutine; may be nil.
	Finished func(order int, r engine.Result)
	Progress func(Progress) // never called concurrently; may be nil
}

// Progress says how far the work is.
type Progress struct {
	Done    int      // runs, of all experiments together
	Workers []string // that have made some, in the order of their first
}

// ErrElsewhere is wrapped by the error of an experiment that workers cannot make.
var ErrElsewhere = errors.New("workers cannot make this experiment")

// Hand hands work in, and returns at once. The end of the context ends the job.
func (r *Runner) Hand(ctx context.Context, w Work) (*Job, error) {
	id, err := r.next()
	if err != nil {
		return nil, err
	}
	if err := r.beat(ctx); err != nil {
		return nil, fmt.Errorf("saying that somebody asks: %w", err)
	}
	w.Recipe.Files = map[string]string{}
	for path, content := range w.Files {
		if w.Recipe.Files[path], err = r.Exchange.Keep(ctx, id, content); err != nil {
			return nil, fmt.Errorf("handing %s to the workers: %w", path, err)
		}
	}
	text, err := json.Marshal(w.Recipe)
	if err != nil {
		return nil, err
	}
	recipe, err := r.Exchange.Keep(ctx, id, text)
	if err != nil {
		return nil, fmt.Errorf("handing the script to the workers: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &Job{
		runner: r, work: w, id: id, recipe: recipe, cancel: cancel, stopped: make(chan struct{}),
		waiting: map[string]*offered{}, ids: map[string]bool{}, takers: map[taker]bool{}, merging: make(chan struct{}, max(1, cores.Of(ctx))),
	}
	for k, o := range w.Orders {
		j.tasks = append(j.tasks, newTask(k, o))
		j.unoffered += o.Experiment.Runs
	}
	j.over.Go(func() { j.drive(ctx) })
	j.over.Go(func() { r.live(ctx) })
	return j, nil
}

// next returns the name of the next job: that of the runner with a number.
func (r *Runner) next() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.id == "" {
		var b [10]byte
		if _, err := rand.Read(b[:]); err != nil {
			return "", err
		}
		r.id = fmt.Sprintf("sweep-%x", b)
	}
	r.jobs++
	return fmt.Sprintf("%s-%d", r.id, r.jobs), nil
}

// runnerOf returns the name of the runner of a job.
func runnerOf(job string) string {
	if k := strings.LastIndexByte(job, '-'); k > 0 {
		return job[:k]
	}
	return job
}

// endName names the fact that a runner hands in no more.
const endName = "end"

// Close says that no more is handed in, by which workers that are there for it alone end.
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

func (r *Runner) notice(format string, a ...any) {
	if r.Notice != nil {
		r.Notice(fmt.Sprintf(format, a...))
	}
}
