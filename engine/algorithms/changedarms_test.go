package algorithms

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A withdrawn arm is not pulled and cannot be an answer; the best of the others is. The error bound counts the change.
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
			want := 0.1 * 1.5 // one change of one of two contests
			if name == "CoBayesFC" {
				want = 0.1
			}
			if diff := out.Bound - want; diff > 1e-12 || diff < -1e-12 {
				t.Errorf("%s: states %g, want %g", name, out.Bound, want)
			}
		}
	}
}

// An added arm is measured and wins if it is best, also in a decided task, and likewise an added task; earlier decisions remain.
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
					if err := s.Extend(begun(t, name, now, opt).Algorithm(), at); err != nil {
						t.Fatal(err)
					}
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
				if name == "CoTestFC" && unknown != "" && after > 0 && out.Bound != 0.2 { // two of two contests
					t.Errorf("%s: states %g, want 0.2", name, out.Bound)
				}
				// the agents of task a and of the new one, which has a third of delta
				if want := 0.1 + 0.05; name == "IndTestFC" && after > 0 && math.Abs(out.Bound-(want+0.1/3)) > 1e-12 {
					t.Errorf("%s: states %g, want %g", name, out.Bound, want+0.1/3)
				}
			}
		}
	}
}

// If added arms would change the kind of test, the error names both kinds and the run continues. identity() shares nothing across tasks,
// and a single task needs no other test.
func TestOtherKind(t *testing.T) {
	one := enginetest.Small(t, enginetest.Identity, []float64{0, 1})
	two := enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{0, 1})
	for _, x := range []struct {
		from, to *problem.Problem
		at       []int
		want     string
	}{
		{one, two, []int{0, 1}, "each task would be tested separately"},
		{two, one, []int{0, 1, -1, -1}, "so far it tests each task separately"},
	} {
		s := begun(t, "CoTestFC", x.from, engine.Options{})
		e, err := Named(engine.ModeFC, "CoTestFC")
		if err != nil {
			t.Fatal(err)
		}
		alg, err := e.New(plain.ModelOf(t, x.to), s.Options())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Extend(alg, x.at); !errors.Is(err, engine.ErrFixedQuestion) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %q in it", err, x.want)
		}
		if _, more, err := s.Next(t.Context()); err != nil || !more {
			t.Errorf("it does not go on: %v", err)
		}
	}
}
