package design

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Orthonormal arms: by symmetry uniform; Υ = n log(1 + 1/(nξ)).
func TestGainOfOrthonormalArms(t *testing.T) {
	for _, ridge := range []float64{1e-9, 1e-3, 1, 1e3} {
		for _, n := range []int{1, 3, 40} {
			x := mat.NewDense(n, n, nil)
			for i := range n {
				x.Set(i, i, 1)
			}
			d, err := InformationGain(Space{Features: x, Ridge: ridge}, Options{Tolerance: 1e-9})
			want := float64(n) * math.Log1p(1/(float64(n)*ridge))
			// log det A - n log ξ cancels when ξ is large: an absolute 1e-12 n log ξ.
			if err != nil || math.Abs(d.Value-want) > 1e-9*want+1e-12*float64(n) {
				t.Errorf("n=%d ξ=%v: %v (%v), want %v", n, ridge, d.Value, err, want)
			}
		}
	}
}

// recheckGain recomputes value and bound by explicit inverses.
func recheckGain(t *testing.T, s Space, d Design, tol float64) {
	t.Helper()
	value := func(lambda []float64) (v float64, inv *mat.Dense) {
		inv = inverseInformation(t, s, lambda)
		logDet, _ := mat.LogDet(inv)
		_, m := s.Features.Dims()
		return -logDet - float64(m)*math.Log(s.Ridge), inv
	}
	if v, _ := value(d.Weights); math.Abs(v/d.Value-1) > tol {
		t.Errorf("value %v, recomputed %v", d.Value, v)
	}
	v, inv := value(d.Certificate.Weights)
	top, mean := 0.0, 0.0
	for i, l := range d.Certificate.Weights {
		x := s.Features.RowView(i)
		g := mat.Inner(x, inv, x)
		if s.Precision != nil {
			g *= s.Precision[i]
		}
		top, mean = max(top, g), mean+l*g
	}
	if upper := v + top - mean; math.Abs(upper/d.Upper-1) > tol {
		t.Errorf("upper bound %v, recomputed %v", d.Upper, upper)
	}
}

// Random arms, duplicates, unequal precision, working sets.
func TestGainCertificates(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 5 + r.IntN(60)
		if seed%10 == 0 {
			n = 700 // with more arms than begin in the working set
		}
		s := Space{Features: gaussianArms(n, 2+r.IntN(8), seed), Ridge: []float64{1e-6, 1e-3, 1}[r.IntN(3)]}
		for range n / 4 {
			s.Features.SetRow(r.IntN(n), s.Features.RawRowView(r.IntN(n)))
		}
		if seed%2 == 0 {
			s.Precision = make([]float64, n)
			for i := range s.Precision {
				s.Precision[i] = math.Exp(2 * r.NormFloat64())
			}
		}
		d, err := InformationGain(s, Options{Tolerance: 1e-9})
		if err != nil || d.Status != Optimal || d.DualityGap() > 1e-9 {
			t.Errorf("seed %d: %v, gap %.2g, %v", seed, d.Status, d.DualityGap(), err)
		}
		recheckGain(t, s, d, 1e-8)
	}
}

// Tiny ridges on a rank-deficient space: five identical tasks of rank 4.
func TestGainAtTinyRidge(t *testing.T) {
	for _, ridge := range []float64{1e-6, 1e-9, 1e-12} {
		s, _ := paperCase(paperKinds[0], ridge)
		d, err := InformationGain(s, Options{Tolerance: 1e-9})
		// Uniform by symmetry; Σ λφφᵀ has eigenvalues 1 and three times 1/3.
		want := math.Log1p(1/ridge) + 3*math.Log1p(1/(3*ridge))
		if err != nil || math.Abs(d.Value/want-1) > 1e-9 {
			t.Errorf("ξ=%v: %v (%v), want %v", ridge, d.Value, err, want)
		}
	}
}

func TestGainOfNothing(t *testing.T) {
	for name, s := range map[string]Space{
		"zero features":  {Features: mat.NewDense(3, 2, nil), Ridge: 1},
		"zero precision": {Features: gaussianArms(3, 2, 1), Precision: make([]float64, 3), Ridge: 1},
	} {
		if d, err := InformationGain(s, Options{}); err != nil || d.Status != Trivial || d.Value != 0 {
			t.Errorf("%s: %v %v %v", name, d.Status, d.Value, err)
		}
	}
}
