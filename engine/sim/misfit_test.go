package sim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// On an instance where CoTestFC is wrong in every run, it errs in few runs if a bound on the misspecification is stated.
func TestMisfit(t *testing.T) {
	p := perturbed(enginetest.Paper(t, 2, 0.4), 0.4, 3)
	base, most := enginetest.Paper(t, 2, 0.4), 0.0
	for i := range p.Mean {
		most = max(most, math.Abs(p.Mean[i]-base.Mean[i]))
	}
	// the 99.9 % point of a binomial number of so many at 5 %
	runs, atMost := 200, 21
	if testing.Short() {
		runs, atMost = 20, 5
	}
	if r := coTest(t, p, engine.Options{Delta: 0.05}, runs); r.Errors.Count < runs*9/10 {
		t.Fatalf("plain: %d of %d runs are wrong: not the instance it was", r.Errors.Count, runs)
	}
	r := coTest(t, p, engine.Options{Delta: 0.05, Misfit: most}, runs)
	if r.Errors.Count > atMost || r.Undecided.Count > 0 {
		t.Errorf("misfit %.2g: %d of %d runs are wrong, %d undecided", most, r.Errors.Count, runs, r.Undecided.Count)
	}
	if word := "This holds if no expected reward is farther than misfit"; !strings.Contains(r.Guarantee, word) {
		t.Errorf("misfit %.2g: guarantee %q", most, r.Guarantee)
	}
	if r := coTest(t, p, engine.Options{Delta: 0.05, Misfit: most / 10}, 1); !strings.HasPrefix(r.Guarantee, "none: misfit") {
		t.Errorf("a misfit that the rewards exceed: guarantee %q", r.Guarantee)
	}
}
