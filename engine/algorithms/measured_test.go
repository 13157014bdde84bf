package algorithms

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The guarantee of a real run names the assumptions on the rewards and the lost pulls.
func TestMeasuredResult(t *testing.T) {
	truth := enginetest.Paper(t, 1, 0.5)
	p := truth.Experimental()
	if p.Mean != nil || p.Rewards != nil || truth.Mean == nil {
		t.Fatal("the truth is known, or was taken from the other problem")
	}
	for _, c := range []struct {
		name           string
		opt            engine.Options
		standing, want string
	}{
		{"CoTestFC", engine.Options{Delta: 0.1}, engine.StandingProven, "all decided answers are the best of their tasks with probability at least 90 %. This holds if the measured rewards are independent and normal with the problem's noise scales, the kernel can represent their expected rewards (its rank is 4 on 30 arms; misfit= bounds the misspecification), and pulls were left out and added for reasons unrelated to their rewards"},
		{"CoBayesFC", engine.Options{Delta: 0.1}, engine.StandingHeuristic, "all decided answers are the best of their tasks with posterior probability at least 90 %"},
	} {
		entry, _ := Named(engine.ModeFC, c.name)
		m := plain.ModelOf(t, p)
		alg := try.Of(entry.New(m, c.opt))
		s := try.Of(engine.Begin(alg, c.opt))
		rng := rand.New(rand.NewPCG(1, 1))
		for {
			plan, more := try.Two(s.Next(t.Context()))
			if !more {
				break
			}
			if plan.Round == 2 {
				plan.Counts[0], plan.Counts[1] = plan.Counts[0]+1, plan.Counts[1]/2
				try.To(s.Amend(plan.Counts))
			}
			try.To(s.Learn(t.Context(), enginetest.Pull(rng, &problem.Problem{Mean: truth.Mean, Noise: truth.Noise}, plan)))
			if plan.Round == 2 {
				r, err := Measured(entry, m, s)
				if err != nil || r.Runs != 0 || r.Status != engine.StatusInterrupted || r.SamplesTotal == 0 {
					t.Errorf("%s, under way: %+v (%v)", c.name, r, err)
				}
			}
		}
		r := try.Of(Measured(entry, m, s))
		if r.Standing != c.standing || !strings.Contains(r.Guarantee, c.want) {
			t.Errorf("%s: %s: %q, want %q", c.name, r.Standing, r.Guarantee, c.want)
		}
		if r.Runs != 1 || r.Errors.Runs != 0 || r.LowerBoundSamples != 0 || r.SamplesTotal != float64(s.Outcome().Samples) || len(r.Answers) != 5 || r.Answers[0].Correct != nil {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	alg := try.Of(Default(engine.ModeFC).New(plain.ModelOf(t, truth), engine.Options{}))
	s, _ := engine.Begin(alg, engine.Options{})
	if _, err := Measured(Default(engine.ModeFC), plain.ModelOf(t, truth), s); err == nil || !strings.Contains(err.Error(), `needs the environment "measured", got "gaussian"`) {
		t.Errorf("error %v", err)
	}
}
