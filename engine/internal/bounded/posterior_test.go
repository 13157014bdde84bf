package bounded

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Means and variances equal the textbook's with the inverse written out [RW06, eq. (2.23), (2.24)],
// and the scale has the largest likelihood among those tried.
func TestPosterior(t *testing.T) {
	in := newInstance(t, 2)
	n := len(in.support)
	means := make([]float64, n)
	for j := range means {
		means[j] = in.gram.At(4, in.support[j])
	}
	plain := func(v float64) (inverse *mat.Dense, likelihood float64) {
		a := in.among(in.support)
		a.Scale(v, a)
		for j, d := range in.noise {
			a.Set(j, j, a.At(j, j)+d)
		}
		inverse = new(mat.Dense)
		try.To(inverse.Inverse(a))
		y := mat.NewVecDense(n, means)
		return inverse, -mat.Inner(y, inverse, y)/2 - math.Log(mat.Det(a))/2
	}
	p, _ := try.Two(Fit(t.Context(), in.support, in.rows, means, in.noise, 40, 0))
	best, most := 0.0, math.Inf(-1)
	for v := 40.0; v > 1e-3; v /= 4 {
		if _, l := plain(v); l > most {
			best, most = v, l
		}
	}
	if p.Variance != best {
		t.Errorf("variance %g, of largest likelihood is %g", p.Variance, best)
	}
	silent, _ := try.Two(Fit(t.Context(), in.support, in.rows, make([]float64, n), in.noise, 40, 0))
	if v := silent.Variance; v < 1e-4 || v > 1e-1 {
		t.Errorf("variance %g of a prior for data that show nothing", v)
	}
	inverse, _ := plain(best)
	found := try.Of(p.Means(t.Context()))
	own := try.Of(p.ArmVariances(t.Context(), in.Diagonal))
	const leader = 4
	all := indices.All(len(in.Arms))
	squares := in.Near(leader, all)
	for i := range squares {
		squares[i] = in.Diagonal[i] + in.Diagonal[leader] - 2*squares[i]
	}
	gaps := try.Of(p.GapVariances(t.Context(), leader, all, squares))
	covariance := func(i, j int) float64 {
		a, b := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for k, s := range in.support {
			a.SetVec(k, best*in.gram.At(i, s))
			b.SetVec(k, best*in.gram.At(j, s))
		}
		return best*in.gram.At(i, j) - mat.Inner(a, inverse, b)
	}
	for i := range in.Arms {
		var weights mat.VecDense
		weights.MulVec(inverse, mat.NewVecDense(n, means))
		want := 0.0
		for k, s := range in.support {
			want += best * in.gram.At(i, s) * weights.AtVec(k)
		}
		if !near(found[i], want, 1e-9) || !near(own[i], covariance(i, i), 1e-9) {
			t.Errorf("arm %d: mean %g, variance %g; want %g and %g", i, found[i], own[i], want, covariance(i, i))
		}
		gap := covariance(i, i) + covariance(leader, leader) - 2*covariance(i, leader)
		if !near(gaps[i], gap, 1e-9) {
			t.Errorf("arm %d: variance of the gap %g, want %g", i, gaps[i], gap)
		}
	}
}

// Wherever the search begins, it finds the posterior that it finds from the top, bit for bit, and the one at
// the largest variance beside it.
func TestFitBeginsNear(t *testing.T) {
	in := newInstance(t, 4)
	means := make([]float64, len(in.support))
	for _, size := range []float64{0, 0.3, 1, 10} {
		for j := range means {
			means[j] = size * math.Sin(float64(3*j))
		}
		want, widest := try.Two(Fit(t.Context(), in.support, in.rows, means, in.noise, 40, 0))
		given := try.Of(Given(t.Context(), in.support, in.rows, means, in.noise, 40))
		if !reflect.DeepEqual(widest, given) {
			t.Errorf("means of size %g: the posterior at the largest variance is another", size)
		}
		for _, near := range []float64{40, 10, 2.5, 0.625, want.Variance, 1e-9, 1e9} {
			got, at := try.Two(Fit(t.Context(), in.support, in.rows, means, in.noise, 40, near))
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(at, given) {
				t.Errorf("means of size %g, from %g: variance %g, want %g", size, near, got.Variance, want.Variance)
			}
		}
	}
}

// Local features rebuild the kernel up to a residual, which is as small as requested at the requested
// arms.
func TestLocalise(t *testing.T) {
	in := newInstance(t, 4)
	n := len(in.Arms)
	weight, favour := make([]float64, n), make([]float64, n)
	for i := range weight {
		if favour[i] = 1; i%3 > 0 {
			weight[i] = float64(i)
		}
	}
	l := try.Of(in.Localise(t.Context(), weight, favour, 0.05, n))
	for i := range n {
		if weight[i]*l.Rest[i] > 0.05 || l.Rest[i] < 0 {
			t.Errorf("arm %d: rest %g at weight %g", i, l.Rest[i], weight[i])
		}
		for j := range n {
			left := in.gram.At(i, j) - mat.Dot(l.Features.RowView(i), l.Features.RowView(j))
			if i == j && !near(left, l.Rest[i], 1e-10) || math.Abs(left) > math.Sqrt(l.Rest[i]*l.Rest[j])+1e-10 {
				t.Errorf("arms %d and %d: %g is left, of rests %g and %g", i, j, left, l.Rest[i], l.Rest[j])
			}
		}
	}
	for k, i := range l.Pivots {
		if weight[i] == 0 || l.Rest[i] != 0 {
			t.Errorf("pivot %d is arm %d of weight %g with rest %g", k, i, weight[i], l.Rest[i])
		}
	}
	if few, err := in.Localise(t.Context(), weight, favour, 0.05, 2); err != nil || len(few.Pivots) != 2 || few.Worst <= 0.05 {
		t.Errorf("%d pivots, worst %g (%v)", len(few.Pivots), few.Worst, err)
	}
	known := mat.NewSymDense(len(l.Pivots), nil)
	for j := range l.Pivots {
		known.SetSym(j, j, float64(j+1))
		if j > 0 {
			known.SetSym(j, j-1, 0.3)
		}
	}
	white := try.Of(Whiten(t.Context(), l.Features, known))
	var inverse mat.Dense
	try.To(inverse.Inverse(known))
	for i := range n {
		want := mat.Inner(l.Features.RowView(i), &inverse, l.Features.RowView(i))
		if got := mat.Dot(white.RowView(i), white.RowView(i)); !near(got, want, 1e-10) {
			t.Errorf("arm %d: %g in white features, want %g", i, got, want)
		}
	}
}
