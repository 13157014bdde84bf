package dsl

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// compareKernels fits several kernels to one problem.
func compareKernels(fitted []Param) Function {
	params := []Param{
		problemParam,
		{Name: "kernels", Synonyms: []string{"kernel", "k"}, Types: []Type{List}, Doc: "a list of kernels, which the table calls by their bound names"},
	}
	for _, p := range fitted {
		if p.Name == "mean" || p.Name == "noise" || p.Name == "starts" {
			params = append(params, p)
		}
	}
	return bound(Function{
		Name: "compare_kernels", Section: SectionProblems, Synonyms: []string{"fit_all", "select_kernel", "model_selection"},
		Doc:    "fits several kernels to the means of a problem, and sets marginal likelihood, leave-one-out prediction and the test for lack of fit side by side",
		Params: params, Result: Table,
		Example: "compare_kernels(paper(case=2), [task(identity()) * arm(linear()), arm(linear())])",
	}, func(c *call, _ compareArgs) { kernelList(c) }, evalCompareKernels)
}

// compareArgs are the arguments of compare_kernels, but for the kernels.
type compareArgs struct {
	searchArgs
	P *problem.Problem
}

// evalCompareKernels evaluates compare_kernels(...).
func evalCompareKernels(c *call, a compareArgs) (any, error) {
	list, _ := kernelList(c)
	var names []string
	var fits []fit.Fit
	for i, k := range list {
		f, err := a.fit(c, a.P, k.Data.(kernels.Joint), "kernels", i, len(list))
		if wrong := (*argumentError)(nil); errors.As(err, &wrong) { // of this kernel
			c.failWith(&k.argument, wrong)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		names, fits = append(names, fmt.Sprint(k.label)), append(fits, f)
	}
	return report.CompareFits(names, fits), nil
}

// kernelList returns the list of kernels as joint ones, and reports what is none.
func kernelList(c *call) ([]labelled, bool) {
	a := c.arg("kernels")
	list, known := c.labelled(a)
	if !known {
		return nil, false
	}
	before := c.e.mistakes
	if len(list) == 0 {
		c.fail(&a, fmt.Sprintf("%s: kernels is an empty list; it must be a list of kernels, at least one", c.fn.Name), "write [k1, k2]")
	}
	seen := map[any]bool{}
	for i := range list {
		switch x := &list[i]; {
		case !x.Type.isKernel() && x.Type != anything:
			c.fail(&x.argument, fmt.Sprintf("%s: kernels has %s; it must be a list of kernels", c.fn.Name, x.Type.a()), "")
		case seen[x.label]:
			c.fail(&x.argument, fmt.Sprintf("%s: kernels has %v twice", c.fn.Name, x.label), "")
		default:
			seen[x.label] = true
			c.checkArgument(Param{Name: "kernels", Types: []Type{Joint}}, &x.argument)
		}
	}
	return list, c.e.mistakes == before
}

// notedArms is the number of arms up to which problem looks at the rank of its kernel: that takes the
// cube of it in operations, here some tens of milliseconds. Runs look at any number.
const notedArms = 400

// kernelNotes says when the kernel of a problem admits every truth on its arms. Of a kernel that is
// identity() as written it says nothing, since that is what was asked for, and nothing of one with
// free numbers, which are still to be found.
//
// Of more arms it says when the kernel tells very many directions apart at a tenth of the scatter of
// the rewards: what that costs is better known before anything is sampled.
func kernelNotes(ctx context.Context, p *problem.Problem) []problem.Note {
	if free, err := p.Kernel.Free(); err != nil || len(free) > 0 || isIdentity(p) {
		return nil
	}
	if p.N() > notedArms {
		return roughNotes(ctx, p, model.Scatter(p)/10)
	}
	m, err := model.NewContext(ctx, p, 0)
	if err != nil {
		return nil // what is wrong is said by whatever needs the model
	}
	return notesOf(m.Relations().KernelWarnings())
}

// isIdentity reports whether the kernel of a problem is written as a multiple of identity().
func isIdentity(p *problem.Problem) bool {
	for _, t := range p.Kernel.Terms {
		_, task := t.Task.(kernels.Identity)
		_, arm := t.Arm.(kernels.Identity)
		if !arm || !task && p.V() > 1 {
			return false
		}
	}
	return true
}

// roughNotes says when the kernel of a problem tells very many directions apart at an accuracy.
func roughNotes(ctx context.Context, p *problem.Problem, epsilon float64) []problem.Note {
	r, err := model.Resolve(ctx, p, epsilon)
	if err != nil {
		return nil // what is wrong is said by whatever needs the model
	}
	return notesOf(r.Warnings())
}

// notesOf returns warnings as notes of a problem.
func notesOf(warnings []engine.Warning) []problem.Note {
	var out []problem.Note
	for _, w := range warnings {
		out = append(out, w.Note())
	}
	return out
}
