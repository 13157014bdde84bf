package sim_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// With seventy arms compared by their own means, three of them tied for best, the first is eliminated in at most δ = 0.2 of the runs,
// with known scales, one unknown scale, or one per arm. With a ninth of the squares it is eliminated more often.
func TestApartErrors(t *testing.T) {
	const delta = 0.2
	runs := betRuns(200)
	means := make([]float64, 70)
	for i := range means[3:] {
		means[3+i] = -4
	}
	tied := func(unknown string) *problem.Problem {
		p := try.Of(problem.Classic(means, 1))
		p.Noise.UnknownBy = unknown
		return p
	}
	opt := engine.Options{Delta: delta, MaxSamples: 1e5}
	for _, unknown := range []string{"", problem.UnknownProblem, problem.UnknownArm} {
		out, decided := wrongWithin(t, tied(unknown), opt, runs, onPlates(t, tied(unknown)))
		lo, hi := share(out, runs)
		t.Logf("unknown by %q: the first arm is out in %d of %d runs [%.3f, %.3f], %d decided", unknown, out, runs, lo, hi, decided)
		if lo > delta || runs >= 200 && hi > delta {
			t.Errorf("unknown by %q: the first arm is out in [%.3f, %.3f] of the runs", unknown, lo, hi)
		}
	}
	out, _ := wrongWithin(t, tied(problem.UnknownProblem), opt, runs, func(run int, plan engine.Plan) engine.Batch {
		b := onPlates(t, tied(problem.UnknownProblem))(run, plan)
		for i := range b.Squares {
			b.Squares[i] /= 9
		}
		return b
	})
	if lo, _ := share(out, runs); lo <= delta {
		t.Errorf("with squares told nine times too small the first arm is out in %d of %d runs only: the test above cannot fail", out, runs)
	}
}
