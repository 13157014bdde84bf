package cotest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The forecast beside a run of many arms solves no design: it is what more of the same pulls would
// take.
func TestForecastUpToASize(t *testing.T) {
	few := enginetest.Number(300, 120)
	for _, n := range []int{few, 500} {
		names, mean, noise := make([]string, n), make([]float64, n), make([]float64, n)
		for i := range n {
			names[i], mean[i], noise[i] = fmt.Sprint(i), float64(i)/float64(n), 1
		}
		points := try.Of(kernels.NewPoints(nil, names, nil))
		tasks := try.Of(kernels.NewPoints(nil, []string{"t"}, nil))
		p := try.Of(problem.New("independent", tasks, points, make([]int, n), kernels.LiftArm(kernels.Identity{}), noise, mean))
		m := plain.ModelOf(t, p)
		test := try.Of(newCoTest(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{}), minimaxPlanner{}))
		// One round of equal pulls, which is what the design of independent arms is.
		plan := engine.Plan{Round: 1, Counts: make([]int, n)}
		for i := range plan.Counts {
			plan.Counts[i] = roundOne
		}
		st := newStage(m)
		copy(st.Rounding.Counts, plan.Counts)
		st.Design.Value = float64(2 * n)
		test.commit(st)
		try.To(test.Learn(t.Context(), enginetest.Pull(rand.New(rand.NewPCG(1, 1)), p, plan)))
		asked := ending.Never()
		test.scales.Model.Until(asked)
		if left := engine.Remaining(test); !(left > 0) {
			t.Errorf("%d arms: %g samples remain", n, left)
		}
		if steps := asked.Asked(); (steps > 0) != (n == few) {
			t.Errorf("%d arms: the forecast takes %d steps of solvers", n, steps)
		}
	}
}
