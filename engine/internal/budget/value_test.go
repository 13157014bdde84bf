package budget

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Chords are off from gains by no more than they say, and the arm whose pulls are worth most is the one that all sums tell: of leads
// from ties to the ends of the chords and beyond, of no planned pulls and many.
func TestBestByChords(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	computed := 0
	const trials = 2000
	for trial := range trials {
		n := 2 + rng.IntN(11)
		p := &prospect{arms: make([]int, n), now: make([]float64, n), slope: make([]float64, n), upto: make([]float64, n)}
		far := math.Pow(10, 2*rng.Float64()-1)
		factor := make([][]float64, n)
		for k := range n {
			p.arms[k] = k
			p.mean, p.reduced = append(p.mean, -far*rng.Float64()*float64(k)), append(p.reduced, 0)
			if k > 0 && trial%3 > 0 {
				p.reduced[k] = math.Pow(10, -6*rng.Float64())
			}
			for range n {
				factor[k] = append(factor[k], rng.NormFloat64())
			}
		}
		for k := range n {
			row := make([]float64, n)
			for l := range n {
				for j := range n {
					row[l] += factor[k][j] * factor[l][j]
				}
			}
			p.row = append(p.row, row)
		}
		s := &lookahead{precision: slices.Repeat([]float64{math.Pow(10, 4*rng.Float64()-3)}, n)}
		for _, within := range [][2]float64{{nearLead, little}, {farLead, least}} {
			most, part := within[0], within[1]
			at, value := s.bestWithin(p, 3, most, part)
			wantAt, want := 0, math.Inf(-1)
			for j := range n {
				spread := p.row[j][j] + 1/(s.precision[j]*3)
				worth := p.worth(j, spread, most, part)
				if about, off := p.about(gainChords(), j, spread, most, part); !(math.Abs(about-worth) <= off) {
					t.Errorf("trial %d, arm %d: %v, by chords %v ± %v", trial, j, worth, about, off)
				}
				if worth > want {
					wantAt, want = j, worth
				}
				if p.upto[j] >= value {
					computed++
				}
			}
			if at != wantAt || value != want {
				t.Errorf("trial %d: arm %d is worth %v, found %d, %v", trial, wantAt, want, at, value)
			}
		}
	}
	if computed > 3*2*trials {
		t.Errorf("%d sums were computed of %d plans", computed, 2*trials)
	}
}
