package sequential

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A walk without an arm is the walk of a run in which that arm's rounds were sat out, whatever the
// clock; with several arms withdrawn, every set of them counts; and x is out when all have crossed.
func TestWithdraw(t *testing.T) {
	type round struct {
		leader int
		score  Score
		info   float64
	}
	clocks := []Clock{{Origin: 2, Z: constantHeights(1.5)}, {Origin: 2, Z: constantHeights(1.2), Strict: constantHeights(1.6)}, {Times: []float64{3, 5, 9, 20, 33, 50}, Z: []float64{2, 2, 1.5, 1.5, 1, 1}}}
	both, kept := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		c := clocks[seed%3]
		var history []round
		for range 6 {
			info := 4 * math.Exp(2*rng.NormFloat64())
			history = append(history, round{rng.IntN(3), Score{Gap: 0.5 + rng.NormFloat64(), Sd: 1 / math.Sqrt(info), Freedom: math.Inf(1)}, info})
		}
		// made returns the walk of the rounds that none of these arms led and in which the whole walk
		// moved.
		made := func(without ...int) *Walk {
			w, whole, c := &Walk{Look: -1}, -1, c
			if len(without) > 0 && c.Strict != nil {
				c.Z = c.Strict
			}
			for r, h := range history {
				look := c.Next(whole, h.info, r+2)
				sat := look <= whole
				whole = max(whole, look)
				for _, l := range without {
					sat = sat || l == h.leader
				}
				if look := c.Next(w.Look, h.info, r+2); !sat && look > w.Look {
					Bet{Walk: w, Leader: h.leader, Variance: 1 / h.info, Look: look}.Settle(c, h.score)
				}
			}
			return w
		}
		w := made()
		w.Withdraw(c, 0)
		w.Withdraw(c, 1)
		want := true
		for _, set := range [][]int{{}, {0}, {1}, {0, 1}} {
			want = want && made(set...).crossed
		}
		if w.Out != want {
			t.Errorf("seed %d: out %v, by walks made without the arms %v", seed, w.Out, want)
		}
		if want {
			both++
		}
		if w.crossed && !want {
			kept++
		}
		// Going on after the change is the same as the change after going on.
		early := &Walk{Look: -1}
		for r, h := range history {
			if look := c.Next(early.Look, h.info, r+2); look > early.Look {
				Bet{Walk: early, Leader: h.leader, Variance: 1 / h.info, Look: look}.Settle(c, h.score)
			}
			if r == 2 {
				early.Withdraw(c, 2)
			}
		}
		late := made()
		late.Withdraw(c, 2)
		for _, loss := range []float64{0.01, 0.5, 2} {
			only2 := true // the arm led no later round
			for _, h := range history[3:] {
				only2 = only2 && h.leader != 2
			}
			if only2 && early.Excludes(c, 1, loss) != late.Excludes(c, 1, loss) {
				t.Errorf("seed %d: withdrawn early excludes a loss of %g: %v, late: %v", seed, loss, early.Excludes(c, 1, loss), late.Excludes(c, 1, loss))
			}
		}
	}
	if both < 20 || kept < 20 {
		t.Errorf("%d walks are out and %d open again: too few to tell", both, kept)
	}
}

// constantHeights returns one height for all looks.
func constantHeights(z float64) (out []float64) {
	for range ClockLooks {
		out = append(out, z)
	}
	return out
}

// A walk in other units, and of arms with other numbers, excludes the same.
func TestMoved(t *testing.T) {
	c := Clock{Origin: 2, Z: constantHeights(2.5)}
	const unit = 4.0
	moved := Clock{Origin: 2 / (unit * unit), Z: c.Z}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		w := &Walk{Look: -1}
		for r := range 5 {
			info := 5 * math.Exp(rng.NormFloat64())
			if look := c.Next(w.Look, info, r); look > w.Look {
				Bet{Walk: w, Leader: 3, Variance: 1 / info, Look: look}.Settle(c, Score{Gap: rng.NormFloat64(), Sd: 1 / math.Sqrt(info), Freedom: 7})
			}
		}
		if w.Look < 0 {
			continue
		}
		v := w.Moved(func(arm int) int { return arm + 5 }, unit)
		got, want := v.Margin(moved, 8), unit*w.Margin(c, 3)
		if v.Out != w.Out || !(math.Abs(got-want) <= 1e-6*math.Abs(want)) && got != want {
			t.Errorf("out %v and %v, margin %g, want %g", v.Out, w.Out, got, want)
		}
		if a, b := v.Need(moved, 8, 0.5*unit, 0, 0.4), w.Need(c, 3, 0.5, 0, 0.4)/(unit*unit); !(math.Abs(a-b) <= 1e-9*b) {
			t.Errorf("need %g, want %g", a, b)
		}
	}
}
