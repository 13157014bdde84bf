package design

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// covered is a problem of pulls with targets that are gaps between arms; some of these cannot be pulled.
func covered(rng *rand.Rand, s, k, r int) (features *mat.Dense, precision []float64, targets *mat.Dense) {
	features, targets = mat.NewDense(s, r, nil), mat.NewDense(k, r, nil)
	for i := range s {
		for j := range r {
			features.Set(i, j, rng.NormFloat64()*math.Pow(0.9, float64(j)))
		}
		precision = append(precision, 0.5+rng.Float64())
	}
	for i := range k {
		for j := range r {
			targets.Set(i, j, 8*rng.NormFloat64()*math.Pow(0.9, float64(j)))
		}
	}
	return features, precision, targets
}

// plainly returns the largest variance of a target after pulls, by inverting the information.
func plainly(features *mat.Dense, precision []float64, targets *mat.Dense, pulls []float64) float64 {
	_, r := features.Dims()
	information := mat.NewSymDense(r, nil)
	for j := range r {
		information.SetSym(j, j, 1)
	}
	for i, n := range pulls {
		information.SymRankOne(information, n*precision[i], features.RowView(i))
	}
	var inverse mat.Dense
	try.To(inverse.Inverse(information))
	worst := 0.0
	k, _ := targets.Dims()
	for i := range k {
		worst = max(worst, mat.Inner(targets.RowView(i), &inverse, targets.RowView(i)))
	}
	return worst
}

// TestCover checks that pulls are about as few as those of the interior-point method for the same largest variance, and that both bounds
// hold.
func TestCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for _, c := range []struct{ s, k, r int }{{1, 1, 1}, {4, 3, 3}, {30, 20, 25}, {60, 90, 60}, {80, 5, 40}} {
		features, precision, targets := covered(rng, c.s, c.k, c.r)
		if c.s == 1 { // one pull is worth a known amount: 1/(1/y² + nρ/…) by hand below
			features.Set(0, 0, 2)
			targets.Set(0, 0, 10)
			precision[0] = 0.25
		}
		cover := try.Of(NewCover(context.Background(), features, precision))
		try.To(cover.Add(targets))
		const tolerance = 0.05
		try.To(cover.Solve(10, tolerance))
		total := sum(cover.Pulls)
		if c.s == 1 && math.Abs(total-99) > 99*2*tolerance { // 100/(1 + n) = 1
			t.Errorf("%g pulls in place of 99", total)
		}
		if got := plainly(features, precision, targets, cover.Pulls); math.Abs(got-cover.Value) > 1e-9*got || math.Abs(got-1) > tolerance {
			t.Errorf("%v: the largest variance is %g, plainly %g", c, cover.Value, got)
		}
		// contrasts of the interior-point method are between rows: arms that cannot be pulled, and zero
		all := mat.NewDense(c.s+c.k+1, c.r, nil)
		var pairs []Pair
		some := append([]float64(nil), precision...)
		for i := range c.s {
			all.SetRow(i, features.RawRowView(i))
		}
		for k := range c.k {
			all.SetRow(c.s+k, targets.RawRowView(k))
			some = append(some, 0)
			pairs = append(pairs, Pair{I: c.s + k, J: c.s + c.k, Weight: 1})
		}
		d := try.Of(Minimax(Space{Features: all, Precision: append(some, 0), Ridge: 1 / total}, Contrasts{Pairs: pairs}, Options{Tolerance: 1e-4}))
		least := d.Value / total
		if cover.Lower > least*(1+1e-3) || cover.Value < least*(1-1e-3) || cover.Value > (1+tolerance)*cover.Lower*(1+1e-9) {
			t.Errorf("%v: between %g and %g, the least is %g", c, cover.Lower, cover.Value, least)
		}
		t.Logf("%v: %d iterations, %g pulls", c, cover.Iterations, total)

		// As many as that at most: half of them.
		cover.Most = total / 2
		try.To(cover.Solve(10, tolerance))
		if n := sum(cover.Pulls); n > cover.Most*(1+1e-9) || cover.Value < 1 || cover.Value > (1+tolerance)*cover.Lower {
			t.Errorf("%v: %g pulls of %g, between %g and %g", c, n, cover.Most, cover.Lower, cover.Value)
		}
	}
}

// TestCoverGrows checks that with new targets, a continued search ends like one from the beginning.
func TestCoverGrows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	features, precision, targets := covered(rng, 40, 60, 40)
	total := func(steps ...int) float64 {
		c := try.Of(NewCover(context.Background(), features, precision))
		from := 0
		for _, to := range steps {
			try.To(c.Add(mat.DenseCopyOf(targets.Slice(from, to, 0, 40))))
			try.To(c.Solve(100, 0.02))
			from = to
		}
		return sum(c.Pulls)
	}
	once, grown := total(60), total(10, 25, 60)
	if math.Abs(once/grown-1) > 0.05 {
		t.Errorf("%g pulls, grown %g", once, grown)
	}
}

// TestCoverOfNothing checks that targets with small variances need no pulls.
func TestCoverOfNothing(t *testing.T) {
	c, err := NewCover(context.Background(), mat.NewDense(2, 2, []float64{1, 0, 0, 1}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Solve(10, 0.1); err != nil || sum(c.Pulls) != 0 {
			t.Errorf("%v pulls, %v", c.Pulls, err)
		}
		try.To(c.Add(mat.NewDense(1, 2, []float64{0.5, 0.5})))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = NewCover(ctx, mat.NewDense(1, 1, []float64{1}), nil); err == nil {
		t.Error("an ended context is no error")
	}
}

// Pulls are also found for unrelated blocks of arms, some of which need 10⁴ times the pulls of others: arms dropped on the way return.
func TestCoverOfBlocks(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const blocks, arms, wide = 5, 3, 3
		features, targets := mat.NewDense(blocks*arms, blocks*wide, nil), mat.NewDense(2*blocks, blocks*wide, nil)
		for b := range blocks {
			size := math.Pow(10, -1-2*rng.Float64())
			for a := range arms {
				for c := range wide {
					features.Set(b*arms+a, b*wide+c, size*rng.NormFloat64())
				}
			}
			for a := range 2 {
				for c := range wide {
					targets.Set(2*b+a, b*wide+c, rng.NormFloat64())
				}
			}
		}
		c := try.Of(NewCover(t.Context(), features, nil))
		c.Most = 1e8
		try.To(c.Add(targets))
		if err := c.Solve(1e6, 0.1); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		precision := make([]float64, blocks*arms)
		for i := range precision {
			precision[i] = 1
		}
		if got := plainly(features, precision, targets, c.Pulls); math.Abs(got/c.Value-1) > 1e-6 || !(c.Value <= 1.3*c.Lower) {
			t.Errorf("seed %d: the largest variance is %v, found %v and not below %v after %d iterations", seed, got, c.Value, c.Lower, c.Iterations)
		}
	}
}
