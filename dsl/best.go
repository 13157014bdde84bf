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
	return Function{
		Name: "best", Section: SectionProblems, Synonyms: []string{"answer", "predict", "recommend", "best_params", "best_arm"},
		Doc: "the best arm of every task by what was measured, how sure that is, and what to measure next; kernel, level and noise are found from the measurements and averaged over, whatever kernel the problem has",
		Params: []Param{
			problemParam,
			{Name: "epsilon", Synonyms: []string{"eps", "tolerance"}, Types: []Type{Number}, Range: fromZero, Default: "0", Doc: "an arm this close to the best is good enough, in reward units"},
			{Name: "next", Synonyms: []string{"n", "batch", "suggest"}, Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 0, Max: answer.MaxNext}, Default: "0", Doc: "how many further measurements to propose, of all tasks together"},
		},
		Result: typeOf[answer.Answer](), Example: `best(problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="throughput"), epsilon=1, next=24)`,
		eval: func(c *call) (any, error) {
			p := c.arg("p").Data.(*problem.Problem)
			return given(computed(c, func() (answer.Answer, error) {
				b := c.e.session.believed // by which the kernel of p was found, or of another problem
				if b == nil || b.Usable != p {
					var err error
					if b, err = believe(c, p); err != nil {
						return answer.Answer{}, err
					}
				}
				a, err := answer.Of(c.e.ctx, b, answer.Options{Epsilon: c.number("epsilon"), Next: c.whole("next")})
				if err != nil {
					return answer.Answer{}, err
				}
				return *a, nil
			}))
		},
	}
}

// findKernel returns the problem under the kernel that is found from its measurements, which it must have, and
// what these say; nil where the kernel was found before.
func findKernel(c *call, p *problem.Problem) (*problem.Problem, *belief.Belief, error) {
	kept := c.e.session.opt.found
	if x, k, err := kept.take(c.e.ctx, "problem"); err != nil {
		return nil, nil, err
	} else if x != nil {
		return p.Logarithmic(x.Log).WithKernel(k), nil, nil
	}
	if p.Means() == nil {
		return nil, nil, fmt.Errorf("problem %q has no measurements to find a kernel from; give kernel=, as in kernel=task(identity()) * arm(rbf(1))", p.Name)
	}
	b, err := believe(c, p)
	if err != nil {
		return nil, nil, err
	}
	kept.keep(c.e.ctx, foundKernel{Function: "problem", Log: b.Log}, b.Usable.Kernel)
	return b.Usable, b, nil
}

// believe computes what the measurements of a problem say.
func believe(c *call, p *problem.Problem) (*belief.Belief, error) {
	var opt belief.Options
	if c.e.teller != nil {
		tell := c.e.teller.update
		opt.Progress = func(share float64) {
			tell(Activity{Label: c.fn.Name, Total: 1, Share: share, Note: "what the measurements say"})
		}
	}
	return belief.Of(c.e.ctx, p, opt)
}
