package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Scales holds the known and estimated noise scales of a run.
type Scales struct {
	Model *model.Model // with the precisions of the coming round

	Groups  []int     // N: group of arms with a common unknown factor; nil if scales are known
	guides  bool      // scales are used only to plan pulls, and no test depends on them
	tested  *grouping // chooses Groups; nil if they are stated
	freedom []float64 // per group: degrees of freedom of the rounds so far
	squares []float64 // per group: Σ squared deviations over guessed variance

	// for a posterior method, see Pool
	Squares   bool            // plans request squared deviations; a stated scale is used until some arrive
	each      *replicates     // nil for bounded rewards and for other methods
	effective []float64       // per group: degrees of freedom of its estimate
	Found     *engine.Warning // warning that the variation of rewards contradicts stated scales; nil if none
	seen      *shown          // nil for other methods, and after means of several rewards without squares
	stated    bool            // Groups are single arms, because scales are stated that the data may contradict
	outcomes  bool            // all rewards so far are one of two values, which determines their variance
	of        []share         // per group: replicates of the round, see Replicated
}

// NewScales returns the scales before any data. It returns an error if Options.Law does not suit the problem.
func NewScales(m *model.Model, opt engine.Options) (Scales, error) {
	p := m.Problem
	n := Scales{Model: m}
	n.Groups = p.Noise.Groups(p.TaskOf)
	if opt.Law == engine.LawSymmetric && p.Block == nil {
		return n, fmt.Errorf("law=%q is for differences within blocks. State the blocks (block=), or leave law= out", opt.Law)
	}
	if n.Groups == nil {
		return n, nil
	}
	if law := opt.LawFor(p); law != engine.LawNormal && law != engine.LawSymmetric {
		return n, fmt.Errorf("law must be %q if noise scales are unknown, because %q needs known scales", engine.LawNormal, opt.LawFor(p))
	}
	n.group(n.Groups)
	if p.Noise.UnknownBy == problem.UnknownTested && p.Block == nil {
		n.tested = newGrouping(p)
	}
	return n, nil
}

// Guide estimates the scale of each arm, for planning only. It is used if tests do not depend on scales and the problem's
// scales are only upper limits.
func (n *Scales) Guide() {
	n.guides, n.tested = true, nil
	n.group(indices.All(n.Model.Problem.N()))
}

// group sets the group of each arm, before any data. Arms of one group share an unknown factor.
func (n *Scales) group(of []int) {
	count := slices.Max(of) + 1
	n.Groups, n.freedom, n.squares, n.effective = of, make([]float64, count), make([]float64, count), make([]float64, count)
}

// weigh sets the precisions of the next round. variance returns the variance of one reward of an arm, normalised.
// Withdrawn arms keep precision 0.
func (n *Scales) weigh(variance func(arm int) float64) (err error) {
	precision := make([]float64, len(n.Model.Precision))
	for i, old := range n.Model.Precision {
		if old > 0 {
			precision[i] = 1 / variance(i)
		}
	}
	n.Model, err = n.Model.Reweighted(precision)
	return err
}

// fewestFree is the smallest number of degrees of freedom of an unknown scale in each round that pulls it. With fewer, the
// quantiles of Student's distribution cost more than the extra pulls.
const fewestFree = 6

// Replicate adds pulls to counts until the scale of each group with pulls can be estimated. It adds them to the group's
// arm with the most pulls.
func (n *Scales) Replicate(counts []int) {
	if n.Groups == nil || n.guides {
		return
	}
	n.tested.replicate(counts)
	each := fewestFree
	if n.each != nil {
		each = max(fewestEach, (fewestPooled+len(n.freedom)-1)/len(n.freedom))
	}
	free, most := make([]int, len(n.freedom)), slices.Repeat([]int{-1}, len(n.freedom))
	for i, c := range counts {
		if g := n.Groups[i]; c > 0 {
			free[g] += c - 1
			if most[g] < 0 || c > counts[most[g]] {
				most[g] = i
			}
		}
	}
	for g, i := range most {
		if i >= 0 && free[g] < each {
			counts[i] += each - free[g]
		}
	}
}

// guideShare is the weight of the common scale, in degrees of freedom, in an arm's scale that is used only for planning.
// Without it, stakes on arms whose scale seems small by chance would be too large.
const guideShare = 24

// Learn adds a round's squared deviations, and sets the precisions of the next round. These are guesses times factors
// estimated from all rounds so far. Factors with few data are shrunk towards the common one.
func (n *Scales) Learn(b engine.Batch) error {
	if n.each != nil {
		return n.learnPooled(b)
	}
	if shown, err := n.show(b); shown || err != nil {
		return err
	}
	if n.Groups == nil {
		return nil
	}
	p := n.Model.Problem
	if n.tested != nil {
		n.regroup(b)
		return n.reweigh()
	}
	for i, c := range b.Counts {
		if c > 1 && b.Squares != nil {
			n.freedom[n.Groups[i]] += float64(c - 1)
			n.squares[n.Groups[i]] += b.Squares[i] / (p.Noise.Scales[i] * p.Noise.Scales[i])
		}
	}
	return n.reweigh()
}

// reweigh sets the precisions of the next round from the squares so far.
func (n *Scales) reweigh() error {
	freedom, squares := lists.Total(n.freedom), lists.Total(n.squares)
	if !(squares > 0) { // no replicates, or rewards without noise
		return nil
	}
	factor := n.shrunk(squares / freedom)
	return n.weigh(func(i int) float64 {
		sigma := n.Model.Problem.Noise.Scales[i] / n.Model.Unit
		return sigma * sigma * factor[n.Groups[i]]
	})
}

// shrunk returns the estimated variance factor of each group. common is the factor estimated from all groups together.
func (n *Scales) shrunk(common float64) (factor []float64) {
	if n.each != nil {
		belief := 0.0
		if n.stated {
			belief = statedBelief
		}
		factor, n.effective = pooled(n.freedom, n.squares, belief)
		for g := range factor {
			if n.stated && n.Found == nil { // without their rare values, skewed rewards have a small variance around a biased mean
				factor[g] = max(1, factor[g])
			}
		}
		return factor
	}
	shared := float64(fewestFree)
	if n.guides {
		shared = guideShare
	}
	factor = make([]float64, len(n.freedom))
	for g, f := range n.freedom {
		factor[g] = (n.squares[g] + shared*common) / (f + shared)
	}
	return factor
}

// Change returns the smallest ratio of an arm's precision to its precision in the model before any data.
func (n *Scales) Change(before *model.Model) float64 {
	if n.Groups == nil || n.Model == before {
		return 1
	}
	least := math.Inf(1)
	for i, precision := range n.Model.Precision {
		if before.Precision[i] > 0 {
			least = min(least, precision/before.Precision[i])
		}
	}
	return least
}

// noWeight is the largest weight of an arm, relative to the largest one, that counts as a rounding error. Such an arm is
// removed from the estimate and from its variance. Its unknown noise scale would otherwise matter, and a guess may be
// wrong by any factor.
const noWeight = 1e-10

// Score returns the round's evidence on a bet from the estimates of estimator e. Replicated must be called before, with
// the same round.
func (n *Scales) Score(b sequential.Bet, e *model.Estimator, estimates []float64, round engine.Batch) sequential.Score {
	gap := estimates[b.Opponent] - estimates[b.Arm] - b.Bias
	if n.Groups == nil {
		return n.ScoreOf(gap, b.Variance, nil, nil, round)
	}
	weights := e.Weights(b.Opponent, b.Arm)
	least := noWeight * lists.Max(weights, math.Abs)
	var arms []int
	for i, c := range round.Counts {
		switch {
		case c > 0 && math.Abs(weights[i]) > least:
			arms = append(arms, i)
		case c > 0:
			gap -= weights[i] * round.Means[i] / n.Model.Unit
		}
	}
	return n.ScoreOf(gap, b.Variance, arms, indices.Of(weights, arms), round)
}

// Replicated adds up the squared deviations of a round by group, for Score and ScoreOf.
func (n *Scales) Replicated(round engine.Batch) {
	n.of = make([]share, len(n.freedom))
	for i, c := range round.Counts {
		if c > 0 && n.Groups != nil {
			g, sigma := &n.of[n.Groups[i]], n.Model.Problem.Noise.Scales[i]
			g.squares, g.freedom = g.squares+round.Squares[i]/(sigma*sigma), g.freedom+float64(c-1)
		}
	}
}

// ScoreOf returns the round's evidence on a gap that is estimated as Σ_j w_j ȳ_j from the means of arms. gap is the
// estimate minus its bias bound. The variance is Σ_j w_j² σ_j²/n_j, and each scale is estimated from all its replicates in
// the round. variance is used only if scales are known.
func (n *Scales) ScoreOf(gap, variance float64, arms []int, weights []float64, round engine.Batch) sequential.Score {
	s := sequential.Score{Gap: gap, Sd: math.Sqrt(variance), Freedom: math.Inf(1)}
	if n.Groups == nil {
		return s
	}
	n.tested.score()
	for j, i := range arms {
		sigma := n.Model.Problem.Noise.Scales[i] / n.Model.Unit
		n.of[n.Groups[i]].coefficient += weights[j] * weights[j] * sigma * sigma / float64(round.Counts[i])
	}
	variance = 0
	for _, i := range arms {
		if g := &n.of[n.Groups[i]]; g.coefficient != 0 {
			variance += g.coefficient * g.squares / g.freedom // NaN without replicates: the walk then makes no step
			s.Freedom, g.coefficient = min(s.Freedom, g.freedom), 0
		}
	}
	s.Sd = math.Sqrt(variance)
	return s
}

// share is the contribution of one group's arms to the variance of a gap.
type share struct {
	coefficient      float64 // Σ w² σ²/n of the gap, with guessed σ
	squares, freedom float64 // squared deviations over the guessed variance, and their degrees of freedom
}

// FreedomOf returns the smallest number of degrees of freedom among the scales of arms; +Inf if they are known.
func (n *Scales) FreedomOf(arms []int) float64 {
	least := math.Inf(1)
	if n.outcomes {
		return least
	}
	for _, i := range arms {
		switch {
		case n.Groups != nil && n.each != nil:
			least = min(least, n.effective[n.Groups[i]])
		case n.Groups != nil:
			least = min(least, n.freedom[n.Groups[i]])
		}
	}
	return least
}

// Take adds the noise data of another problem's arms. It must be called before any data. at has the new index of each of
// these arms, -1 for dropped ones.
func (n *Scales) Take(from Scales, at []int) error {
	if n.seen != nil && from.seen != nil {
		n.seen.take(from.seen, at)
	} else {
		n.seen = nil
	}
	if n.each != nil && from.each != nil {
		return n.takeEach(from, at)
	}
	if shown, err := n.show(engine.Batch{}); shown || err != nil {
		return err
	}
	if n.Groups == nil || from.Groups == nil {
		return nil
	}
	taken := make([]bool, len(from.freedom))
	for k, i := range at {
		if i < 0 || taken[from.Groups[k]] {
			continue
		}
		g, ratio := from.Groups[k], from.Model.Problem.Noise.Scales[k]/n.Model.Problem.Noise.Scales[i]
		taken[g] = true
		n.freedom[n.Groups[i]] += from.freedom[g]
		n.squares[n.Groups[i]] += from.squares[g] * ratio * ratio
	}
	return n.Learn(engine.Batch{})
}

// Few reports whether the scale of some arm is unknown and has fewer degrees of freedom than a planned round provides.
func (n *Scales) Few(arms []int) bool {
	switch {
	case n.stated:
		return false
	case n.each == nil || n.Groups == nil:
		return n.FreedomOf(arms) < fewestFree
	}
	return n.Freedom() < fewestPooled || slices.ContainsFunc(arms, func(i int) bool { return n.freedom[n.Groups[i]] < fewestEach })
}

// Freedom returns the sum of the degrees of freedom of all scales; +Inf if they are known.
func (n *Scales) Freedom() float64 {
	if n.Groups == nil || n.outcomes || n.stated && n.Found == nil {
		return math.Inf(1)
	}
	return lists.Total(n.freedom)
}
