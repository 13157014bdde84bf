package belief

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Unmeasured returns p, a problem without measurements, with the kernel at the prior means of the hyperparameters and a
// spread of 1 reward unit. Methods that learn the kernel during a run begin with it, and other methods use it as their
// kernel. log has the columns that the kernel compares by their logarithm.
func Unmeasured(p *problem.Problem) (usable *problem.Problem, log []string, err error) {
	defer try.Caught(&err)
	d := &data{p: p, unit: 1, between: 1, standard: equally(p, 0, 1)}
	d.columns()
	m := newKernelModel(d, nothingStated, func(columns int) float64 { return math.Sqrt(float64(columns)) })
	usable = try.Of(m.usable(lists.Map(m.numbers, func(n number) float64 { return n.mean })))
	usable.Kernel.Fitted = nil
	return usable, d.logs(), nil
}

// Enough reports whether at least as many arms are measured as Of needs.
func Enough(p *problem.Problem) bool {
	return lists.Count(p.Means(), func(m float64) bool { return !math.IsNaN(m) }) >= leastMeasured
}
