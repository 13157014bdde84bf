package dsl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Runner makes the runs of experiments somewhere else, as farm.Runner.
type Runner interface {
	Hand(ctx context.Context, w farm.Work) (*farm.Job, error)
}

// workRecipe returns what workers make the experiments of a call from: the definitions that it rests on,
// the call itself, and the files that were read. Root is the result that it sweeps, nil for no
// sweep. Where workers cannot make them, it says why.
func workRecipe(c *call, root *binding) (w farm.Work, why string) {
	e, s := c.e, c.e.session
	var used []string
	for name := range namesIn(&front.Statement{Node: c.node}) {
		if e.scope[name] != nil {
			used = append(used, name)
		}
	}
	slices.SortFunc(used, func(a, b string) int { return e.scope.time(a) - e.scope.time(b) })
	text, missing := s.Closure(used...)
	if len(missing) > 0 {
		return w, fmt.Sprintf("it rests on %s, a value of a Go cell", missing[0])
	}
	if why := restsOnRuns(c, used, root); why != "" {
		return w, why
	}
	w.Recipe = farm.Recipe{Name: e.st.Source.File, Folder: s.opt.Folder, Script: text + e.st.Text(c.node) + "\n", Seed: s.opt.Seed}
	if _, errs := Parse(w.Recipe.Name, w.Recipe.Script); len(errs) > 0 {
		return w, "its text cannot stand by itself"
	}
	w.Files = map[string][]byte{}
	for _, f := range s.sources {
		content, err := e.read(f.Path)
		if err != nil {
			return w, fmt.Sprintf("%s cannot be read again", f.Path)
		}
		w.Files[f.Path] = content
	}
	return w, ""
}

// restsOnRuns says which other result the experiments of a call go by: a worker would have to make its
// runs first.
func restsOnRuns(c *call, used []string, root *binding) string {
	scope := c.e.scope
	runs := func(n ast.Node) (calls int) {
		for _, call := range scope.callsIn(n) {
			if fn := scope.function(call.Callee.(*ast.IdentifierNode).Value); fn.Result == Result || fn.Result == Sweep {
				calls++
			}
		}
		return calls
	}
	if runs(c.node) > 1 {
		return "it rests on the result of other runs"
	}
	for _, name := range used {
		for _, below := range scope.below(name) {
			b := scope[below]
			switch {
			case b == root && runs(b.st.Node) > 1:
				return fmt.Sprintf("%s rests on the result of other runs", below)
			case b != root && runs(b.st.Node) > 0:
				return fmt.Sprintf("it rests on %s, the result of other runs", below)
			}
		}
	}
	return ""
}

// madeHere says that the runs of a call are made here, and why.
func madeHere(c *call, why string) {
	c.e.session.notice(fmt.Sprintf("the runs of %s are made here and not by workers: %s", c.e.st.Text(c.node), why))
}

// performAway has workers make the runs of an experiment. Made is false where they are to be made here.
func performAway(c *call, x sim.Experiment) (r engine.Result, made bool, err error) {
	e := c.e
	switch s := e.swept; {
	case s != nil && s.away != nil:
		r, made, err = s.away.result(e, s.cell)
		s.fresh = s.fresh || made
	case s == nil && e.session.opt.Runner != nil && x.Runs > 1:
		r, made, err = performOne(c, x)
	}
	if errors.Is(err, farm.ErrElsewhere) {
		madeHere(c, strings.TrimPrefix(err.Error(), farm.ErrElsewhere.Error()+": "))
		return engine.Result{}, false, nil
	}
	return r, made, err
}

// performOne hands the experiment of fc or fb to the workers.
func performOne(c *call, x sim.Experiment) (engine.Result, bool, error) {
	e := c.e
	if x.Draw != nil {
		madeHere(c, "their rewards are drawn by a function of a Go cell")
		return engine.Result{}, false, nil
	}
	w, why := workRecipe(c, nil)
	if why != "" {
		madeHere(c, why)
		return engine.Result{}, false, nil
	}
	w.Orders = []farm.Order{{Cell: farm.Single, Experiment: x}}
	if e.teller != nil {
		label := c.fn.Name + " " + x.Algorithm
		w.Progress = func(p farm.Progress) {
			e.teller.update(Activity{Label: label, Done: p.Done, Total: x.Runs, Note: noteOfWorkers(p.Workers)})
		}
		w.Progress(farm.Progress{})
	}
	job, err := e.session.opt.Runner.Hand(e.ctx, w)
	if err != nil {
		return engine.Result{}, true, err
	}
	defer job.Close() // what it would say of the server was said before
	r, err := job.Result(e.ctx, 0)
	return r, true, err
}

// noteOfWorkers names who makes runs.
func noteOfWorkers(names []string) string {
	const most = 4
	switch n := len(names); {
	case n == 0:
		return "waiting for workers"
	case n == 1:
		return "1 worker: " + names[0]
	case n <= most:
		return fmt.Sprintf("%d workers: %s", n, strings.Join(names, ", "))
	default:
		return fmt.Sprintf("%d workers: %s and %d more", n, strings.Join(names[:most], ", "), n-most)
	}
}
