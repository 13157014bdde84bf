package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// loaded reads a long table with the columns t, a and y, an arm for each text of a.
func loaded(t *testing.T, text string, opt problem.LoadOptions) *problem.Problem {
	t.Helper()
	if opt.Long == nil {
		opt.Long = &problem.Long{Task: []string{"t"}, Arm: []string{"a"}, Reward: "y"}
	}
	opt.Read = func(string) ([]byte, error) { return []byte(text), nil }
	return try.Of(problem.Load("table.csv", kernels.Joint{}, opt))
}

func bestOf(t *testing.T, p *problem.Problem, opt answer.Options) *answer.Answer {
	t.Helper()
	return try.Of(answer.Best(t.Context(), p, opt))
}

// TestSmallUnits: currents of a few nA in ampere are not counts of successes.
func TestSmallUnits(t *testing.T) {
	a := bestOf(t, loaded(t, "t,a,y\n1,p,1.0e-9\n1,p,1.2e-9\n1,q,5.0e-9\n1,q,5.1e-9\n1,r,2.0e-9\n1,r,2.2e-9\n"+
		"2,p,1.1e-9\n2,p,0.9e-9\n2,q,4.9e-9\n2,q,5.2e-9\n2,r,2.1e-9\n2,r,1.9e-9\n", problem.LoadOptions{}), answer.Options{})
	for _, p := range a.Picks {
		if p.Label != "q" || p.Within < 0.999 || math.Abs(p.Estimate-5.05e-9) > 1e-10 {
			t.Errorf("task %s: %s with probability %.4f, estimate %g", p.Task, p.Label, p.Within, p.Estimate)
		}
	}
}

// TestCountsAreExact checks that rewards are treated as counts only if each is exactly 0 or 1 and both occur.
func TestCountsAreExact(t *testing.T) {
	table := func(one, zero string) string {
		text := "t,a,y\n"
		for k := range 60 {
			y := zero
			if (k*k+k/7)%5 < 2 {
				y = one
			}
			text += fmt.Sprintf("x,%c,%s\n", 'p'+k%3, y)
		}
		return text
	}
	for _, x := range []struct {
		one, zero, goal string
		counts          bool
	}{
		{"1", "0", "", true}, {"TRUE", "FALSE", "", true}, {"1", "0", problem.GoalMin, true}, {"1.0000000001", "0", "", false}, {"1", "1e-9", "", false},
		{"1e-9", "0", "", false}, {"1e-9", "0", problem.GoalMin, false}, {"100", "0", "", false}, {"2", "1", "", false}, {"1", "-1", "", false},
		{"1", "1", "", false}, {"0", "0", "", false},
	} {
		a := bestOf(t, loaded(t, table(x.one, x.zero), problem.LoadOptions{Goal: x.goal}), answer.Options{})
		if (a.Scatter.Kind == belief.ScatterCounts) != x.counts {
			t.Errorf("rewards of %s and %s, goal %q: scatter %q", x.one, x.zero, x.goal, a.Scatter.Kind)
		}
	}
	// 0 of 20 everywhere is a count where the user says so
	p := loaded(t, "t,a,won,of\nx,p,0,20\nx,q,0,20\nx,r,0,0\n", problem.LoadOptions{Long: &problem.Long{Task: []string{"t"}, Arm: []string{"a"}, Successes: "won", Trials: "of"}})
	a := bestOf(t, p, answer.Options{})
	if a.Scatter.Kind != belief.ScatterCounts || a.Undetermined != nil || a.Arms[0].CI95[0] < 0 || a.Arms[0].CI95[1] > 0.4 || a.Arms[2].Count != 0 {
		t.Errorf("0 of 20: %+v", a)
	}
}

// TestCountsOfRandomColumns checks that a warning appears if counts of successes ignore the effects of a random column.
func TestCountsOfRandomColumns(t *testing.T) {
	for second, warned := range map[string]bool{"2024": false, "2025": true} {
		p := loaded(t, "a,year,won,of\np,2024,3,20\nq,2024,9,20\np,"+second+",5,20\nq,"+second+",4,20\n",
			problem.LoadOptions{Long: &problem.Long{Arm: []string{"a"}, Successes: "won", Trials: "of", Random: []string{"year"}}})
		a := bestOf(t, p, answer.Options{})
		if strings.Contains(strings.Join(a.Warnings, "\n"), "effects of year are not estimated") != warned {
			t.Errorf("years 2024 and %s: %q", second, a.Warnings)
		}
	}
}

// TestNothingTellsApart checks that no scale and no interval is invented if all measurements are equal or only one option is measured.
func TestNothingTellsApart(t *testing.T) {
	for _, x := range []struct {
		name, text, says string
		value            float64
		within           float64
		pick             string
		interval         bool
	}{
		{"a first plate of zeros", "t,a,y\n1,p,0\n1,q,0\n1,r,\n2,p,0\n2,q,0\n2,r,0\n", "all measurements are 0", 0, 1. / 3, "p", false},
		{"equal, with repeats", "t,a,y\n1,p,5\n1,p,5\n1,q,5\n1,q,5\n", "all measurements are 5", 5, 0.5, "p", false},
		{"equal, not a binary fraction", "t,a,y\n1,p,0.1\n1,p,0.1\n1,p,0.1\n1,q,0.1\n", "all measurements are 0.1", 0.1, 0.5, "p", false},
		{"all ones", "t,a,y\n1,p,1\n1,q,1\n1,q,1\n", "all measurements are 1", 1, 0.5, "q", false},
		{"one option", "t,a,y\n1,p,\n1,q,5\n1,q,5.2\n1,r,\n", "only one of 3 options is measured", 5.1, 1. / 3, "q", true},
		{"one measurement", "t,a,y\n1,p,\n1,q,5\n1,r,\n", "only one of 3 options is measured", 5, 1. / 3, "q", false},
		{"the only option", "t,a,y\n1,q,5\n", "the table has only one option (5 on average)", 5, 1, "q", false},
		{"limits alone", "t,a,y\n1,p,<0.05\n1,q,<0.05\n", "all measurements are limits", 0.05, 0.5, "p", false},
	} {
		for _, factor := range []float64{1, 1e-9} {
			p := loaded(t, x.text, problem.LoadOptions{})
			p.Partial, p.Mean = scaledBy(p.Partial, factor), scaledBy(p.Mean, factor)
			p.Noise.SD = scaledBy(p.Noise.SD, factor)
			for i := range p.Rows {
				p.Rows[i].Reward *= factor
			}
			for _, r := range p.Rewards {
				copy(r, scaledBy(r, factor))
			}
			a := bestOf(t, p, answer.Options{Next: 2})
			pick := a.Picks[0]
			if a.Undetermined == nil || factor == 1 && !strings.HasPrefix(a.Undetermined.Error(), x.says) {
				t.Errorf("%s: says %v", x.name, a.Undetermined)
				continue
			}
			if pick.Label != x.pick || math.Abs(pick.Within-x.within) > 1e-12 || math.Abs(pick.Estimate-factor*x.value) > 1e-12*factor ||
				(pick.CI95 != nil) != x.interval || !math.IsNaN(pick.Loss) || pick.More != 0 {
				t.Errorf("%s: %+v", x.name, pick)
			}
			for _, next := range a.Next { // the arms with fewest measurements
				if x.interval && next.Label == x.pick {
					t.Errorf("%s: proposes %+v", x.name, a.Next)
				}
			}
		}
	}
	// with stated noise, equal measurements bound the differences of options
	p := loaded(t, "t,a,y\n1,p,5\n1,q,5\n1,r,5\n", problem.LoadOptions{Noise: problem.NoiseModel{Scales: []float64{0.1}}})
	if a := bestOf(t, p, answer.Options{}); a.Undetermined != nil || a.Picks[0].CI95[1] > 5.5 {
		t.Errorf("with stated noise: %+v", a.Picks[0])
	}
	// zeros first, then other values
	a := bestOf(t, loaded(t, "t,a,y\n1,p,0\n1,q,0\n1,r,0\n1,p,0\n1,q,40\n1,q,42\n1,r,1\n", problem.LoadOptions{}), answer.Options{})
	if a.Undetermined != nil || a.Scatter.Kind == belief.ScatterCounts || a.Picks[0].Label != "q" {
		t.Errorf("after zeros: %+v", a.Picks[0])
	}
}

func scaledBy(x []float64, factor float64) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = factor * v
	}
	return out
}

// TestScalesOfTasks checks that a task in seconds and one in hours are each answered as if alone.
func TestScalesOfTasks(t *testing.T) {
	for _, ratio := range []float64{1, 10, 100, 1000, 30_000} {
		text := "t,a,y\n"
		for _, y := range []struct {
			arm  string
			x    []float64
			last []float64
		}{
			{"p", []float64{1.1, 0.9, 1.0}, []float64{9.1, 8.9, 9.0}}, {"q", []float64{5, 5.2, 4.9}, []float64{5, 5.2, 4.9}}, {"r", []float64{2, 2.2, 1.9}, []float64{2, 2.2, 1.9}},
		} {
			for k := range 3 {
				text += fmt.Sprintf("small,%s,%g\nlarge,%s,%g\n", y.arm, y.x[k], y.arm, ratio*y.last[k])
			}
		}
		a := bestOf(t, loaded(t, text, problem.LoadOptions{Goal: problem.GoalMin}), answer.Options{})
		for _, x := range []struct{ label, want string }{{a.Picks[0].Label, "p"}, {a.Picks[1].Label, "r"}} {
			if x.label != x.want {
				t.Errorf("ratio %g: picks %s, want %s", ratio, x.label, x.want)
			}
		}
		for v, p := range a.Picks {
			unit := []float64{1, ratio}[v]
			if p.Within < 0.999 || (p.CI95[1]-p.CI95[0])/unit > 1.5 {
				t.Errorf("ratio %g, task %s: probability %.4f, interval %.4g", ratio, p.Task, p.Within, *p.CI95)
			}
		}
	}
}

// TestScalesOfManyTasks checks calibration for tasks with very different scales, and for a task with few measurements.
func TestScalesOfManyTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 12 tables")
	}
	var r record
	for k := range 12 {
		rng := rand.New(rand.NewPCG(700, uint64(k)))
		d := draft{columns: []string{"a", "x"}}
		var effects [4]float64
		for k := range effects {
			effects[k] = rng.NormFloat64()
		}
		for v := range 5 {
			d.tasks = append(d.tasks, fmt.Sprint("t", v))
			scale, level := math.Pow(10, 5*rng.Float64()), 3*rng.NormFloat64()
			for k, e := range effects {
				for x := range 3 {
					m := scale * (level + e + 0.5*rng.NormFloat64() + 0.3*float64(x))
					d.arm(v, fmt.Sprint(k, x), []float64{float64(k), float64(x)}, m, normals(rng, m, 0.4*scale, 2))
				}
			}
		}
		table := d.known(0, "", "a")
		r.add(table, bestOf(t, table.p, answer.Options{}))
	}
	t.Logf("right %.3f, stated %.3f, by the highest mean %.3f, intervals %.3f", r.within/r.picks, r.stated/r.picks, r.plain/r.picks, r.covered/r.arms)
	p := r.stated / r.picks
	if c := r.covered / r.arms; c < 0.9 || c > 0.99 || r.within/r.picks < p-4*math.Sqrt(p*(1-p)/r.picks) {
		t.Errorf("right %.3f, stated %.3f, intervals %.3f", r.within/r.picks, p, c)
	}
}

// TestWithinBounds: estimates and intervals are possible rewards.
func TestWithinBounds(t *testing.T) {
	text := "t,a,y\n1,p,99\n1,p,97\n1,p,100\n1,q,96\n1,q,98\n1,q,94\n1,r,1\n1,r,0\n1,r,3\n"
	for _, goal := range []string{"", problem.GoalMin} {
		p := loaded(t, text, problem.LoadOptions{Goal: goal, Noise: problem.NoiseModel{Bounds: &[2]float64{0, 100}}})
		for _, arm := range bestOf(t, p, answer.Options{}).Arms {
			if arm.CI95[0] < 0 || arm.CI95[1] > 100 || !(arm.CI95[0] <= arm.Estimate && arm.Estimate <= arm.CI95[1]) {
				t.Errorf("goal %q, %s: %g in %g", goal, arm.Label, arm.Estimate, *arm.CI95)
			}
		}
	}
}

// TestLimits checks that an option below the detection limit is best if lower is better, and that the limit is not used for the noise.
func TestLimits(t *testing.T) {
	text := "t,a,y\n1,a,0.40\n1,a,0.42\n1,b,<0.05\n1,b,<0.05\n1,c,0.20\n1,c,0.22\n1,d,0.31\n1,d,0.30\n" +
		"2,a,0.41\n2,a,0.39\n2,c,0.19\n2,c,0.21\n2,d,0.30\n2,d,0.33\n"
	p := loaded(t, text, problem.LoadOptions{Goal: problem.GoalMin})
	a := bestOf(t, p, answer.Options{})
	b := a.Picks[0]
	if b.Label != "b" || b.Within < 0.99 || b.Estimate > 0.05 || b.CI95[1] > 0.07 || b.CI95[0] < 0 || b.CI95[1]-b.CI95[0] < 0.04 {
		t.Errorf("the pick is %s with %.3f, %.3f in %.3f", b.Label, b.Within, b.Estimate, *b.CI95)
	}
	if sd := a.Scatter.Scales[1]; sd < 0.01 || sd > 0.03 {
		t.Errorf("sd %.3g, of the pairs 0.016", sd)
	}
	// with bounds, the interval is possible, too
	p.Noise.Bounds = p.TurnedBounds(&[2]float64{0, 1})
	if b = bestOf(t, p, answer.Options{}).Picks[0]; b.Label != "b" || b.CI95[0] < 0 || b.Estimate < 0 {
		t.Errorf("with bounds %s, %.3f in %.3f", b.Label, b.Estimate, *b.CI95)
	}
	// an upper limit where more is better, beside measured values of the same option
	a = bestOf(t, loaded(t, strings.NewReplacer("0.20\n", ">0.5\n", "1,a", "1,a").Replace(text), problem.LoadOptions{}), answer.Options{})
	if a.Picks[0].Label == "b" {
		t.Errorf("more is better, and the pick is %+v", a.Picks[0])
	}
}

// TestLimitsWithBlocks: with blocks, too, a limit is a bound, also beside values of the same option: it does not inform about the
// noise, and the expected reward of values that are never negative is not negative.
func TestLimitsWithBlocks(t *testing.T) {
	const rows = 24
	for _, sign := range []float64{1, -1} { // what is below a limit, and what is above
		for _, bounded := range []bool{false, true} {
			text, rng := "t,a,day,y\n", rand.New(rand.NewPCG(31, 7))
			for day := range rows {
				shift := 0.03 * rng.NormFloat64()
				for k, mean := range []float64{0.01, 0.07, 0.30, 0.35} {
					y := max(mean+shift+0.01*rng.NormFloat64(), 0.001)
					switch {
					case sign > 0 && y < 0.1:
						text += fmt.Sprintf("1,%c,%d,<0.1\n", 'p'+k, day)
					case sign > 0:
						text += fmt.Sprintf("1,%c,%d,%.4f\n", 'p'+k, day, y)
					case y < 0.1:
						text += fmt.Sprintf("1,%c,%d,>0.9\n", 'p'+k, day)
					default:
						text += fmt.Sprintf("1,%c,%d,%.4f\n", 'p'+k, day, 1-y)
					}
				}
			}
			opt := problem.LoadOptions{Long: &problem.Long{Task: []string{"t"}, Arm: []string{"a"}, Reward: "y", Blocks: []string{"day"}}}
			if sign > 0 {
				opt.Goal = problem.GoalMin
			}
			if bounded {
				opt.Noise.Bounds = &[2]float64{0, 1}
			}
			a := bestOf(t, loaded(t, text, opt), answer.Options{})
			if sd := a.Scatter.Scales[1]; sd < 0.005 || sd > 0.02 {
				t.Errorf("sign %g, bounded %t: noise sd %.3g, want 0.01", sign, bounded, sd)
			}
			for k, arm := range a.Arms {
				lo, hi := arm.CI95[0], arm.CI95[1]
				if sign < 0 {
					lo, hi = 1-hi, 1-lo
				}
				if truth := []float64{0.01, 0.07, 0.30, 0.35}[k]; lo > truth+0.02 || hi < truth-0.02 || k < 2 && hi > 0.1 || hi-lo > 0.12 && (k > 0 || sign > 0 || bounded) {
					t.Errorf("sign %g, bounded %t, %s: %.3f in %.3f to %.3f, want about %.2f", sign, bounded, arm.Label, arm.Estimate, lo, hi, truth)
				}
				if (bounded || sign > 0) && lo < 0 {
					t.Errorf("sign %g, bounded %t, %s: from %.3f", sign, bounded, arm.Label, lo)
				}
			}
		}
	}
}

// TestDigitsLost: rewards that are large beside their differences give the same pick, whose estimate is in its interval, and a warning.
func TestDigitsLost(t *testing.T) {
	text := func(offset string) string {
		return strings.ReplaceAll("t,a,y\n1,p,#0.1\n1,p,#0.2\n1,q,#5.0\n1,q,#5.1\n1,r,#2.0\n1,r,#2.1\n", "#", offset)
	}
	for offset, want := range map[string]bool{"": false, "100000": false, "1000000000": false, "10000000000000": true, "100000000000000": true} {
		for _, goal := range []string{"", problem.GoalMin} {
			a := bestOf(t, loaded(t, text(offset), problem.LoadOptions{Goal: goal}), answer.Options{Next: 3})
			pick, best := a.Picks[0], "q"
			if goal == problem.GoalMin {
				best = "p"
			}
			if pick.Label != best || pick.Within < 0.99 || (warning(t, a, "are lost") != "") != want {
				t.Errorf("offset %q, goal %q: %s with %.3f, warnings %q", offset, goal, pick.Label, pick.Within, a.Warnings)
			}
			for _, arm := range a.Arms {
				if arm.Estimate < arm.CI95[0] || arm.Estimate > arm.CI95[1] {
					t.Errorf("offset %q, goal %q, %s: %.17g in %.17g", offset, goal, arm.Label, arm.Estimate, *arm.CI95)
				}
			}
		}
	}
}

// A text that describes tasks, such as a family, says which of them are alike. A task that was measured at two useless options then has
// the best option of its family.
func TestFamiliesOfTasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(59, 1))
	var text strings.Builder
	text.WriteString("task,family,x,y\n")
	for k := range 8 {
		family, best := []string{"a", "b"}[k%2], []float64{2, 8}[k%2]
		for x := range 11 {
			if k < 6 || x == 0 || x == 10 || x == 5 {
				fmt.Fprintf(&text, "t%d,%s,%d,%.3f\n", k, family, x, float64(k)-0.2*math.Pow(float64(x)-best, 2)+0.1*rng.NormFloat64())
			} else {
				fmt.Fprintf(&text, "t%d,%s,%d,\n", k, family, x)
			}
		}
	}
	p := loaded(t, text.String(), problem.LoadOptions{Long: &problem.Long{Task: []string{"task"}, Arm: []string{"x"}, Reward: "y",
		TaskFeatures: []string{"family"}}})
	a := bestOf(t, p, answer.Options{})
	if !strings.Contains(a.Kernel, `dims=["family"]`) {
		t.Errorf("the kernel %s does not compare families", a.Kernel)
	}
	for k, want := range []float64{2, 8} {
		if pick := a.Picks[6+k]; pick.Features["x"] != want || pick.Count > 0 {
			t.Errorf("%s: pick %s, and %g is best", pick.Task, pick.Label, want)
		}
	}
}
