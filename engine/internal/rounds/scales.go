package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Scales holds the known and estimated noise scales.
type Scales struct {
	Model *model.Model // with the precisions of the coming round

	Groups  []int     // N: the unknown factor that an arm's scale has; nil when scales are known
	guides  bool      // whether they only guide pulls: no test uses them
	freedom []float64 // by group, of the rounds so far
	squares []float64 // by group: Σ squared deviations over guessed variance

	// of a posterior method, see Pool
	Squares   bool            // whether plans ask for squares: a scale that was stated as a number is taken for it until some come
	each      *replicates     // nil of bounded rewards, and of other methods
	effective []float64       // by group: degrees of freedom of its estimate
	Found     *engine.Warning // what the scatter of rewards contradicts
	seen      *shown          // nil of other methods, and where somebody gave means of several rewards without their squares
	stated    bool            // whether scales are stated that squares may speak against: Groups are then the arms
	outcomes  bool            // whether all rewards so far are one of two values, whose law says how they scatter
	of        []share         // by group: the replicates of the round, see Replicated
}

// NewScales checks Options.Law against the problem and prepares.
func NewScales(m *model.Model, opt engine.Options) (Scales, error) {
	p := m.Problem
	n := Scales{Model: m}
	n.Groups = p.Noise.Groups(p.TaskOf)
	if opt.Law == engine.LawSymmetric && p.Block == nil {
		return n, fmt.Errorf("law=%q is of differences within blocks: say what is measured side by side (block=), or leave law= out", opt.Law)
	}
	if n.Groups == nil {
		return n, nil
	}
	if law := opt.LawFor(p); law != engine.LawNormal && law != engine.LawSymmetric {
		return n, fmt.Errorf("law must be %q where noise scales are unknown, got %q: nothing bounds them", engine.LawNormal, opt.LawFor(p))
	}
	n.group(n.Groups)
	return n, nil
}

// Guide lets the scale of each arm be estimated to plan by, where tests do not use scales and the scales of
// the problem are only the largest that there can be.
func (n *Scales) Guide() {
	n.guides = true
	n.group(indices.All(n.Model.Problem.N()))
}

// group sets which arms have an unknown factor in common, before any data.
func (n *Scales) group(of []int) {
	count := slices.Max(of) + 1
	n.Groups, n.freedom, n.squares, n.effective = of, make([]float64, count), make([]float64, count), make([]float64, count)
}

// weigh sets the precisions of the next round from the variance of a reward of each arm, normalised. Withdrawn arms stay at 0.
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

// fewestFree is the degrees of freedom that every unknown scale gets in every round that
// pulls it: with fewer, Student's law costs more than the pulls.
const fewestFree = 6

// Replicate adds pulls to the arm of each group that has most, until its scale can be estimated.
func (n *Scales) Replicate(counts []int) {
	if n.Groups == nil || n.guides {
		return
	}
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

// guideShare is what the common scale weighs, in degrees of freedom, beside an arm's own scale which only
// guides pulls: stakes on arms whose scale seems small by chance are too large.
const guideShare = 24

// Learn takes in a round's squared deviations and sets the precisions of the next round: guesses
// times the estimates of their factors from all rounds so far, those with little data shrunk
// towards the common one.
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
	if !(squares > 0) { // no replicates, or rewards without noise: nothing to learn
		return nil
	}
	factor := n.shrunk(squares / freedom)
	return n.weigh(func(i int) float64 {
		sigma := n.Model.Problem.Noise.Scales[i] / n.Model.Unit
		return sigma * sigma * factor[n.Groups[i]]
	})
}

// shrunk returns by group the estimated factor of its variance; common is the factor of all together.
func (n *Scales) shrunk(common float64) (factor []float64) {
	if n.each != nil {
		belief := 0.0
		if n.stated {
			belief = statedBelief
		}
		factor, n.effective = pooled(n.freedom, n.squares, belief)
		for g := range factor {
			if n.stated && n.Found == nil { // skewed rewards without their rare values lie close together around a mean that is off
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

// Change returns the least factor by which a precision differs from a model's before any data.
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

// noWeight is the weight, relative to the largest, that is rounding of 0. An arm of no more weight
// is left out of the estimate, not only of its variance: how much its noise counts is not known,
// and guesses may be off by any factor.
const noWeight = 1e-10

// Score returns the evidence of the round's data on a bet on the estimates of an estimator, whose replicates Replicated has.
func (n *Scales) Score(b sequential.Bet, e *model.Estimator, estimates []float64, round engine.Batch) sequential.Score {
	gap := estimates[b.Leader] - estimates[b.Arm] - b.Bias
	if n.Groups == nil {
		return n.ScoreOf(gap, b.Variance, nil, nil, round)
	}
	weights := e.Weights(b.Leader, b.Arm)
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

// Replicated adds up the replicates of a round by scale, for the scores of its bets.
func (n *Scales) Replicated(round engine.Batch) {
	n.of = make([]share, len(n.freedom))
	for i, c := range round.Counts {
		if c > 0 && n.Groups != nil {
			g, sigma := &n.of[n.Groups[i]], n.Model.Problem.Noise.Scales[i]
			g.squares, g.freedom = g.squares+round.Squares[i]/(sigma*sigma), g.freedom+float64(c-1)
		}
	}
}

// ScoreOf returns the evidence of the round's data on a gap that is estimated as Σ_j w_j ȳ_j, less its bias, from the means of
// these arms. Its variance is Σ_j w_j² σ_j²/n_j, with the variance of each scale estimated from all replicates that the round has of it.
func (n *Scales) ScoreOf(gap, variance float64, arms []int, weights []float64, round engine.Batch) sequential.Score {
	s := sequential.Score{Gap: gap, Sd: math.Sqrt(variance), Freedom: math.Inf(1)}
	if n.Groups == nil {
		return s
	}
	for j, i := range arms {
		sigma := n.Model.Problem.Noise.Scales[i] / n.Model.Unit
		n.of[n.Groups[i]].coefficient += weights[j] * weights[j] * sigma * sigma / float64(round.Counts[i])
	}
	variance = 0
	for _, i := range arms {
		if g := &n.of[n.Groups[i]]; g.coefficient != 0 {
			variance += g.coefficient * g.squares / g.freedom // no replicates: NaN, and no step
			s.Freedom, g.coefficient = min(s.Freedom, g.freedom), 0
		}
	}
	s.Sd = math.Sqrt(variance)
	return s
}

// share is the part of the variance of a gap that comes from the arms of one unknown scale.
type share struct {
	coefficient      float64 // Σ w² σ²/n of the gap at hand, σ guessed
	squares, freedom float64 // of their replicates, over the guessed variance
}

// FreedomOf returns the least number of degrees of freedom that the scales of the arms are
// estimated with; +Inf where they are known.
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

// Take adds what the rounds of other arms tell of noise scales, before any data of its own; at holds
// their places, -1 for those that are left out.
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

// Few reports whether some scale of the arms is unknown and known to fewer degrees of freedom than a
// planned round sees to.
func (n *Scales) Few(arms []int) bool {
	switch {
	case n.stated:
		return false
	case n.each == nil || n.Groups == nil:
		return n.FreedomOf(arms) < fewestFree
	}
	return n.Freedom() < fewestPooled || slices.ContainsFunc(arms, func(i int) bool { return n.freedom[n.Groups[i]] < fewestEach })
}

// Freedom returns the degrees of freedom of all scales together; +Inf where they are known.
func (n *Scales) Freedom() float64 {
	if n.Groups == nil || n.outcomes || n.stated && n.Found == nil {
		return math.Inf(1)
	}
	return lists.Total(n.freedom)
}
