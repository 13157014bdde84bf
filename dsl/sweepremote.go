package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// remoteSweep is a sweep whose runs are made by workers.
type remoteSweep struct {
	job   *farm.Job // its orders are in the order of cells
	cells []int     // the submitted combinations, in ascending order

	mu   sync.Mutex // guards lost, which other goroutines set
	lost error      // first error of a store that could not keep a result
}

// submitSweep submits all combinations that the store lacks to the workers. If workers cannot make them, it reports why and
// submits nothing. It also makes the experiments in this process, without runs, to compare their keys.
func submitSweep(c *call, s *swept, root *binding) error {
	e := c.e
	if e.session.opt.Runner == nil {
		return nil // there are no workers
	}
	w, why := workRecipe(c, root)
	if why != "" {
		notifyLocalRuns(c, why)
		return nil
	}
	a := &remoteSweep{}
	total, stored := 0, 0 // number of all runs, and of those in the store
	var err error
	// Evaluate each combination without running anything, as a worker will.
	for cell := range s.cells {
		x, wrong := experimentAt(e, s, root, cell)
		if wrong != nil {
			break // stop here; the sweep will reach this combination and report the mistake
		}
		if x.Draw != nil { // a worker has no Go cell that draws rewards
			notifyLocalRuns(c, "a function of a Go cell draws their rewards")
			return nil
		}
		total += x.Runs
		known := false
		if s.store != nil {
			if known, err = s.store.Has(e.ctx, *x); err != nil {
				return err
			}
		}
		if known {
			stored += x.Runs
			continue
		}
		a.cells = append(a.cells, cell)
		w.Orders = append(w.Orders, farm.Order{Cell: cell, Experiment: *x})
	}
	if len(w.Orders) == 0 { // the store has everything, or the first combination has a mistake
		return e.ctx.Err()
	}
	if s.store != nil {
		// Store each result when it arrives, so that an interrupt loses none.
		orders := w.Orders
		w.Finished = func(order int, r engine.Result) {
			for _, warned := range r.Warnings {
				if warned.Kind == engine.WarnMixedBuilds { // a store must contain only results of this build
					return
				}
			}
			a.note(s.store.Keep(e.ctx, orders[order].Experiment, r))
		}
	}
	label := fmt.Sprintf("sweep of %s over %s", w.Orders[0].Experiment.Mode, strings.Join(s.names(), " and "))
	if a.job, err = submitWork(e, w, label, total, stored); err != nil {
		return err
	}
	s.remote = a
	return nil
}

// note records the first error of the store, which ends the sweep at the next result.
func (a *remoteSweep) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = cmp.Or(a.lost, err)
}

// result waits for the result of a combination; made is false if the combination was not submitted.
func (a *remoteSweep) result(e *evaluator, cell int) (r engine.Result, made bool, err error) {
	order, handed := slices.BinarySearch(a.cells, cell) // cells are ascending, and an order has the index of its cell
	if !handed {
		return r, false, nil
	}
	r, err = a.job.Result(e.ctx, order)
	// The message must state the combination that failed, which may be another one than cell.
	if failed := (*farm.ChunkError)(nil); errors.As(err, &failed) {
		e.swept.choose(a.cells[failed.Order])
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// made is also false if workers cannot make the experiment; this process then makes it
	return r, !errors.Is(err, farm.ErrElsewhere), errors.Join(err, a.lost)
}

// rest adds to a sweep that ends early the later combinations that workers have finished, although combinations before them are
// missing.
func (s *swept) rest(out *sim.Sweep) {
	if s.remote == nil {
		return
	}
	for order, cell := range s.remote.cells {
		if cell <= s.cell {
			continue
		}
		if r, ready := s.remote.job.Ready(order); ready {
			out.Rows = append(out.Rows, sim.SweepRow{Values: s.choose(cell), Result: r})
		}
	}
}

// forget drops the computed values of a name. Keys begin with the name, followed by a blank and the axis values.
func (s *swept) forget(name string) {
	for key := range s.memo {
		if key == name || strings.HasPrefix(key, name+" ") {
			delete(s.memo, key)
		}
	}
}
