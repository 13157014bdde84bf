package design

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// rangeOfNormals is the expected range of n independent standard normal numbers,
// d₂ of quality control [Tippett 1925, Table X]; n = 2 and 3 are 2/√π and 3/√π.
var rangeOfNormals = map[int]float64{2: 1.12838, 3: 1.69257, 4: 2.05875, 5: 2.32593, 6: 2.53441, 10: 3.07751, 20: 3.73495}

// widthAccuracy is the relative accuracy of γ that Width promises for up to ten arms; with more
// arms the directions are thinner in more dimensions.
const widthAccuracy = 0.01

// Orthonormal arms: by symmetry the best weights are uniform, where A = I/n and
// the width is √n times the range of n normal numbers.
func TestWidthOrthonormal(t *testing.T) {
	for n, d2 := range rangeOfNormals {
		x := mat.NewDense(n, n, nil)
		for i := range n {
			x.Set(i, i, 1)
		}
		d := try.Of(Width(Space{Features: x}, all(n), Options{}))
		accuracy := widthAccuracy
		if n > 10 {
			accuracy *= 2
		}
		if want := float64(n) * d2 * d2; math.Abs(d.Value/want-1) > accuracy {
			t.Errorf("%d orthonormal arms: %g, by symmetry %g", n, d.Value, want)
		}
	}
}

// Two arms have a single difference, of the Gaussian width √(2/π)‖y‖.
func TestWidthPair(t *testing.T) {
	for seed := range uint64(10) {
		s := Space{Features: gaussianArms(7, 4, seed), Ridge: 0.01 * float64(seed)}
		d := try.Of(Width(s, []int{1, 4}, Options{Tolerance: 1e-6}))
		m := try.Of(Minimax(s, Contrasts{Groups: [][]int{{1, 4}}}, Options{}))
		if want := 2 / math.Pi * m.Value; math.Abs(d.Value/want-1) > 1e-4 || d.Lower > want*(1+1e-5) {
			t.Errorf("seed %d: %g with lower bound %g, 2/π of the minimax value is %g", seed, d.Value, d.Lower, want)
		}
	}
}

// threeArms returns the width of three arms, squared: the expected largest of three Gaussian
// variables of mean 0 is (d₁₂ + d₁₃ + d₂₃)/√(8π) with d_ij² = var(X_i - X_j) [Clark 1961, eq. 2-4],
// and the range is twice that.
func threeArms(t testing.TB, s Space, set []int, lambda []float64) float64 {
	inv := inverseInformation(t, s, lambda)
	sum := 0.0
	for a := range set {
		y := contrast(s, Pair{I: set[a], J: set[(a+1)%3], Weight: 1})
		sum += math.Sqrt(mat.Inner(y, inv, y))
	}
	return sum * sum / (2 * math.Pi)
}

// The minimum agrees with golden sections on the closed form, which use neither gradients nor directions.
func TestWidthIndependentMethod(t *testing.T) {
	for seed := range uint64(4) {
		if testing.Short() && seed != 1 {
			continue
		}
		s := Space{Features: gaussianArms(4, 3, seed), Precision: []float64{1, 2, 0.5, 3}, Ridge: 0.05 * float64(seed%2)}
		set := []int{0, 1, 3}
		if seed == 2 { // one direction only
			s.Features = mat.NewDense(4, 1, []float64{1, -0.5, 0.3, 2})
		}
		d := try.Of(Width(s, set, Options{}))
		want := nestedSearch(4, func(lambda []float64) float64 { return threeArms(t, s, set, floored(lambda)) })
		if math.Abs(d.Value/want-1) > widthAccuracy {
			t.Errorf("seed %d: %g, nested search on the closed form %g", seed, d.Value, want)
		}
		if got := threeArms(t, s, set, floored(d.Weights)); got > want*(1+widthAccuracy) {
			t.Errorf("seed %d: the weights %.3g have %g by the closed form, the best %g", seed, d.Weights, got, want)
		}
		if d.Lower > want*(1+widthAccuracy) {
			t.Errorf("seed %d: lower bound %g above the minimum %g", seed, d.Lower, want)
		}
	}
}

// floored keeps A invertible at the corners of the simplex.
func floored(lambda []float64) []float64 {
	out := slices.Clone(lambda)
	for i := range out {
		out[i] = max(out[i], 1e-7)
	}
	return out
}

// The derivatives agree with differences of the closed form.
func TestWidthDerivatives(t *testing.T) {
	s := Space{Features: gaussianArms(5, 3, 9), Precision: []float64{1, 2, 0.5, 3, 1}, Ridge: 0.02}
	set := []int{0, 2, 4}
	p := try.Of(newProblem(stopper{}, s, Contrasts{Groups: [][]int{set}}, nil))
	w := newWidth(p, set)
	copy(w.lambda, []float64{0.3, 0.1, 0.2, 0.15, 0.25})
	if !w.evaluate() {
		t.Fatal("not positive definite")
	}
	for i := range w.lambda {
		const h = 1e-5
		up, down := slices.Clone(w.lambda), slices.Clone(w.lambda)
		up[i] += h
		down[i] -= h
		want := (math.Sqrt(threeArms(t, s, set, down)) - math.Sqrt(threeArms(t, s, set, up))) / (2 * h)
		if math.Abs(w.drop[i]-want) > widthAccuracy*w.top {
			t.Errorf("arm %d: derivative %g, by differences %g", i, w.drop[i], want)
		}
	}
}

// paperSets returns the 57 sets of at least two of the paper's six arms.
func paperSets() (Space, [][]int) {
	s, _ := paperCase([]int{0}, 0)
	var sets [][]int
	for mask := range 64 {
		var set []int
		for i := range 6 {
			if mask>>i&1 == 1 {
				set = append(set, i)
			}
		}
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return s, sets
}

// For the paper's sets the value holds with random numbers instead of the directions, and no random weights, nor Minimax's, are better.
func TestWidthPaperSets(t *testing.T) {
	s, sets := paperSets()
	rng := rand.New(rand.NewPCG(5, 6))
	// a standard error of 0.34 % for the square of a pair's width, less for others
	normals := make([]float64, 4*200000)
	for i := range normals {
		normals[i] = rng.NormFloat64()
	}
	const noise = 0.015
	for k, set := range sets {
		if testing.Short() && k > 0 {
			break
		}
		d := try.Of(Width(s, set, Options{}))
		if d.Status != Optimal || d.DualityGap() > widthTolerance {
			t.Errorf("%v: %s, gap %g", set, d.Status, d.DualityGap())
		}
		if got := sampledWidth(t, s, set, floored(d.Weights), normals); math.Abs(got/d.Value-1) > noise {
			t.Errorf("%v: %g, by random numbers %g", set, d.Value, got)
		}
		m := try.Of(Minimax(s, Contrasts{Groups: [][]int{set}}, Options{}))
		tries := [][]float64{m.Weights}
		for range 10 {
			lambda := make([]float64, 6)
			for i := range lambda {
				lambda[i] = rng.ExpFloat64()
			}
			scale(1/sum(lambda), lambda)
			tries = append(tries, lambda)
		}
		for _, lambda := range tries {
			if got := sampledWidth(t, s, set, floored(lambda), normals[:4*20000]); got < d.Value*(1-3*noise) {
				t.Errorf("%v: %g, but %g at %.3g", set, d.Value, got, lambda)
			}
		}
	}
}

// sampledWidth returns the squared width by the symmetric root and random numbers.
func sampledWidth(t testing.TB, s Space, set []int, lambda, normals []float64) float64 {
	_, dim := s.Features.Dims()
	var eig mat.EigenSym
	inv := inverseInformation(t, s, lambda)
	sym := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := range dim {
			sym.SetSym(i, j, (inv.At(i, j)+inv.At(j, i))/2)
		}
	}
	if !eig.Factorize(sym, true) {
		t.Fatal("no eigenvalues")
	}
	var v, root, at mat.Dense
	eig.VectorsTo(&v)
	diag := mat.NewDiagDense(dim, nil)
	for i, e := range eig.Values(nil) {
		diag.SetDiag(i, math.Sqrt(max(e, 0)))
	}
	root.Product(&v, diag, v.T())
	at.Mul(s.Features, &root)
	total := 0.0
	for k := 0; k+dim <= len(normals); k += dim {
		hi, lo := math.Inf(-1), math.Inf(1)
		for _, i := range set {
			x := dot(at.RawRowView(i), normals[k:k+dim])
			hi, lo = max(hi, x), min(lo, x)
		}
		total += hi - lo
	}
	total /= float64(len(normals) / dim)
	return total * total
}

func TestWidthThreshold(t *testing.T) {
	s, sets := paperSets()
	for _, set := range sets {
		d := try.Of(Width(s, set, Options{}))
		for _, f := range []float64{0.5, 0.9, 1.1, 2} {
			got := try.Of(Width(s, set, Options{Threshold: f * d.Value}))
			if (got.Value > f*d.Value) != (f < 1) || got.Status != Separated {
				t.Errorf("%v: %g (%s) does not lie on the side of %g that %g lies on", set, got.Value, got.Status, f*d.Value, d.Value)
			}
		}
	}
}

// Trivial sets, unmeasurable sets, and repeatability.
func TestWidthEdges(t *testing.T) {
	s, sets := paperSets()
	for _, set := range [][]int{nil, {3}} {
		if d, err := Width(s, set, Options{}); err != nil || d.Status != Trivial || d.Value != 0 || sum(d.Weights) == 0 {
			t.Errorf("%v: %+v, %v; want trivial", set, d, err)
		}
	}
	twins := Space{Features: mat.NewDense(3, 1, []float64{1, 1, 2})}
	if d, err := Width(twins, []int{0, 1}, Options{}); err != nil || d.Status != Trivial {
		t.Errorf("equal arms: %+v, %v; want trivial", d, err)
	}
	blind := Space{Features: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), Precision: []float64{1, 0}}
	if _, err := Width(blind, []int{0, 1}, Options{}); !errors.Is(err, ErrUnestimable) {
		t.Errorf("an arm that cannot be measured: %v", err)
	}
	a, _ := Width(s, sets[len(sets)-1], Options{})
	b, _ := Width(s, sets[len(sets)-1], Options{})
	if a.Value != b.Value || !slices.Equal(a.Weights, b.Weights) {
		t.Error("two calls differ")
	}
}
