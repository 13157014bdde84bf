package dsl

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Remake evaluates a recipe of experiments without making any run, and without writing files. It is
// the Maker of engine/cluster/farm.
func Remake(ctx context.Context, r farm.Recipe, read func(path string) ([]byte, error)) (farm.Source, error) {
	script, errs := Parse(r.Name, r.Script)
	if len(errs) > 0 {
		return nil, errs
	}
	m := new(remade)
	session := NewSession(Options{Folder: r.Folder, Seed: r.Seed, Host: reading{}, readFile: read, making: m})
	if _, err := session.Eval(ctx, script); err != nil {
		return nil, err
	}
	if m.sweep == nil && m.last == nil {
		return nil, errors.New("the script makes no experiment")
	}
	return m, nil
}

// remade is a farm.Source: a session whose experiments are made and not run.
type remade struct {
	last  *sim.Experiment // that was met
	call  *call           // of the sweep; nil without one
	sweep *swept
	root  *binding
}

// take keeps an experiment in place of making its runs.
func (m *remade) take(x sim.Experiment) { m.last = &x }

// Experiment implements farm.Source.
func (m *remade) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	switch {
	case cell == farm.Single && m.sweep == nil:
		return *m.last, nil
	case cell == farm.Single || m.sweep == nil || cell < 0 || cell >= m.sweep.cells:
		return sim.Experiment{}, fmt.Errorf("the script makes no experiment number %d", cell)
	}
	e := m.call.e
	e.ctx, m.last = ctx, nil
	x, err := experimentAt(e, m.sweep, m.root, cell)
	if err != nil {
		return sim.Experiment{}, err
	}
	return *x, nil
}

// experimentAt makes the experiment of a combination of a sweep and no run of it, and forgets that it
// did. It is an error where the combination has none, or more than one.
func experimentAt(e *evaluator, s *swept, root *binding, cell int) (*sim.Experiment, error) {
	var found []sim.Experiment
	outer, before, mistakes := e.collect, len(e.errs), e.mistakes
	e.collect = func(x sim.Experiment) { found = append(found, x) }
	s.cell = cell
	s.choose(cell)
	s.under(e, root)
	s.forget(root.name)
	e.collect = outer
	errs := e.errs[before:]
	e.errs, e.mistakes = e.errs[:before:before], mistakes
	stopped := e.stopped
	e.stopped = nil
	switch {
	case stopped != nil:
		return nil, stopped
	case len(errs) > 0:
		return nil, errs
	case len(found) != 1:
		return nil, fmt.Errorf("a combination of the sweep makes %d experiments", len(found))
	}
	return &found[0], nil
}

// reading is the file system for those who must not write.
type reading struct{ files }

var errWriting = errors.New("nothing is written where experiments are only made")

func (reading) Save(string, any) error      { return errWriting }
func (reading) Store(string) (Store, error) { return nil, errWriting }
