package dsl

import (
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/fit"
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
