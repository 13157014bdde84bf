package dsl

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// kernelAuto is the kernel of a problem that is found from its measurements.
const kernelAuto = "auto"

// bestFunction returns the function that answers from measurements.
func bestFunction() Function {
	return bound(Function{
		Name: "best", Section: SectionProblems, Synonyms: []string{"answer", "predict", "recommend", "best_params", "best_arm"},
		Doc: "the best arm of every task by what was measured, how sure that is, and what to measure next; kernel, level and noise are " +
			"found from the measurements and averaged over, whatever kernel the problem has",
		Params: []Param{
			problemParam,
			{Name: "epsilon", Synonyms: []string{"eps", "tolerance"}, Range: fromZero, Default: "0", Doc: "an arm this close to the best is good enough, in reward units"},
			{Name: "next", Synonyms: []string{"n", "batch", "suggest"}, Range: kernels.Range{Min: 0, Max: answer.MaxNext}, Default: "0",
				Doc: "how many further measurements to propose, of all tasks together"},
		},
		Result: typeOf[answer.Answer](), Example: `best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)`,
	}, nil, evalBest)
}

// evalBest evaluates best(...).
func evalBest(c *call, a struct {
	P       *problem.Problem
	Epsilon float64
	Next    int
}) (any, error) {
	return given(computed(c, func() (answer.Answer, error) {
		b, begun := c.e.session.believed, 0.0 // by which the kernel of p was found, or of another problem
		if b == nil || b.Usable != a.P {
			var err error
			begun = 0.7 // about
			if b, err = believe(c, a.P, begun); err != nil {
				return answer.Answer{}, err
			}
		}
		x, err := answer.Of(c.e.ctx, b, answer.Options{
			Epsilon: a.Epsilon, Next: a.Next, Progress: sharing(c, "how sure, and what to measure next", begun, 1),
		})
		if err != nil {
			return answer.Answer{}, err
		}
		return *x, nil
	}))
}

// findKernel returns the problem under the kernel that is found from its measurements, which it must have, and
// what these say; nil where the kernel was found before.
func findKernel(c *call, p *problem.Problem) (*problem.Problem, *belief.Belief, error) {
	kept := c.e.session.opt.found
	if x, k, err := kept.take(c.e.ctx, "problem"); err != nil {
		return nil, nil, err
	} else if x != nil {
		p = p.Logarithmic(x.Log).WithKernel(k)
		p.KernelFound = x.InRun
		return p, nil, nil
	}
	if p.Means() == nil {
		return nil, nil, fmt.Errorf("problem %q has no measurements to find a kernel from; give kernel=, as in kernel=task(identity()) * arm(rbf(1))", p.Name)
	}
	b, err := believe(c, p, 1)
	if err != nil {
		return nil, nil, err
	}
	kept.keep(c.e.ctx, foundKernel{Function: "problem", Log: b.Log, InRun: true}, b.Usable.Kernel)
	return b.Usable, b, nil
}

// believing is what is under way while a belief is computed.
const believing = "what the measurements say"

// believe computes what the measurements of a problem say, which is the work of the function up to a share.
func believe(c *call, p *problem.Problem, share float64) (*belief.Belief, error) {
	return belief.Of(c.e.ctx, p, belief.Options{Memory: &c.e.session.memory, Progress: sharing(c, believing, 0, share)})
}

// sharing returns the function to which a part of the only step of a function tells how much of it is done; nil where nobody
// is told.
func sharing(c *call, note string, from, to float64) func(share float64) {
	if c.e.teller == nil {
		return nil
	}
	tell := c.e.teller.update
	return func(share float64) {
		tell(Activity{Label: c.fn.Name, Total: 1, Share: from + (to-from)*share, Note: note})
	}
}
