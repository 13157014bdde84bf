package sequential

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Score is the evidence of a round's own data on a gap μ_leader - μ_x, as a number whose law is
// known when the gap is: Z of docs/theory/test.md.
type Score struct {
	Gap float64 // the estimate, less the bound on its bias, normalised
	// its standard error, normalised; estimated from the round where scales are not known
	Sd      float64
	Freedom float64 // degrees of freedom of sd; +Inf where scales are known
	Student bool    // whether (estimate - gap)/sd has Student's law, and not only tails that are no larger
	// of a bet with stakes, by stake: the logarithm of the factor on its capital, and how it rises
	// with the loss
	Capital, Slope []float64
}

// Z returns Z if the leader were that loss ≥ 0 below x. It rises with the loss, and at the leader's
// loss no probability P(Z ≥ u) is above that of the standard normal law; with known scales it is
// N(0, 1), or as sub-Gaussian as that.
func (s Score) Z(loss float64) float64 {
	t := (s.Gap + loss) / s.Sd
	if t <= 0 && !s.Student || math.IsInf(s.Freedom, 1) {
		return t
	}
	// The normal quantile of Student's law. It is nearer to 0 than t.
	off := math.Abs(t)
	tail := distuv.StudentsT{Sigma: 1, Nu: min(s.Freedom, mostFreedom)}.Survival(off)
	return math.Copysign(min(-mathext.NormalQuantile(tail), largestScore, off), t)
}

// mostFreedom is the most degrees of freedom that are counted: with more, the incomplete beta
// function loses the digits in which Student's law differs from the normal one, and with fewer Z is
// lower.
const mostFreedom = 1e6

// largestScore bounds Z where tails vanish in double precision.
const largestScore = 37
