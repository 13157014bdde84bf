package design

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// paperCase builds the paper's synthetic instance: V = 5 tasks, the six arms of R⁴ with two ones, each task in the 4-dimensional subspace
// of its kind; kinds has the kind of each task. Case 1: all equal, case 2: {1,2} and {3,4,5}, case 3: all different.
func paperCase(kinds []int, ridge float64) (Space, Contrasts) {
	blocks := 0
	for _, k := range kinds {
		blocks = max(blocks, k+1)
	}
	x := mat.NewDense(6*len(kinds), 4*blocks, nil)
	var c Contrasts
	i := 0
	for _, k := range kinds {
		var g []int
		for a := range 4 {
			for b := a + 1; b < 4; b++ {
				x.Set(i, 4*k+a, 1)
				x.Set(i, 4*k+b, 1)
				g = append(g, i)
				i++
			}
		}
		c.Groups = append(c.Groups, g)
	}
	return Space{Features: x, Ridge: ridge}, c
}

var paperKinds = [][]int{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}, {0, 1, 2, 3, 4}}

// gaussianArms returns n unit vectors of R^d with independent Gaussian directions.
func gaussianArms(n, d int, seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		norm := 0.0
		for j := range d {
			v := r.NormFloat64()
			x.Set(i, j, v)
			norm += v * v
		}
		for j := range d {
			x.Set(i, j, x.At(i, j)/math.Sqrt(norm))
		}
	}
	return x
}

func all(n int) []int {
	g := make([]int, n)
	for i := range g {
		g[i] = i
	}
	return g
}

// paperRivals contrasts each task's best arm with its rivals, weighted by 1/gap², for the reward vector [gap, 2 gap, 3 gap, ...] over all
// coordinates.
func paperRivals(s Space, gap float64) Contrasts {
	var c Contrasts
	n, d := s.Features.Dims()
	mean := make([]float64, n)
	for i := range mean {
		for j := range d {
			mean[i] += (0.1 + gap*float64(j)) * s.Features.At(i, j)
		}
	}
	for first := 0; first < n; first += 6 {
		best := first
		for i := first; i < first+6; i++ {
			if mean[i] > mean[best] {
				best = i
			}
		}
		for i := first; i < first+6; i++ {
			if i != best {
				w := 1 / ((mean[best] - mean[i]) * (mean[best] - mean[i]))
				c.Pairs = append(c.Pairs, Pair{I: best, J: i, Weight: w})
			}
		}
	}
	return c
}
