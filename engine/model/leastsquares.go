package model

import (
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// Replicates has the data of all rounds so far, including the pure error, which is the variation of rewards of the same
// arm.
type Replicates struct {
	Pool
	means []float64 // N
	// N: Σ (reward - mean)² of each arm; if single rewards are unknown, the same sum over the means of its rounds
	squares []float64
	freedom []float64 // N: degrees of freedom of squares
}

// NewReplicates returns the replicates of n arms before any data.
func NewReplicates(n int) Replicates {
	return Replicates{Pool: NewPool(n), means: make([]float64, n), squares: make([]float64, n), freedom: make([]float64, n)}
}

// Add adds the data of a round.
func (d *Replicates) Add(b engine.Batch) {
	for i, c := range b.Counts {
		if c == 0 {
			continue
		}
		before, now := float64(d.Counts[i]), float64(c)
		if before > 0 {
			difference := b.Means[i] - d.means[i]
			d.squares[i] += before * now / (before + now) * difference * difference
			d.freedom[i]++
		}
		if b.Squares != nil {
			d.squares[i] += b.Squares[i]
			d.freedom[i] += now - 1
		}
	}
	copy(d.means, d.Pool.Add(b))
}

// scales has factors on the arms' stated noise variances. If the variances are unknown, arms of a group share a factor,
// which is estimated by their pure error.
type scales struct {
	Factor  []float64 // N; 0 or NaN if undetermined
	group   []int     // N: group of arms with a common factor; nil if scales are known
	freedom []float64 // per group: degrees of freedom of its factor
}

// Scales returns the factors of the noise variances. `all` is whether the factor of every pulled arm is determined.
func (d *Replicates) Scales(m *Model) (s scales, all bool) {
	p := m.Problem
	s.Factor, s.group = make([]float64, p.N()), p.Noise.Groups(p.TaskOf)
	if s.group == nil {
		for i := range s.Factor {
			s.Factor[i] = 1
		}
		return s, true
	}
	s.freedom = make([]float64, p.N())
	sum := make([]float64, p.N())
	for i, square := range d.squares {
		sum[s.group[i]] += square / (p.Noise.Scales[i] * p.Noise.Scales[i])
		s.freedom[s.group[i]] += d.freedom[i]
	}
	all = true
	for i, c := range d.Counts {
		s.Factor[i] = sum[s.group[i]] / s.freedom[s.group[i]]
		all = all && (c == 0 || s.Factor[i] > 0)
	}
	return s, all
}

// beyond reports whether the factor of arm i is positive and has more than this many degrees of freedom. It is true for
// known variances.
func (s scales) beyond(degrees float64, i int) bool {
	return s.group == nil || s.freedom[s.group[i]] > degrees && s.Factor[i] > 0
}

// meanFit is a least-squares fit of the measured arms' means by the model's features.
type meanFit struct {
	arms     []int     // the pulled arms
	Weights  []float64 // 1/variance of each mean, normalised
	residual []float64 // (mean - fit) over the mean's standard deviation
	fitSpace
	Freedom int     // number of arms minus the rank of their features
	Sum     float64 // Σ residual²
}

// fitSpace is the column space of the features of the pulled arms, each row divided by the standard deviation of the arm's
// mean.
type fitSpace struct {
	basis    [][]float64 // orthonormal
	leverage []float64   // weight of an arm's mean in its own fit
}

// Floats returns how many numbers are stored, for the size limit of a Memory.
func (s fitSpace) Floats() int { return (len(s.basis) + 1) * len(s.leverage) }

// LeastSquares fits the means of the pulled arms by the model's features. The mean of arm i has variance factor_i·σ_i²/n_i
// + extra, normalised. Features are orthonormalised with pivoting, and those with a relative residual below negligible are
// dropped. If the context of the model has ended, Freedom is 0, so that there is nothing to test; the run then ends before
// its next round.
func (m *Model) LeastSquares(d Replicates, factor []float64, extra float64) meanFit {
	var l meanFit
	m, err := m.Exact()
	if err != nil {
		return l
	}
	for i, c := range d.Counts {
		if c > 0 {
			l.arms = append(l.arms, i)
			l.Weights = append(l.Weights, 1/(factor[i]/(float64(c)*m.Precision[i])+extra))
		}
	}
	space := func() (fitSpace, error) { return m.fitSpace(l.arms, l.Weights) }
	// runs of a simulation share spaces whose weights depend only on counts
	if few := 1 << 12; extra == 0 && m.Problem.Noise.UnknownBy == "" && len(l.arms)*m.Rank() <= few {
		l.fitSpace, err = Remembered(m, canon.Key{Kind: canon.KindFitSpace, Sets: [][]int{d.Counts}}, space)
	} else {
		l.fitSpace, err = space()
	}
	if err != nil {
		return l
	}
	l.residual = make([]float64, len(l.arms))
	for k, i := range l.arms {
		l.residual[k] = math.Sqrt(l.Weights[k]) * d.means[i] / m.Unit
	}
	for _, q := range l.basis {
		subtract(l.residual, q)
	}
	l.Freedom = len(l.arms) - len(l.basis)
	if l.Freedom > 0 {
		l.Sum = Dot(l.residual, l.residual)
	}
	return l
}

// fitSpace returns the space of fits for these arms; weights[k] is 1/variance of the mean of arms[k]. It returns an error
// if the context ends.
func (m *Model) fitSpace(arms []int, weights []float64) (fitSpace, error) {
	n := len(arms)
	columns, all := make([][]float64, m.Rank()), make([]float64, n*m.Rank())
	for j := range columns {
		columns[j] = all[j*n : (j+1)*n]
	}
	for k, i := range arms {
		root := math.Sqrt(weights[k])
		for j, v := range m.Features.RawRowView(i) {
			columns[j][k] = root * v
		}
	}
	ctx := m.Context()
	out := fitSpace{columns[:orthonormalise(ctx, columns)], make([]float64, n)}
	for _, q := range out.basis {
		for k, v := range q {
			out.leverage[k] += v * v
		}
	}
	return out, ctx.Err()
}

// orthonormalise replaces the first rank columns by an orthonormal basis of all columns. It takes the largest remaining
// column first and orthogonalises each twice. If the context ends, it returns the basis computed so far.
func orthonormalise(ctx context.Context, columns [][]float64) (rank int) {
	largest := 0.0
	norms := make([]float64, len(columns))
	for j, c := range columns {
		norms[j] = Dot(c, c)
		largest = max(largest, norms[j])
	}
	for rank < len(columns) && len(columns) > 0 && rank < len(columns[0]) {
		if ctx.Err() != nil {
			return rank
		}
		pivot := rank
		for j := rank; j < len(columns); j++ {
			if norms[j] > norms[pivot] {
				pivot = j
			}
		}
		columns[rank], columns[pivot] = columns[pivot], columns[rank]
		norms[rank], norms[pivot] = norms[pivot], norms[rank]
		q := columns[rank]
		for _, before := range columns[:rank] {
			subtract(q, before)
		}
		norm := Dot(q, q)
		if !(norm > negligible*largest) {
			return rank
		}
		root := math.Sqrt(norm)
		for k := range q {
			q[k] /= root
		}
		rank++
		for j := rank; j < len(columns); j++ {
			subtract(columns[j], q)
			norms[j] = Dot(columns[j], columns[j])
		}
	}
	return rank
}

// subtract subtracts from v its projection on the unit vector q, in place.
func subtract(v, q []float64) {
	addTo(v, -Dot(v, q), q)
}

// Dot returns aᵀb.
func Dot(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += v * b[k]
	}
	return sum
}

// fewDegrees is the largest number of degrees of freedom for which the second moment of a quotient by an estimated
// variance is infinite.
const fewDegrees = 4

// tested fits the arms that the lack-of-fit test uses: those whose noise factor has more than fewDegrees degrees of
// freedom. If these leave nothing to test, it fits all arms whose factor is determined.
func tested(m *Model, d Replicates, s scales) (l meanFit) {
	for _, degrees := range []float64{fewDegrees, 0} {
		known := d
		known.Counts = slices.Clone(d.Counts)
		for i := range known.Counts {
			if !s.beyond(degrees, i) {
				known.Counts[i] = 0
			}
		}
		if l = m.LeastSquares(known, s.Factor, 0); l.Freedom > 0 || s.group == nil {
			break
		}
	}
	return l
}

// law returns the distribution of the residual sum of squares with estimated scales, if the kernel is right:
// multiple·f·F(f, pure) with f = l.Freedom. pure is infinite if scales are known.
//
// Let τ̂_g = τ_g·χ²/ν_g be the factor of group g, M the projection onto residuals, and B_g the part of M for the arms
// of g. The sum is yᵀ(Σ_g (τ̂_g/τ_g) B_g)⁻¹y for y ~ N(0, 1) in the f dimensions of M, where Σ_g B_g = 1. Its mean and
// variance are
//
//	f + Σ_g 2 tr(B_g²)/(ν_g-2)
//	2f + Σ_g [2ν_g²(tr(B_g)² + (ν_g-2) tr(B_g²))/((ν_g-2)²(ν_g-4)) - 2 tr(B_g²)]
//
// to first order in 1/ν. They are exact if the B_g are orthogonal projections, because the sum then consists of
// independent multiples of F(tr B_g, ν_g). The result is the multiple of F with this mean and variance, as
// [Satterthwaite 1946] uses a multiple of χ². To first order it is the distribution of [Johansen 1980], and for the
// mean of several groups that of [Welch 1951]. With one group it is exactly F.
//
// If a scale has at most fewDegrees degrees of freedom, pure is the smallest number of degrees, which is conservative.
func (l meanFit) law(s scales) (multiple, pure float64) {
	if s.group == nil {
		return 1, math.Inf(1)
	}
	f, least := float64(l.Freedom), math.Inf(1)
	mean, variance := f, 2*f
	for g, members := range indices.Groups(len(s.freedom), indices.Of(s.group, l.arms)) { // positions in l.arms
		if len(members) == 0 {
			continue
		}
		v := s.freedom[g]
		least = min(least, v)
		trace, square := l.traces(members)
		mean += 2 * square / (v - 2)
		variance += 2*v*v*(trace*trace+(v-2)*square)/((v-2)*(v-2)*(v-4)) - 2*square
	}
	if least <= fewDegrees {
		return 1, least
	}
	// ratio is the squared coefficient of variation, divided by that of χ²
	ratio := f * variance / (2 * mean * mean)
	if ratio <= 1 { // only by rounding: the scales are practically known
		return 1, math.Inf(1)
	}
	pure = (f - 2 + 4*ratio) / (ratio - 1)
	return mean / f * (1 - 2/pure), pure
}

// traces returns tr(B) and tr(B²) for the arms at the given positions of l.arms. For the projection M = 1 - QQᵀ onto
// residuals, these are the sums of m_kk and of m_kj² over the positions.
func (l meanFit) traces(members []int) (trace, square float64) {
	for _, k := range members {
		trace += 1 - l.leverage[k]
		square += 1 - 2*l.leverage[k]
	}
	for a, p := range l.basis {
		for b, q := range l.basis[:a+1] {
			sum := 0.0
			for _, k := range members {
				sum += p[k] * q[k]
			}
			square += sum * sum
			if b < a {
				square += sum * sum
			}
		}
	}
	return trace, square
}
