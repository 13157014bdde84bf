package rounds

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// Pool selects the estimation of noise scales for posterior methods. Estimated scales are shrunk towards each other, see
// pooled. Stated scales are replaced by estimates per arm once the data reject them. The same holds for scales that the
// problem estimated from data; until then they are lower limits. Bounded rewards use their observed variance instead of
// half their range.
func (n *Scales) Pool() {
	p := n.Model.Problem
	n.tested = nil
	n.Squares = n.Groups != nil || p.Noise.Bounds != nil || p.Noise.Estimated()
	n.seen = &shown{make([]float64, p.N()), make([]float64, p.N()), make([]float64, p.N())}
	if p.Noise.Bounds != nil {
		return
	}
	n.each = newReplicates(p.N())
}

// learnPooled adds a round's squared deviations, and sets the precisions of the next round.
func (n *Scales) learnPooled(b engine.Batch) (err error) {
	p := n.Model.Problem
	n.each.add(p.Noise.Scales, b)
	before := n.outcomes
	if n.outcomes, err = n.show(b); n.outcomes || err != nil {
		return err
	}
	if n.Groups == nil && floats.Sum(n.each.freedom) == 0 {
		return n.restated(before)
	}
	if (n.Groups == nil || n.stated) && n.Found == nil {
		n.Found = n.each.contradict(p)
	}
	if n.Groups == nil {
		if n.stated = p.Noise.Estimated(); !n.stated && n.Found == nil {
			return n.restated(before)
		}
		n.group(indices.All(p.N()))
	}
	clear(n.freedom)
	clear(n.squares)
	for i, g := range n.Groups {
		n.freedom[g] += n.each.freedom[i]
		n.squares[g] += n.each.squares[i]
	}
	copy(n.effective, n.freedom) // without evidence on the differences
	return n.reweigh()
}

// restated restores the precisions of the stated scales; set states that others were set.
func (n *Scales) restated(set bool) error {
	if !set {
		return nil
	}
	return n.weigh(func(i int) float64 {
		sigma := n.Model.Problem.Noise.Scales[i] / n.Model.Unit
		return sigma * sigma
	})
}

// Within sets the noise scales of rewards within blocks, one per task. squares holds the sum of squared block residuals
// of each task, normalised, and freedom its degrees of freedom. Stated scales are ignored.
func (n *Scales) Within(freedom, squares []float64) error {
	n.Groups, n.freedom, n.squares = n.Model.Problem.TaskOf, freedom, squares
	n.each, n.seen = newReplicates(n.Model.Problem.N()), nil
	if n.effective = slices.Clone(freedom); !(floats.Sum(squares) > 0) { // equal blocks have no information on a scale
		return nil
	}
	factor, effective := pooled(freedom, squares, 0)
	n.effective = effective
	return n.weigh(func(i int) float64 { return factor[n.Groups[i]] })
}

// takeEach adds the noise data of another problem's arms, see Take.
func (n *Scales) takeEach(from Scales, at []int) error {
	for k, i := range at {
		if i < 0 {
			continue
		}
		ratio := from.Model.Problem.Noise.Scales[k] / n.Model.Problem.Noise.Scales[i]
		n.each.freedom[i] += from.each.freedom[k]
		n.each.squares[i] += from.each.squares[k] * ratio * ratio
	}
	n.each.looks = from.each.looks
	if n.Found = from.Found; n.Found != nil && !from.stated {
		n.group(indices.All(n.Model.Problem.N()))
	}
	return n.learnPooled(engine.Batch{})
}

// replicates holds the variation of each arm's rewards around their mean.
type replicates struct {
	freedom, squares []float64 // N: degrees of freedom, and squared deviations divided by the stated or guessed variance
	looks            int
}

func newReplicates(n int) *replicates {
	return &replicates{freedom: make([]float64, n), squares: make([]float64, n)}
}

func (r *replicates) add(scales []float64, b engine.Batch) {
	for i, c := range b.Counts {
		if c > 1 && b.Squares != nil {
			r.freedom[i] += float64(c - 1)
			r.squares[i] += b.Squares[i] / (scales[i] * scales[i])
		}
	}
}

// contradict returns a warning if the rewards of some arm vary more than its stated scale allows, by a χ² test; otherwise
// nil. The k-th call has level LackLevel/(k(k+1)) for all arms together.
func (r *replicates) contradict(p *problem.Problem) *engine.Warning {
	r.looks++
	worst, chance := engine.NoisiestArm(len(r.freedom), func(i int) (squares, freedom float64) { return r.squares[i], r.freedom[i] })
	if worst < 0 || !(chance <= engine.LackLevel/float64(r.looks*(r.looks+1))) {
		return nil
	}
	ratio := math.Sqrt(r.squares[worst] / r.freedom[worst])
	return &engine.Warning{Kind: engine.WarnNoiseDiffers,
		Numbers: []float64{p.Noise.Scales[worst] * ratio, ratio, max(chance, leastShown)}}
}

// fewestPooled and fewestEach are the smallest degrees of freedom of a first round with pooled scales: in total and per
// arm.
const fewestPooled, fewestEach = 6, 1

// likeness lists the values of ν that pooled averages over. ν is the degrees of freedom of the distribution of scales:
// with 0.5 they differ by powers of ten, with infinity they are equal.
var likeness = [...]float64{0.5, 1, 2, 4, 8, 16, 32, 64, math.Inf(1)}

// statedBelief is the prior probability that stated scales are correct. statedWidth is the standard deviation of log s² if
// they are not.
const statedBelief, statedWidth = 0.95, 0.5

// around lists the grid points of log s² around its likeliest value, in standard deviations.
var around = [...]float64{-2, -1, 0, 1, 2}

// pooled returns, for each group of arms, a factor and its degrees of freedom. The factor is one over the posterior
// mean of the inverse variance, relative to the guessed variance. The degrees of freedom are those of Student's
// distribution with this factor. The sums of squares S_g over guessed variances have n_g degrees of freedom. The model
// of the factors is
//
//	φ_g ~ ν s²/χ²_ν,  S_g | φ_g ~ φ_g χ²_{n_g},  E 1/φ_g = (n_g + ν)/(S_g + ν s²)
//
// given ν and s [Smyth04]. The posterior averages over both by their evidence: ν over likeness, and log s² with a flat
// prior. The degrees of freedom are those of the gamma distribution with the mean and variance of 1/φ_g. Equal rewards,
// for example rounded ones, count as rewards with a tenth of the common scale.
//
// With probability stated all factors are 1. It is 0 if no scales are stated; otherwise the prior of log s² is normal
// around 0.
//
// [Smyth04]: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray
// experiments, Statistical Applications in Genetics and Molecular Biology 3 (2004) 3.
func pooled(freedom, squares []float64, stated float64) (factor, effective []float64) {
	all, sum := floats.Sum(freedom), floats.Sum(squares)
	factor, effective = make([]float64, len(freedom)), make([]float64, len(freedom))
	if len(freedom) == 1 && stated == 0 {
		factor[0], effective[0] = sum/all, all
		return factor, effective
	}
	squares = slices.Clone(squares)
	for g, f := range freedom {
		if squares[g] == 0 {
			squares[g] = alike * f * sum / all
		}
	}
	var logs, places []float64
	for _, nu := range likeness {
		x, width := likeliest(freedom, squares, nu, math.Log(sum/all))
		for _, k := range around {
			l := evidenceOf(freedom, squares, nu, x+k*width) + math.Log(width)
			if stated > 0 {
				l += distuv.Normal{Sigma: statedWidth}.LogProb(x+k*width) + math.Log((1-stated)/float64(len(likeness)))
			}
			logs, places = append(logs, l), append(places, x+k*width)
		}
	}
	logs = append(logs, evidenceOf(freedom, squares, math.Inf(1), 0)+math.Log(stated))
	total := floats.LogSumExp(logs)
	mean, square := make([]float64, len(freedom)), make([]float64, len(freedom))
	for k, x := range places {
		w, nu, s2 := math.Exp(logs[k]-total), likeness[k/len(around)], math.Exp(x)
		for g, n := range freedom {
			precision, more := 1/s2, 1/s2
			if !math.IsInf(nu, 1) {
				precision = (n + nu) / (squares[g] + nu*s2)
				more = (n + nu + 2) / (squares[g] + nu*s2)
			}
			mean[g] += w * precision
			square[g] += w * precision * more
		}
	}
	floats.AddConst(math.Exp(logs[len(places)]-total), mean)
	floats.AddConst(math.Exp(logs[len(places)]-total), square)
	for g, m := range mean {
		factor[g] = 1 / m
		effective[g] = 2 * m * m / max(square[g]-m*m, 1e-12*m*m)
	}
	return factor, effective
}

// alike is the variance assigned to equal rewards, as a fraction of the common variance.
const alike = 0.01

// likeliest returns the x = log s² with the largest evidence, and the standard deviation from the curvature there. It uses
// Newton's method from the start x; the evidence is concave in x.
func likeliest(freedom, squares []float64, nu, x float64) (at, width float64) {
	const steps = 30
	for range steps {
		slope, curve := 0.0, 0.0
		for g, n := range freedom {
			if math.IsInf(nu, 1) {
				half := squares[g] * math.Exp(-x) / 2
				slope, curve = slope+half-n/2, curve+half
				continue
			}
			part := nu * math.Exp(x) / (nu*math.Exp(x) + squares[g])
			slope += (nu - (n+nu)*part) / 2
			curve += (n + nu) * part * (1 - part) / 2
		}
		if !(curve > 0) {
			return x, 1
		}
		width = 1 / math.Sqrt(curve)
		step := max(-1, min(1, slope/curve))
		if x += step; math.Abs(step) < 1e-3*width {
			break
		}
	}
	return x, width
}

// evidenceOf returns the log density of all squares given ν and x = log s², up to a constant.
func evidenceOf(freedom, squares []float64, nu, x float64) float64 {
	sum := 0.0
	for g, n := range freedom {
		if n == 0 {
			continue
		}
		if math.IsInf(nu, 1) {
			sum -= n/2*(math.Ln2+x) + squares[g]*math.Exp(-x)/2
			continue
		}
		up, _ := math.Lgamma((n + nu) / 2)
		down, _ := math.Lgamma(nu / 2)
		sum += up - down + nu/2*(math.Log(nu)+x) - (n+nu)/2*math.Log(nu*math.Exp(x)+squares[g])
	}
	return sum
}
