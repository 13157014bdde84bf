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
	job   *farm.Job
	cells []int // the combinations that were handed in, in ascending order

	mu   sync.Mutex
	lost error // of the store that could not keep a result
}

// handIn gives all combinations that the store does not have to the workers at once. It does nothing
// where workers cannot make them, and says why.
func handIn(c *call, s *swept, root *binding) error {
	e := c.e
	if e.session.opt.Runner == nil {
		return nil
	}
	w, why := workRecipe(c, root)
	if why != "" {
		madeHere(c, why)
		return nil
	}
	a := &remoteSweep{}
	total, stored := 0, 0
	var err error
	for cell := range s.cells {
		x, wrong := experimentAt(e, s, root, cell)
		if wrong != nil {
			break // the sweep comes to it and says what is wrong
		}
		if x.Draw != nil {
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
	if len(w.Orders) == 0 {
		return e.ctx.Err()
	}
	if s.store != nil {
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
func (a *remoteSweep) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = cmp.Or(a.lost, err)
}

// result waits for the result of a combination; made is false of one that was not handed in.
func (a *remoteSweep) result(e *evaluator, cell int) (r engine.Result, made bool, err error) {
	order, handed := slices.BinarySearch(a.cells, cell)
	if !handed {
		return r, false, nil
	}
	r, err = a.job.Result(e.ctx, order)
	if failed := (*farm.ChunkError)(nil); errors.As(err, &failed) {
		e.swept.choose(a.cells[failed.Order]) // the error is about this combination
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return r, !errors.Is(err, farm.ErrElsewhere), errors.Join(err, a.lost)
}

// rest adds the combinations after the current one that workers have finished, where the sweep ends
// early.
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
func (s *swept) forget(name string) {
	for key := range s.memo {
		if key == name || strings.HasPrefix(key, name+" ") {
			delete(s.memo, key)
		}
	}
}
