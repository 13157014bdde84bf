package belief

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Unmeasured returns the problem under the kernel that the prior of the package calls most likely before any data, with a
// spread of 1 reward unit. It is for a problem of candidates, which Of cannot answer: methods that learn the kernel in the run begin
// with it, and others have a kernel that knows the columns of the arms. log has the columns that are compared by their logarithm.
func Unmeasured(p *problem.Problem) (usable *problem.Problem, log []string, err error) {
	defer try.Caught(&err)
	d := &data{p: p, unit: 1, standard: equally(p, 0, 1)}
	d.columns()
	m := newKernelModel(d, nothingStated, func(columns int) float64 { return math.Sqrt(float64(columns)) })
	usable = try.Of(m.usable(lists.Map(m.numbers, func(n number) float64 { return n.mean })))
	usable.Kernel.Fitted = nil
	return usable, d.logs(), nil
}

// Enough reports whether as many arms are measured as Of needs.
func Enough(p *problem.Problem) bool {
	return lists.Count(p.Means(), func(m float64) bool { return !math.IsNaN(m) }) >= leastMeasured
}
