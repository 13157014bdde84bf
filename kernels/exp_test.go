package kernels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bigExp returns exp(x) to 120 bits: the series of exp(x/2^16), squared sixteen times.
func bigExp(x float64) *big.Float {
	const precision, halvings = 200, 16
	small := new(big.Float).SetPrec(precision).SetFloat64(math.Ldexp(x, -halvings))
	sum, term := big.NewFloat(1).SetPrec(precision), big.NewFloat(1).SetPrec(precision)
	for i := 1; i <= 30; i++ { // |x/2^16| ≤ 0.011: the next term is below 1e-90
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetInt64(int64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestExpScaledIsAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst, at := 0.0, 0.0
	points := 20000
	if testing.Short() {
		points = 4000
	}
	for i := range points {
		x := -708 * rng.Float64() // the range of the fast path
		switch i % 4 {
		case 1:
			x = -rng.Float64()
		case 2:
			x = -30 * rng.Float64()
		case 3:
			x = 709 * rng.Float64()
		}
		got := []float64{2 * x}
		ExpScaled(got, 0.5)
		exact := bigExp(x)
		difference := new(big.Float).Sub(new(big.Float).SetFloat64(got[0]), exact)
		relative, _ := difference.Quo(difference, exact).Float64()
		if math.Abs(relative) > worst {
			worst, at = math.Abs(relative), x
		}
	}
	if worst > 4e-16 { // the bound that ExpScaled states
		t.Errorf("relative error %v at %v", worst, at)
	}
	t.Logf("worst relative error %.3g at %v", worst, at)
}

func TestExpScaledSpecialValues(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), -708, 709, -708.5, -745, -746, -1e300, math.Inf(-1), math.Inf(1), 710, math.NaN(), -1e-320} {
		got := []float64{x}
		ExpScaled(got, 1)
		want := math.Exp(x)
		if math.IsNaN(want) && math.IsNaN(got[0]) {
			continue
		}
		// outside the fast path it is math.Exp
		if got[0] != want && !(math.Abs(got[0]-want) <= 4e-16*want) {
			t.Errorf("exp(%v) = %v, want %v", x, got[0], want)
		}
	}
}
