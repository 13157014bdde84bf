package sequential

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Stakes are bets of several sizes on one gap, side by side. Each begins with an equal share of a
// capital of 1. Under the hypothesis no capital grows on average, so that the sum reaches 1/α with
// probability at most α [Ville39, WaudbySmithRamdas24]. A walk with stakes has log(1/α) for its
// height at every look, and no times.
type Stakes struct {
	Gaps []float64 // h by stake, normalised: the gap for which the bet is about best
}

// The stakes of a walk. Neighbours are so near that the one between two gaps loses a few per cent of
// its growth, and there are so few that their number costs little.
const (
	stakeRatio = 1.6
	mostStakes = 14
	stakeLeast = 0.4       // of the accuracy that is asked
	stakeFine  = 1. / 8192 // of the range of rewards, where no accuracy is
)

// NewStakes returns stakes for gaps between the accuracy that is asked, or a small part of the range of
// rewards, and that range.
func NewStakes(epsilon, span float64) *Stakes {
	least := min(max(stakeLeast*epsilon, stakeFine*span), span)
	n := min(1+int(math.Ceil(math.Log(span/least)/math.Log(stakeRatio))), mostStakes)
	out := &Stakes{Gaps: make([]float64, n)}
	for j := range out.Gaps {
		out.Gaps[j] = span * math.Pow(least/span, float64(j)/float64(max(n-1, 1)))
	}
	return out
}

// total returns the logarithm of the capital of all stakes, given each one's capital over its share.
func (s *Stakes) total(logs []float64) float64 {
	most := math.Inf(-1)
	for _, x := range logs {
		most = max(most, x)
	}
	sum := 0.0
	for _, x := range logs {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum/float64(len(logs)))
}

// reaches reports whether the capital is at least exp(height). No sum of shares is above the largest
// capital of one.
func (s *Stakes) reaches(logs []float64, height float64) bool {
	for _, x := range logs {
		if x >= height {
			return s.total(logs) >= height
		}
	}
	return false
}

// capitals adds what the steps have won, as if that leader were so far below x, and returns the logarithms
// by stake. With a height above 0 it stops where the capital reaches it, and says so.
func (w *Walk) capitals(leader int, loss, height float64) (logs []float64, reached bool) {
	logs = make([]float64, len(w.Stakes.Gaps))
	for k := range w.steps {
		s := &w.steps[k]
		for j := range logs {
			logs[j] += s.Capital[j]
			if s.leader == leader {
				logs[j] += s.Slope[j] * s.counted(loss)
			}
		}
		if height > 0 && w.Stakes.reaches(logs, height) {
			return logs, true
		}
	}
	return logs, false
}

// counted returns the part of a loss by which capital rises.
func (s Score) counted(loss float64) float64 {
	if s.Most > 0 {
		return min(loss, s.Most)
	}
	return loss
}

// Fair returns what differences between two arms within blocks, symmetric around their mean, make of every stake of a bet: given the
// loss ℓ of the leader a stake on h turns 1 into
//
//	Π_k (1 + tanh(λ(D_k + ℓ))),  λ = h/variance,
//
// whose mean is 1, as tanh is odd. The variance of a difference is guessed from earlier data. log(1 + tanh) is concave, so that it
// rises from ℓ = 0 to most by at least its chord.
func Fair(s *Stakes, differences []float64, variance, most float64) Score {
	n, mean, squares := float64(len(differences)), 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		squares += (d - mean) * (d - mean)
	}
	out := Score{Gap: mean, Freedom: math.Inf(1), Most: most, Sd: math.Sqrt(squares / (n * max(n-1, 1)))}
	if out.Sd == 0 {
		out.Sd = math.Sqrt(variance / n)
	}
	if most == 0 {
		out.Most = out.Sd
	}
	for _, h := range s.Gaps {
		lambda, at, up := h/variance, 0.0, 0.0
		for _, d := range differences {
			at, up = at+logFair(lambda*d), up+logFair(lambda*(d+out.Most))
		}
		out.Capital, out.Slope = append(out.Capital, at), append(out.Slope, (up-at)/out.Most)
	}
	return out
}

// logFair returns log(1 + tanh x).
func logFair(x float64) float64 {
	if x < 0 {
		return math.Ln2 + 2*x - math.Log1p(math.Exp(2*x))
	}
	return math.Ln2 - math.Log1p(math.Exp(-2*x))
}

// needCapital is Need of a walk with stakes: the information after which its capital would be above
// the height by so many standard deviations of a walk at the same level, if every stake h wins h·gap -
// h²/2 for a unit of it. Stakes for gaps above those that the limits of rewards left in the last round win no
// more than these.
func (w *Walk) needCapital(height float64, logs []float64, gap, above float64) float64 {
	target, grown := height+above*math.Sqrt(2*height), make([]float64, len(logs))
	top := math.Inf(1)
	if k := len(w.steps); k > 0 {
		top = slices.Max(w.steps[k-1].Slope) / w.steps[k-1].info
	}
	after := func(info float64) float64 {
		for j, h := range w.Stakes.Gaps {
			h = min(h, top)
			grown[j] = logs[j] + h*(gap-h/2)*info
		}
		return w.Stakes.total(grown)
	}
	gap = max(gap, w.Stakes.Gaps[len(logs)-1])
	lo, hi := 0.0, 2*target/(gap*gap)
	for after(hi) < target {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-3*hi {
		if mid := (lo + hi) / 2; after(mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// Growth returns a lower bound of Σ log(1 + λ(Y - c)) over n rewards Y ≥ least whose mean and
// sum of squared deviations are known; λ ≥ 0 and λ(c - least) < 1. It is what rewards have that are
// least and one other number. For rewards that are two numbers, least among them, it is the sum itself.
//
// The quadratic q that agrees with f(y) = log(1 + λ(y - c)) at least, and with f and f' at the other
// number p, is nowhere above f: f - q is f”'/6 · (y - least)(y - p)² somewhere, and f”' > 0. Σ q goes by
// mean and squares only.
func Growth(n, mean, squares, least, lambda, c float64) float64 {
	above := mean - least
	if !(above > 0) {
		return n * math.Log1p(lambda*(mean-c))
	}
	v := squares / n
	share := above * above / (above*above + v)
	sum := share * math.Log1p(lambda*(mean+v/above-c))
	if share < 1 {
		sum += (1 - share) * math.Log1p(lambda*(least-c))
	}
	return n * sum
}

// nextStake returns the look of the next step: looks of a capital are counted and have no times. The
// last look of a clock is never reached.
func (w *Walk) nextStake() int { return min(w.Look+1, ClockLooks-2) }

// capitalGap is Gap of a walk with stakes. The width is the gap less what could be taken off it, in all
// steps, before the capital falls to the height.
func (w *Walk) capitalGap(c Clock) (gap, width float64) {
	var sum, weight float64
	for _, s := range w.steps {
		sum, weight = sum+s.info*s.Gap, weight+s.info
	}
	gap = sum / weight
	logs, _ := w.capitals(-1, 0, 0)
	shifted := make([]float64, len(logs))
	after := func(off float64) float64 {
		copy(shifted, logs)
		for _, s := range w.steps {
			for j := range shifted {
				shifted[j] -= s.Slope[j] * off
			}
		}
		return w.Stakes.total(shifted)
	}
	lo, hi := -1.0, 1.0
	for after(lo) < c.Z[0] {
		lo *= 2
	}
	for after(hi) > c.Z[0] {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; after(mid) < c.Z[0] {
			hi = mid
		} else {
			lo = mid
		}
	}
	return gap, gap - lo
}

// resolution is the grid on which Constant rounds up. It raises z² by less than one
// part in a million, and samples with it.
const resolution = 1e-6

// Constant returns the smallest z on a grid of a millionth with
//
//	P(B(T) ≥ z √T at one of the times) ≤ alpha,
//
// the bound on the numerical error of this probability included: the constant of [Pocock77] for any
// clock. It takes some milliseconds for 60 looks. alpha must lie in [1e-12, 1/2]; errors are as for
// [Crossing].
func Constant(alpha float64, times []float64) (float64, error) {
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return 0, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	excess := func(z float64) (float64, error) {
		p, slack, err := Crossing(z, times)
		return math.Log((p + slack) / alpha), err
	}
	// The looks cross as often as e^h that know nothing of each other. One alone needs lo, all of them need hi at most. h is
	// nearly linear in z and changes slowly, so that a secant through it finds z in a few steps.
	lo, hi := quantile(alpha), quantile(alpha/float64(max(len(times), 1)))+resolution
	z, last, before, slope := hi, hi, 0., 0.
	for step := math.Inf(1); step > 100*resolution; step = math.Abs(z - last) {
		f, err := excess(z)
		if err != nil {
			return 0, err
		}
		h := f + math.Log(alpha/above(z))
		if z != last {
			slope = (h - before) / (z - last)
		}
		last, before = z, h
		for range 20 {
			z = min(max(quantile(alpha/math.Exp(max(h+slope*(z-last), 0))), lo), hi)
		}
	}
	z = math.Floor(z/resolution) * resolution
	for f, err := excess(z); f <= 0 && err == nil; f, err = excess(z) {
		z -= resolution
	}
	for {
		z += resolution
		if f, err := excess(z); err != nil || f <= 0 {
			return z, err
		}
	}
}

// Heights returns z_k, one per time, such that a Brownian motion B has B(T_k) ≥ z_k √T_k at some k with probability at
// most alpha, by the union bound: looks from late on share that part of alpha, the others have the rest, each by its
// [Constant], and no height falls. 0 < late < len(times); errors are as for Constant.
func Heights(alpha float64, times []float64, late int, share float64) ([]float64, error) {
	z, err := Constant((1-share)*alpha, times[:late])
	if err != nil {
		return nil, err
	}
	after, err := Constant(share*alpha, times[late:])
	return append(slices.Repeat([]float64{z}, late), slices.Repeat([]float64{max(z, after)}, len(times)-late)...), err
}

// quantile returns z with P(ξ ≥ z) = alpha for a standard normal ξ.
func quantile(alpha float64) float64 { return -mathext.NormalQuantile(alpha) }

// Mixture returns heights z_k, one per time, that hold for every sum S of martingale
// differences that are sub-Gaussian on the clock, E exp(h dS | past) ≤ exp(h² dT/2):
//
//	P(S(T_k) ≥ z_k √T_k at some k) ≤ alpha,
//
// whether all times are looked at or some. [Constant] is lower, and holds for normal increments
// only.
//
// The mean of exp(hS - h²T/2) over finitely many h > 0 is then a supermartingale that begins at 1
// [Robbins70], and z_k is where it reaches 1/alpha [Ville39], rounded up to a millionth. There is
// one h for every one of the first times, up to a horizon, the one for which a sum at about z_k √T_k counts most. alpha must lie in
// [1e-12, 1/2]; 0 < horizon ≤ len(times); errors are as for [Crossing].
func Mixture(alpha float64, times []float64, horizon int) ([]float64, error) {
	if !(alpha >= 1e-12 && alpha <= 0.5) {
		return nil, fmt.Errorf("boundary: the error probability must lie between 1e-12 and 0.5, got %g", alpha)
	}
	if err := check(times); err != nil {
		return nil, err
	}
	heights := make([]float64, len(times))
	// Any centre is valid; the height in the middle of the clock is the best one.
	centre := math.Sqrt(2 * math.Log(1/alpha))
	for range 4 {
		m := mixture{centre: centre, times: times[:horizon], exponents: make([]float64, horizon)}
		for k, at := range times {
			heights[k] = m.height(at, math.Log(1/alpha))
		}
		centre = heights[horizon/2]
	}
	return heights, nil
}

// mixture is Σ_j exp(h_j S - h_j² T/2)/K with h_j = centre/√T_j.
type mixture struct {
	centre    float64
	times     []float64
	exponents []float64 // scratch
}

// logarithm returns the logarithm of the mixture at S = z √T.
func (m *mixture) logarithm(at, z float64) float64 {
	for j, t := range m.times {
		h := m.centre * math.Sqrt(at/t)
		m.exponents[j] = h*z - h*h/2
	}
	return floats.LogSumExp(m.exponents) - math.Log(float64(len(m.times)))
}

// height returns the z at which the mixture reaches its target at a time, by bisection: it rises
// with z.
func (m *mixture) height(at, target float64) float64 {
	lo, hi := 0.0, 2*m.centre
	for m.logarithm(at, hi) < target {
		hi *= 2
	}
	for hi-lo > resolution/4 {
		if mid := (lo + hi) / 2; m.logarithm(at, mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Ceil(hi/resolution) * resolution
}

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
	Most           float64 // loss up to which it rises so; 0 where at any
}

// Z returns Z if the leader were that loss ≥ 0 below x. It rises with the loss, and at the leader's
// loss no probability P(Z ≥ u) is above the standard normal law's; with known scales it is
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
