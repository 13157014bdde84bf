package cotest

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// blockFit is least squares on arms and blocks of one task: blocks are eliminated, so that a side of n blocks
// and K arms has the information n(I - 11ᵀ/K) on its arms (the intra-block analysis of incomplete blocks).
type blockFit struct {
	arms    int
	info    *mat.SymDense
	right   *mat.VecDense
	inverse *mat.SymDense // a generalised inverse of info; nil before solve
	part    []int         // by arm: which of the parts that blocks connect; -1 of arms that were not measured
	parts   int
	gaps    []float64 // estimates, but for the level of each part
}

func newBlockFit(arms int) blockFit {
	return blockFit{arms: arms, info: mat.NewSymDense(arms, nil), right: mat.NewVecDense(arms, nil)}
}

// add takes in the blocks of a side, of arms at these places with these means.
func (f *blockFit) add(at []int, blocks float64, means []float64) {
	mean, k := 0.0, float64(len(at))
	for _, y := range means {
		mean += y / k
	}
	for a, i := range at {
		if means != nil {
			f.right.SetVec(i, f.right.AtVec(i)+blocks*(means[a]-mean))
		}
		f.info.SetSym(i, i, f.info.At(i, i)+blocks)
		for _, j := range at {
			if j >= i {
				f.info.SetSym(i, j, f.info.At(i, j)-blocks/k)
			}
		}
	}
}

// solve works the estimates out, and which gaps have one.
func (f *blockFit) solve() error {
	f.connect()
	full := mat.NewSymDense(f.arms, nil)
	for i := range f.arms {
		for j := i; j < f.arms; j++ {
			x := f.info.At(i, j)
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
	out.MulVec(f.inverse, f.right)
	f.gaps = out.RawVector().Data
	return nil
}

// connect finds the parts of the arms that blocks connect.
func (f *blockFit) connect() {
	f.part, f.parts = slices.Repeat([]int{-1}, f.arms), 0
	for i := range f.arms {
		if f.part[i] >= 0 || f.info.At(i, i) == 0 {
			continue
		}
		todo := []int{i}
		f.part[i] = f.parts
		for len(todo) > 0 {
			a := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for j := range f.arms {
				if f.part[j] < 0 && f.info.At(a, j) != 0 {
					f.part[j], todo = f.parts, append(todo, j)
				}
			}
		}
		f.parts++
	}
}

// variance returns that of the estimated gap of two arms for rewards of variance 1; it is infinite where no blocks
// connect them.
func (f *blockFit) variance(a, b int) float64 {
	if f.inverse == nil || f.part[a] < 0 || f.part[a] != f.part[b] {
		return math.Inf(1)
	}
	return f.inverse.At(a, a) + f.inverse.At(b, b) - 2*f.inverse.At(a, b)
}

// rank returns the number of gaps that are estimated.
func (f *blockFit) rank() (rank int) {
	for _, p := range f.part {
		rank += min(p+1, 1)
	}
	return rank - f.parts
}

// unexplained returns the squares of the means of a side's block that neither arms nor the block explain.
func (f *blockFit) unexplained(at []int, means []float64) (sum float64) {
	off := 0.0
	for a, i := range at {
		off += (means[a] - f.gaps[i]) / float64(len(at))
	}
	for a, i := range at {
		sum += math.Pow(means[a]-f.gaps[i]-off, 2)
	}
	return sum
}
