package budget

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// After every round all agents have equal pulls, up to one, and at the end each has its budget. Lost pulls are made later, and no agent
// exceeds its budget because others lost theirs.
func TestPurse(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3) // 5 tasks of 6 arms
	for _, budget := range []int{1, 2, 3, 7, 12, 100} {
		for _, lost := range []bool{false, true} {
			b := NewPurse(p, engine.Options{Budget: budget, MaxRounds: 30})
			had := make([]int, 5)
			for round := 0; !b.Empty(); round++ {
				n, room := b.Next()
				counts, sum := make([]int, p.N()), 0
				for v, r := range room {
					sum += r
					counts[6*v] = r
				}
				if sum != n {
					t.Fatalf("budget %d: a round of %d pulls has room for %v", budget, n, room)
				}
				if lost && round == 0 {
					counts[0] = 0
					b.Amend(counts)
				}
				b.Spend(counts)
				for v := range had {
					had[v] += counts[6*v]
				}
				if !lost && slices.Max(had) > slices.Min(had)+1 {
					t.Errorf("budget %d: agents have %v pulls", budget, had)
				}
			}
			if slices.Max(had) > budget || !lost && slices.Min(had) < budget || b.Remaining() != 5*budget-sumOf(had) {
				t.Errorf("budget %d, lost %v: agents had %v pulls, %d are left", budget, lost, had, b.Remaining())
			}
		}
	}
	b := NewPurse(p, engine.Options{Total: 40, MaxRounds: 30})
	if n, room := b.Next(); n != 12 || slices.Min(room) != n {
		t.Errorf("of a sum of 40, round 1 has %d pulls with room %v, want 12 for any task", n, room)
	}
}

func sumOf(x []int) (sum int) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// Below one pull per arm different tasks pull different arms; above it all arms have equal pulls, up to one, and a budget of 1e12 takes
// no longer.
func TestExplore(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3)
	for _, n := range []int{5, 12, 30, 60, 61, 1e12} {
		counts := make([]int, p.N())
		Explore(counts, p, n, 1, slices.Repeat([]int{math.MaxInt / 10}, 5))
		byName := make([]int, 6)
		for i, c := range counts {
			byName[i%6] += c
		}
		if sumOf(counts) != n || slices.Max(counts) > slices.Min(counts)+1 || slices.Max(byName) > slices.Min(byName)+1 {
			t.Errorf("%d pulls: %v, by name %v", n, counts, byName)
		}
	}
	counts := make([]int, p.N())
	if Explore(counts, p, 12, 2, slices.Repeat([]int{3}, 5)); sumOf(counts) != 12 || slices.Max(counts) != 2 {
		t.Errorf("12 pulls in pairs: %v", counts)
	}
}

// From two pulls per arm on every arm is measured, within its task's room; below it nothing is added.
func TestCover(t *testing.T) {
	p := enginetest.Paper(t, 3, 0.3) // 5 tasks of 6 arms
	for _, budget := range []int{11, 12} {
		had, counts, room := slices.Repeat([]int{1}, p.N()), make([]int, p.N()), []int{4, 4, 1, 0, 4}
		for _, i := range []int{0, 7, 8, 12, 13, 18} {
			had[i] = 0
		}
		left := NewPurse(p, engine.Options{Budget: budget, MaxRounds: 30}).Cover(counts, had, 13, room)
		want, rest, n := []int{0, 0, 0, 0, 0}, []int{4, 4, 1, 0, 4}, 13
		if budget == 12 {
			want, rest, n = []int{1, 2, 1, 0, 0}, []int{3, 2, 0, 0, 4}, 9
		}
		for v := range want {
			if got := sumOf(counts[6*v : 6*v+6]); got != want[v] || room[v] != rest[v] {
				t.Errorf("budget %d: task %d has %d pulls and room for %d more, want %d and %d", budget, v, got, room[v], want[v], rest[v])
			}
		}
		for i, c := range counts {
			if c > 0 && had[i] > 0 {
				t.Errorf("budget %d: arm %d, which had a pull, has another", budget, i)
			}
		}
		if left != n {
			t.Errorf("budget %d: %d pulls are left, want %d", budget, left, n)
		}
	}
}
