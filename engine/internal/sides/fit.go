package sides

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Fit is the least-squares fit of arms and blocks of one task. Block effects are eliminated: a side of n blocks and K arms
// adds the information n(I - 11ᵀ/K) on its arms (the intra-block analysis of incomplete blocks).
type Fit struct {
	arms    int
	Info    *mat.SymDense
	Right   *mat.VecDense
	inverse *mat.SymDense // generalised inverse of Info; nil before Solve
	part    []int         // per arm: number of its connected part; -1 for arms without rewards
	parts   int
	Gaps    []float64 // estimates of the arms; only differences within a connected part are meaningful
}

// add adds the blocks of a side. at has the positions of its arms, and means their means; without means it adds only
// information.
func (f *Fit) add(at []int, blocks float64, means []float64) {
	mean, k := 0.0, float64(len(at))
	for _, y := range means {
		mean += y / k
	}
	for a, i := range at {
		if means != nil {
			f.Right.SetVec(i, f.Right.AtVec(i)+blocks*(means[a]-mean))
		}
		f.Info.SetSym(i, i, f.Info.At(i, i)+blocks)
		for _, j := range at {
			if j >= i {
				f.Info.SetSym(i, j, f.Info.At(i, j)-blocks/k)
			}
		}
	}
}

// Solve computes the estimates, and determines which gaps have one.
func (f *Fit) Solve() error {
	f.connect()
	full := mat.NewSymDense(f.arms, nil)
	for i := range f.arms {
		for j := i; j < f.arms; j++ {
			x := f.Info.At(i, j)
			if f.part[i] == f.part[j] && (f.part[i] >= 0 || i == j) {
				x++
			}
			full.SetSym(i, j, x)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(full) {
		return errors.New("the arms of the blocks have no least squares estimate")
	}
	f.inverse = mat.NewSymDense(f.arms, nil)
	if err := factor.InverseTo(f.inverse); err != nil {
		return err
	}
	var out mat.VecDense
	out.MulVec(f.inverse, f.Right)
	f.Gaps = out.RawVector().Data
	return nil
}

// connect finds the connected parts: arms are connected if they share a block, directly or through other arms.
func (f *Fit) connect() {
	f.part, f.parts = slices.Repeat([]int{-1}, f.arms), 0
	for i := range f.arms {
		if f.part[i] >= 0 || f.Info.At(i, i) == 0 {
			continue
		}
		todo := []int{i}
		f.part[i] = f.parts
		for len(todo) > 0 {
			a := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range f.arms {
				if f.part[j] < 0 && f.Info.At(a, j) != 0 {
					f.part[j], todo = f.parts, append(todo, j)
				}
			}
		}
		f.parts++
	}
}

// Variance returns the variance of the estimated gap of the arms at positions a and b, if one reward has variance 1. It is
// +Inf if no blocks connect the arms.
func (f *Fit) Variance(a, b int) float64 {
	if f.inverse == nil || f.part[a] < 0 || f.part[a] != f.part[b] {
		return math.Inf(1)
	}
	return f.inverse.At(a, a) + f.inverse.At(b, b) - 2*f.inverse.At(a, b)
}

// Rank returns the number of linearly independent gaps that are estimated.
func (f *Fit) Rank() int { return lists.Sum(f.part, func(p int) int { return min(p+1, 1) }) - f.parts }

// unexplained returns the sum of squared residuals of the means of one side, after arms and block are fitted.
func (f *Fit) unexplained(at []int, means []float64) (sum float64) {
	off := 0.0
	for a, i := range at {
		off += (means[a] - f.Gaps[i]) / float64(len(at))
	}
	for a, i := range at {
		sum += math.Pow(means[a]-f.Gaps[i]-off, 2)
	}
	return sum
}
