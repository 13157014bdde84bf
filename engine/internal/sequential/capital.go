package sequential

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Stakes are bets of several sizes on one gap at the same time. Each begins with an equal share of a capital of 1.
// Under the hypothesis no capital grows on average, so their sum reaches 1/α with probability at most α [Ville39,
// WaudbySmithRamdas24]. A walk with stakes has the same boundary log(1/α) at every look, and its looks have no times.
type Stakes struct {
	Gaps []float64 // h of each stake, normalised: the gap for which this bet is about the best
}

// Constants of the stakes of a walk. A gap between two neighbouring stakes loses a few per cent of its growth. A larger
// number of stakes would cost more than it gains.
const (
	stakeRatio = 1.6
	mostStakes = 14
	stakeLeast = 0.4       // smallest gap of a stake, as a fraction of the requested accuracy
	stakeFine  = 1. / 8192 // smallest gap of a stake, as a fraction of the range of rewards, if no accuracy is requested
)

// NewStakes returns stakes for gaps from about the accuracy epsilon up to span, the range of rewards. Without an accuracy
// they begin at a small fraction of the range.
func NewStakes(epsilon, span float64) *Stakes {
	least := min(max(stakeLeast*epsilon, stakeFine*span), span)
	n := min(1+int(math.Ceil(math.Log(span/least)/math.Log(stakeRatio))), mostStakes)
	out := &Stakes{Gaps: make([]float64, n)}
	for j := range out.Gaps {
		out.Gaps[j] = span * math.Pow(least/span, float64(j)/float64(max(n-1, 1)))
	}
	return out
}

// total returns the logarithm of the capital of all stakes. logs has, for each stake, the logarithm of its capital
// relative to its initial share.
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

// reaches reports whether the capital is at least exp(height). The capital is the mean over the stakes, so it is smaller
// if every stake's is.
func (s *Stakes) reaches(logs []float64, height float64) bool {
	for _, x := range logs {
		if x >= height {
			return s.total(logs) >= height
		}
	}
	return false
}

// capitals returns the log capital of each stake after all steps if the leader is below x by loss. With a height above 0
// it stops at the first step at which the capital reaches exp(height), and then reached is true.
func (w *Walk) capitals(leader int, loss, height float64) (logs []float64, reached bool) {
	logs = make([]float64, len(w.Stakes.Gaps))
	for k := range w.steps {
		s := &w.steps[k]
		for j := range logs {
			logs[j] += s.Capital[j]
			if s.opponent == leader {
				logs[j] += s.Slope[j] * s.counted(loss)
			}
		}
		if height > 0 && w.Stakes.reaches(logs, height) {
			return logs, true
		}
	}
	return logs, false
}

// counted returns the part of a loss that may be counted: at most Most.
func (s Score) counted(loss float64) float64 {
	if s.Most > 0 {
		return min(loss, s.Most)
	}
	return loss
}

// Fair returns the log factors by which each stake changes, from the differences D_k of two arms within blocks.
// Differences must be symmetric around their mean. If the leader is below x by ℓ, a stake on h turns 1 into
//
//	Π_k (1 + tanh(λ(D_k + ℓ))),  λ = h/variance,
//
// whose mean is 1, because tanh is odd. variance is a guess from earlier data of the variance of a difference. Slope is
// the slope of the chord from ℓ = 0 to ℓ = most: log(1 + tanh) is concave, so it increases at least as fast as the chord.
func Fair(s *Stakes, differences []float64, variance, most float64) Score {
	n, mean, squares := float64(len(differences)), 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		squares += (d - mean) * (d - mean)
	}
	out := Score{Gap: mean, Freedom: math.Inf(1), Most: most, Sd: math.Sqrt(squares / (n * max(n-1, 1)))}
	out.Sd = cmp.Or(out.Sd, math.Sqrt(variance/n))
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

// logFair returns log(1 + tanh x) without overflow or cancellation.
func logFair(x float64) float64 {
	if x < 0 {
		return math.Ln2 + 2*x - math.Log1p(math.Exp(2*x))
	}
	return math.Ln2 - math.Log1p(math.Exp(-2*x))
}

// need returns the information after which the capital is expected to exceed its height. The parameter above is the
// intended excess, in standard deviations of a normal walk at the same level. A stake h is expected to gain h·gap -
// h²/2 per unit of information. Stakes above the largest size that the limits of rewards allowed in the last round gain
// no more than at this size.
func (*Stakes) need(w *Walk, c Clock, leader int, gap, slack, above float64) float64 {
	logs, _ := w.capitals(leader, slack, 0)
	height := c.Z[0]
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

// Growth returns a lower bound of Σ log(1 + λ(Y - c)) over n rewards Y ≥ least with the given mean and sum of squared
// deviations. It requires λ ≥ 0 and λ(c - least) < 1. The bound is the sum for rewards that take only the value least and
// one other value; for such rewards it is exact.
//
// Let q be the quadratic that agrees with f(y) = log(1 + λ(y - c)) at least, and with f and f' at the other value p. Then
// q ≤ f, because f - q is f”'/6 · (y - least)(y - p)² somewhere, and f”' > 0. Σ q depends only on mean and squares.
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

// next returns the next look. The looks of a capital have no times. The last look of a clock is never reached.
func (*Stakes) next(w *Walk, _ Clock, _ float64, _ int) int { return min(w.Look+1, ClockLooks-2) }

func (s *Stakes) take(w *Walk, c Clock, taken step) (crossed bool) {
	w.steps, w.Look = append(w.steps, taken), taken.look
	logs, _ := w.capitals(-1, 0, 0)
	w.Sum = s.total(logs)
	return w.Sum >= c.Z[w.Look]
}

func (s *Stakes) raised(w *Walk, leader int, loss float64) float64 {
	logs, _ := w.capitals(leader, loss, 0)
	return s.total(logs)
}

func (*Stakes) excludes(w *Walk, c Clock, leader int, loss float64) bool {
	_, reached := w.capitals(leader, loss, c.Z[0])
	return reached
}

func (s *Stakes) evidence(w *Walk, c Clock, leader int, loss float64) (statistic, threshold float64) {
	return math.Sqrt(max(0, s.raised(w, leader, loss))), math.Sqrt(c.Z[0])
}

// gap returns the mean of the steps' gaps, weighted by information. width is this mean minus the largest value that could
// be subtracted from all gaps while the capital still reaches the height.
func (*Stakes) gap(w *Walk, c Clock) (gap float64, width func() float64) {
	var sum, weight float64
	for _, s := range w.steps {
		sum, weight = sum+s.info*s.Gap, weight+s.info
	}
	gap = sum / weight
	now, height := Walk{Stakes: w.Stakes, steps: w.steps}, c.Z[0]
	return gap, sync.OnceValue(func() float64 { return gap - now.spare(height) })
}

// spare returns the largest value that could be subtracted from the gaps of all steps while the capital still reaches the
// given height.
func (w *Walk) spare(height float64) float64 {
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
	for after(lo) < height {
		lo *= 2
	}
	for after(hi) > height {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; after(mid) < height {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}
