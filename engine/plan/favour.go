package plan

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

// leastFavourable returns expected rewards in which the best arm of every task leads each rival by
// at least gap (reward units), as hard as the kernel can make them. It is the least favourable
// configuration of ranking and selection [Bechhofer54], in which every rival is exactly gap below
// the best, kept to what the kernel can represent: of all reward functions of the kernel's space
// with these leads, the one of the smallest norm,
//
//	min ‖θ‖²  subject to  (φ_best - φ_i)ᵀθ ≥ gap  for every rival i of every task.
//
// Under identity() that is every rival at gap; a kernel of less rank or of similar tasks forces
// some to be further below. The best arm comes from a draw of the Gaussian process with the kernel,
// so that similar tasks have similar best arms and the problem has a solution. Arms that the kernel
// cannot tell apart stay equal.
func leastFavourable(m *model.Model, gap float64, rng *rand.Rand) ([]float64, error) {
	p := m.Problem
	draw := make([]float64, m.Rank())
	for k := range draw {
		draw[k] = rng.NormFloat64()
	}
	leads, smallest := contrasts(m, draw)
	if len(leads) == 0 || math.IsInf(smallest, 1) {
		return nil, fmt.Errorf("problem %q: no task has two arms that the kernel distinguishes, so there is no gap to plan for", p.Name)
	}
	theta := smallestNorm(leads, draw, smallest)
	rewards := make([]float64, p.N())
	for i := range rewards {
		rewards[i] = gap * floats.Dot(m.Features.RawRowView(i), theta)
	}
	return rewards, nil
}

// indistinct is below which share of the largest ‖φ‖² a difference of features is rounding.
const indistinct = 1e-10

// contrasts returns φ_best - φ_i for every rival of every task, best by the rewards φᵀtheta, and
// the smallest lead among them.
func contrasts(m *model.Model, theta []float64) (leads [][]float64, smallest float64) {
	largest := 0.0
	for i := range m.Problem.N() {
		row := m.Features.RawRowView(i)
		largest = max(largest, floats.Dot(row, row))
	}
	smallest = math.Inf(1)
	for _, group := range m.Problem.Groups() {
		best := group[0]
		for _, i := range group {
			if floats.Dot(m.Features.RawRowView(i), theta) > floats.Dot(m.Features.RawRowView(best), theta) {
				best = i
			}
		}
		for _, i := range group {
			y := make([]float64, len(theta))
			for k, f := range m.Features.RawRowView(best) {
				y[k] = f - m.Features.At(i, k)
			}
			if floats.Dot(y, y) <= indistinct*largest {
				continue
			}
			leads, smallest = append(leads, y), min(smallest, floats.Dot(y, theta))
		}
	}
	return leads, smallest
}

// The search of smallestNorm ends at this relative duality gap, or after normSweeps sweeps: then
// the rewards are less hard than they might be, and their smallest gap is right.
const (
	normTolerance = 1e-4
	normSweeps    = 2000
)

// smallestNorm solves min ‖θ‖² subject to yᵀθ ≥ 1 for all y, by coordinate ascent of the dual, Σα -
// ½‖Σ αy‖² over α ≥ 0 [Hildreth57]. start is any θ with leads above 0, of which smallest is the
// least. The result has a least lead of exactly 1.
func smallestNorm(leads [][]float64, start []float64, smallest float64) []float64 {
	best := floats.ScaleTo(make([]float64, len(start)), 1/smallest, start)
	theta, alpha, sum := make([]float64, len(start)), make([]float64, len(leads)), 0.0
	for range normSweeps {
		for k, y := range leads {
			step := max(-alpha[k], (1-floats.Dot(y, theta))/floats.Dot(y, y))
			alpha[k] += step
			sum += step
			for j, v := range y {
				theta[j] += step * v
			}
		}
		least := math.Inf(1)
		for _, y := range leads {
			least = min(least, floats.Dot(y, theta))
		}
		if least <= 0 {
			continue
		}
		if now := floats.ScaleTo(make([]float64, len(theta)), 1/least, theta); floats.Dot(now, now) < floats.Dot(best, best) {
			best = now
		}
		if norm := floats.Dot(best, best) / 2; norm-(sum-floats.Dot(theta, theta)/2) <= normTolerance*norm {
			break
		}
	}
	return best
}
