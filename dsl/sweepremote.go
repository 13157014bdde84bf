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

// remoteSweep is a sweep whose runs workers make.
type remoteSweep struct {
	job   *farm.Job // its orders have the sequence of cells
	cells []int     // the combinations that were handed in, in ascending order

	mu   sync.Mutex // guards lost, which the job sets from other goroutines
	lost error      // of the store that could not keep a result
}

// handIn gives all combinations that the store does not have to the workers at once. It does nothing
// where workers cannot make them, and says why.
// The experiments are made here as well, to be compared by their keys; only their runs are made elsewhere.
func handIn(c *call, s *swept, root *binding) error {
	e := c.e
	if e.session.opt.Runner == nil {
		return nil // nobody makes runs elsewhere
	}
	w, why := workRecipe(c, root)
	if why != "" {
		madeHere(c, why)
		return nil
	}
	a := &remoteSweep{}
	total, stored := 0, 0 // runs in all, and the ones that the store has
	var err error
	// Each combination is evaluated with nothing run, as a worker will do.
	for cell := range s.cells {
		x, wrong := experimentAt(e, s, root, cell)
		if wrong != nil {
			break // the sweep comes to it and says what is wrong
		}
		if x.Draw != nil { // a worker has no Go cell
			madeHere(c, "their rewards are drawn by a function of a Go cell")
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
	if len(w.Orders) == 0 { // everything is stored already, or the first combination has a mistake
		return e.ctx.Err()
	}
	if s.store != nil {
		// Results are stored as they come, in whatever order, so that an interrupt loses none.
		orders := w.Orders
		w.Finished = func(order int, r engine.Result) {
			for _, warned := range r.Warnings {
				if warned.Kind == engine.WarnMixedBuilds { // a store has what this build gives
					return
				}
			}
			a.note(s.store.Keep(e.ctx, orders[order].Experiment, r))
		}
	}
	label := fmt.Sprintf("sweep of %s over %s", w.Orders[0].Experiment.Mode, strings.Join(s.names(), " and "))
	if a.job, err = hand(e, w, label, total, stored); err != nil {
		return err
	}
	s.remote = a
	return nil
}

// note keeps the first error of the store.
// The sweep ends with it when it waits for the next result.
func (a *remoteSweep) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = cmp.Or(a.lost, err)
}

// result waits for the result of a combination; made is false of one that was not handed in.
func (a *remoteSweep) result(e *evaluator, cell int) (r engine.Result, made bool, err error) {
	order, handed := slices.BinarySearch(a.cells, cell) // cells ascend, and an order is the index of its cell
	if !handed {
		return r, false, nil
	}
	r, err = a.job.Result(e.ctx, order)
	// so that messages name the combination that failed, and not the one that was waited for
	if failed := (*farm.ChunkError)(nil); errors.As(err, &failed) {
		e.swept.choose(a.cells[failed.Order]) // the error is about this combination
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// made is false, too, where workers cannot make it: it is made here
	return r, !errors.Is(err, farm.ErrElsewhere), errors.Join(err, a.lost)
}

// rest adds the combinations after the current one that workers have finished, where the sweep ends
// early.
// They are in the table as rows of their own, though combinations before them are missing.
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

// forget drops what a name was under the values so far.
// Keys begin with the name, and go on with a blank and the values.
func (s *swept) forget(name string) {
	for key := range s.memo {
		if key == name || strings.HasPrefix(key, name+" ") {
			delete(s.memo, key)
		}
	}
}
