package dsl

import (
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A norm in reward units is the same bound as one over the unit, and the result says what it was.
// The noise is 0.5, so 6 units of it are 3 in rewards; with another unit the bound is the same.
func TestRewardNorm(t *testing.T) {
	values := try.Of(evalText(NewSession(Options{Folder: "testdata"}), `
q = problem("small.csv", kernel=task(identity()) * arm(linear(bias=1)), noise=0.5)
fc(q, algorithm="CoKernelFC", xi=0.01, max_rounds=2, norm=6)
fc(q, algorithm="CoKernelFC", xi=0.01, max_rounds=2, reward_norm=3)
fc(q, algorithm="CoKernelFC", xi=0.01, max_rounds=2, unit=0.25, reward_norm=3)
fc(q, algorithm="CoKernelFC", xi=0.01, max_rounds=2)
`))
	var r []engine.Result
	for _, v := range values {
		if x, ok := v.(engine.Result); ok {
			r = append(r, x)
		}
	}
	if len(r) != 4 {
		t.Fatalf("%d results", len(r))
	}
	if r[0].SamplesTotal != r[1].SamplesTotal || r[0].NormBound != 3 || r[1].NormBound != 3 || math.Abs(r[2].NormBound-3) > 1e-12 || r[3].NormBound != 0 {
		t.Errorf("samples %g and %g; bounds %g, %g, %g, %g", r[0].SamplesTotal, r[1].SamplesTotal, r[0].NormBound, r[1].NormBound, r[2].NormBound, r[3].NormBound)
	}
	if text := printValue(value{Type: Result, Data: r[1]}); !strings.Contains(text, "Norm bound of the reward function") {
		t.Error("the result does not show the bound")
	}
}
