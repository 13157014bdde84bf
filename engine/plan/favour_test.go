package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

func modelOf(t *testing.T, p *problem.Problem) *model.Model {
	t.Helper()
	m := plain.ModelOf(t, p)
	return m
}

// Without sharing, the least favourable rewards are those of [Bechhofer54]: every rival exactly gap below. The smallest norm with n arms
// is (1-1/n) gap for the best and -gap/n for the others.
func TestLeastFavourableAlone(t *testing.T) {
	alone := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	p := enginetest.Paper(t, 1, 0.4).WithKernel(alone)
	rewards := try.Of(leastFavourable(modelOf(t, p), 0.3, rand.New(rand.NewPCG(1, 2))))
	for v, group := range p.Groups() {
		n, best := float64(len(group)), 0
		for _, i := range group {
			switch {
			case math.Abs(rewards[i]-0.3*(1-1/n)) < 1e-3*0.3:
				best++
			case math.Abs(rewards[i]+0.3/n) > 1e-3*0.3:
				t.Errorf("task %d: reward %g; want %g or %g", v, rewards[i], 0.3*(1-1/n), -0.3/n)
			}
		}
		if best != 1 {
			t.Errorf("task %d has %d best arms", v, best)
		}
	}
}

// For any kernel: it represents the rewards, the smallest gap is as requested, equal tasks have equal rewards, and no scaled draw is
// harder (has a smaller norm with that gap).
func TestLeastFavourableFitsKernel(t *testing.T) {
	for number := 1; number <= 3; number++ {
		p := enginetest.Paper(t, number, 0.4)
		m := modelOf(t, p)
		for draw := range 5 {
			rewards := try.Of(leastFavourable(m, 0.25, rand.New(rand.NewPCG(7, uint64(draw)))))
			q := modelOf(t, Supposed(p, rewards))
			if q.Truth().Fidelity(0) != model.Faithful {
				size, at, _ := q.Truth().Misfit()
				t.Errorf("case %d: the kernel misses the rewards by %g at %s", number, size, p.Where(at))
			}
			if gap, err := q.Truth().DeltaMin(); err != nil || math.Abs(gap*q.Unit-0.25) > 1e-9 {
				t.Errorf("case %d: gap %g, error %v", number, gap*q.Unit, err)
			}
			norm := try.Of(q.Truth().Norm())
			rng := rand.New(rand.NewPCG(7, uint64(draw)))
			theta := make([]float64, m.Rank())
			for k := range theta {
				theta[k] = rng.NormFloat64()
			}
			_, smallest := contrasts(m, theta)
			if scale := 0.25 / smallest; norm > scale*math.Sqrt(floats.Dot(theta, theta))*(1+1e-9) {
				t.Errorf("case %d: norm %g, the scaled draw's is %g", number, norm, scale*math.Sqrt(floats.Dot(theta, theta)))
			}
			if number == 1 {
				for i := range 6 {
					if math.Abs(rewards[i]-rewards[24+i]) > 1e-9 {
						t.Errorf("arm %d of two tasks that are the same: %g and %g", i, rewards[i], rewards[24+i])
					}
				}
			}
		}
	}
}

// The dual certifies the optimum: here the smallest norm is known from the two binding constraints.
// With leads (1, 0) and (1, 1) both must be at least 1: θ = (1, 0) does, with norm 1.
func TestSmallestNorm(t *testing.T) {
	leads := [][]float64{{1, 0}, {1, 1}}
	theta := smallestNorm(leads, []float64{4, 3}, 4)
	if math.Abs(theta[0]-1) > 1e-3 || math.Abs(theta[1]) > 1e-3 {
		t.Errorf("θ = %v, want (1, 0)", theta)
	}
	// (1, 0) and (0, 2): each by itself, θ = (1, 1/2).
	theta = smallestNorm([][]float64{{1, 0}, {0, 2}}, []float64{1, 1}, 1)
	if math.Abs(theta[0]-1) > 1e-3 || math.Abs(theta[1]-0.5) > 1e-3 {
		t.Errorf("θ = %v, want (1, 1/2)", theta)
	}
}
