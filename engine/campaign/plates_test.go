package campaign

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// A list has each planned pull once, and no place twice; it follows from its seed.
func TestWorklistHasEveryPullOnce(t *testing.T) {
	counts, taskOf := []int{3, 0, 7, 1, 12, 12}, []int{0, 0, 0, 1, 1, 1}
	list := worklist(counts, taskOf, 8, 5)
	// pulls by arm; pulls and places that were met
	got := make([]int, len(counts))
	seen := map[[2]int]bool{}
	places := map[[2]int]bool{}
	for _, s := range list {
		got[s.Arm]++
		if s.Number < 1 || s.Number > counts[s.Arm] || seen[[2]int{s.Arm, s.Number}] || places[[2]int{s.Plate, s.Position}] {
			t.Fatalf("slot %+v", s)
		}
		seen[[2]int{s.Arm, s.Number}], places[[2]int{s.Plate, s.Position}] = true, true
	}
	if !reflect.DeepEqual(got, counts) {
		t.Errorf("pulls %v, want %v", got, counts)
	}
	if again := worklist(counts, taskOf, 8, 5); !reflect.DeepEqual(list, again) {
		t.Error("the same seed gives another order")
	}
	if other := worklist(counts, taskOf, 8, 6); reflect.DeepEqual(list, other) {
		t.Error("another seed gives the same order")
	}
}

// The shares of an arm on each plate equal its share of the round, to within one pull and the rounding
// of the plate's ends.
func TestPlatesAreBalanced(t *testing.T) {
	counts, taskOf := []int{48, 24, 24, 12, 60, 60, 12}, []int{0, 0, 0, 0, 1, 1, 1}
	for seed := range uint64(50) {
		list := worklist(counts, taskOf, 24, seed)
		for from := 0; from < len(list); from += 24 {
			on := make([]int, len(counts))
			for _, s := range list[from : from+24] {
				on[s.Arm]++
			}
			for i, n := range counts {
				if want := float64(n) * 24 / float64(len(list)); math.Abs(float64(on[i])-want) > 2 {
					t.Fatalf("seed %d: plate %d has %d of arm %d, want %.1f", seed, from/24+1, on[i], i, want)
				}
			}
			if d := on[1] - on[2]; d < -1 || d > 1 { // rivals with equal pulls
				t.Fatalf("seed %d: rivals stand %d and %d times on plate %d", seed, on[1], on[2], from/24+1)
			}
		}
	}
}

// Two arms that are tied, plates with an error in common of 0.3 standard deviations of a reward:
// balanced plates leave the difference of the means the variance of the rewards, and a list arm by
// arm does not. By hand: 48 pulls each, plates of 24, arm by arm: 2 plates each, so the plates add
// 0.09·(1/2 + 1/2) = 0.09 to 2/48 = 0.0417.
func TestBalancedPlatesCancelTheirErrors(t *testing.T) {
	counts, taskOf := []int{48, 48}, []int{0, 0}
	rng := rand.New(rand.NewPCG(3, 4))
	variance := func(order func(seed uint64) []Slot) float64 {
		var squares float64
		const runs = 4000
		for run := range uint64(runs) {
			effects := []float64{}
			for range 4 {
				effects = append(effects, 0.3*rng.NormFloat64())
			}
			d := 0.0
			for _, s := range order(run) {
				// the mean of arm 0 less the mean of arm 1
				d += float64(1-2*s.Arm) * (rng.NormFloat64() + effects[s.Plate-1]) / 48
			}
			squares += d * d / runs
		}
		return squares
	}
	balanced := variance(func(seed uint64) []Slot { return worklist(counts, taskOf, 24, seed) })
	byArm := variance(func(uint64) []Slot {
		var out []Slot
		for k := range 96 {
			out = append(out, Slot{Arm: k / 48, Plate: k/24 + 1})
		}
		return out
	})
	// standard errors of a variance of 4,000 runs: sqrt(2/4000) = 2.2 %
	if math.Abs(balanced-2./48) > 0.09*2/48 {
		t.Errorf("variance of balanced plates %.4f, want %.4f", balanced, 2./48)
	}
	if want := 2./48 + 0.09; math.Abs(byArm-want) > 0.09*want {
		t.Errorf("variance arm by arm %.4f, want %.4f", byArm, want)
	}
}

// Counts are cut in proportion; the remaining pulls follow the remainders, and chance if these are equal.
func TestCut(t *testing.T) {
	if got := cut([]int{3, 4}, 7, 1); !slices.Equal(got, []int{3, 4}) {
		t.Errorf("what fits is cut to %v", got)
	}
	// 24 of 180 arms with one pull each: shared out at random, not by order
	ones := slices.Repeat([]int{1}, 180)
	got := cut(ones, 24, 1)
	sum, firsts := 0, 0
	for i, n := range got {
		sum += n
		if i < 24 {
			firsts += n
		}
	}
	if sum != 24 || firsts == 24 {
		t.Errorf("%d pulls, %d of them of the first 24 arms", sum, firsts)
	}
	// quotas 2.4, 4.8, 4.8: Hamilton gives the remaining two to the larger remainders
	if got := cut([]int{5, 10, 10}, 12, 3); !slices.Equal(got, []int{2, 5, 5}) {
		t.Errorf("cut to %v, want [2 5 5]", got)
	}
}
