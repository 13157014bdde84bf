package algorithms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A withdrawn arm is not pulled and cannot be an answer; the best of the others is.
func TestWithdrawBest(t *testing.T) {
	for _, name := range changers {
		for _, after := range []int{0, 1, 2, 3, 100} { // 100: after all tasks are decided
			p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2, 3}, []float64{3, 0, 1, 2})
			opt := engine.Options{Delta: 0.1}
			s := begun(t, name, p, opt)
			rng := rand.New(rand.NewPCG(9, 9))
			gone := false
			withdraw := func() {
				if err := s.Withdraw(3); err != nil { // the best arm of task a
					t.Fatal(err)
				}
				gone = true
			}
			if after == 0 {
				withdraw()
			}
			pull := func(plan engine.Plan) engine.Batch {
				if gone && plan.Counts[3] > 0 {
					t.Errorf("%s: a withdrawn arm is pulled %d times", name, plan.Counts[3])
				}
				return enginetest.Pull(rng, p, plan)
			}
			out := drive(t, s, pull, func(round int) {
				if round == after {
					withdraw()
				}
			})
			if !gone {
				if out.Answers[0].Arm != "4" {
					t.Errorf("%s: before the change the answer is %+v", name, out.Answers[0])
				}
				withdraw()
				out = drive(t, s, pull, nil)
			}
			if a := out.Answers; a[0].Arm != "3" || a[1].Arm != "1" {
				t.Errorf("%s, withdrawn after round %d: answers %+v", name, after, a)
			}
			found := 0
			for _, e := range out.Eliminations {
				if e.Rule == engine.RuleWithdrawn && e.Task == "a" && e.Arm == "4" {
					found++
				} else if e.Arm == "4" && e.Task == "a" {
					t.Errorf("%s: a withdrawn arm left otherwise, too: %+v", name, e)
				}
			}
			if found != 1 || len(out.Eliminations) != 6 {
				t.Errorf("%s, after round %d: eliminations %+v", name, after, out.Eliminations)
			}
		}
	}
}

// An added arm is measured and wins if it is best, also in a decided task. So does an added task. Earlier decisions remain.
func TestExtend(t *testing.T) {
	for _, name := range changers {
		for _, after := range []int{0, 1, 2, 100} {
			for _, unknown := range []string{"", problem.UnknownProblem} { // agents alone, and together
				before := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2}, []float64{3, 0, 1, 2})
				now := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2, 5}, []float64{3, 0, 1, 2}, []float64{0, 2})
				before.Noise.UnknownBy, now.Noise.UnknownBy = unknown, unknown
				at := []int{0, 1, 2, 4, 5, 6, 7}
				opt := engine.Options{Delta: 0.1}
				s := begun(t, name, before, opt)
				rng := rand.New(rand.NewPCG(2, 9))
				p := before
				extend := func() {
					try.To(s.Extend(begun(t, name, now, opt).Algorithm(), at))
					p = now
				}
				if after == 0 {
					extend()
				}
				pull := func(plan engine.Plan) engine.Batch { return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan) }
				out := drive(t, s, pull, func(round int) {
					if round == after {
						extend()
					}
				})
				rounds := len(out.Rounds)
				if after == 100 {
					extend()
					out = drive(t, s, pull, nil)
				}
				var got []string
				for _, a := range out.Answers {
					got = append(got, a.Arm)
				}
				if fmt.Sprint(got) != "[4 1 2]" || after == 100 && len(out.Rounds) <= rounds {
					t.Errorf("%s, after round %d: answers %v in %d rounds", name, after, got, len(out.Rounds))
				}
			}
		}
	}
}
