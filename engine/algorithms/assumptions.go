package algorithms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// relied returns the models whose kernel the answers rely on: one model of all tasks, or one for each task if agents are
// independent. It returns none for sample means.
func (b Basis) relied() []*model.Model {
	if b.Algorithm.Regression == RegressionMeans || b.sideBySide() {
		return nil
	}
	if !b.Algorithm.Shares || b.Algorithm.tests() && cotest.TestsAlone(b.Model, b.terms()) {
		if alone, err := b.Model.TaskModels(); err == nil {
			return slices.DeleteFunc(slices.Clone(alone), b.byMeans)
		}
	}
	if b.byMeans(b.Model) {
		return nil
	}
	if b.Algorithm.Regression == RegressionPosterior {
		switch prior := model.PriorOf(b.Options); {
		case prior.FitsOwn(): // the part that the kernel cannot represent is fitted, too
			return nil
		case !prior.Level.Known:
			return []*model.Model{b.Model.Levelled()}
		}
	}
	return []*model.Model{b.Model}
}

// byMeans reports whether the algorithm ignores the kernel of the model and compares sample means.
func (b Basis) byMeans(m *model.Model) bool {
	return b.Algorithm.tests() && cotest.ByMeans(m, b.terms())
}

// regularised reports whether the answers depend on a bound on the norm of the reward function. If features were cut, they
// do, except for algorithms that use kernel values.
func (b Basis) regularised(m *model.Model) bool {
	e := b.Algorithm
	if _, bounded := e.BoundOf(m, b.terms()); bounded {
		return true
	}
	return e.Regression == RegressionRidge || !(e.ByValues && m.Features == nil) && m.Cut()
}

// slack is the relative tolerance for comparing a stated number with the true one.
const slack = 1e-9

// contradicted returns a clause that states which number, or whether the kernel, contradicts the expected rewards. It
// returns "" if there is no contradiction or the truth is unknown.
func (b Basis) contradicted() string {
	if b.Truth == nil {
		return ""
	}
	opt := b.Options
	for _, m := range b.relied() {
		witnessed := b.hasWitness(m)
		if !witnessed {
			if why := b.offKernel(m); why != "" {
				return why
			}
		}
		if opt.Norm > 0 && opt.Misfit == 0 && !witnessed && b.regularised(m) {
			if norm, small := m.Truth().NormTooSmall(b.terms()); small {
				return fmt.Sprintf("norm = %.3g was stated, but the norm of the expected rewards is %.3g. In reward units these are %.3g and %.3g",
					opt.Norm, norm, opt.Norm*m.Unit, norm*m.Unit)
			}
		}
		gap, err := m.Truth().DeltaMin()
		if least := math.Max(gap*m.Unit, b.Result.Epsilon); err == nil && opt.Gap > least*(1+slack) && b.regularised(m) {
			return fmt.Sprintf("gap = %.3g was stated, but the smallest gap is %.3g", opt.Gap, least)
		}
	}
	return b.noisier()
}

// offKernel returns a clause if the expected rewards deviate from the kernel by more than the stated bound
// (Options.Misfit); "" otherwise.
func (b Basis) offKernel(m *model.Model) string {
	opt := b.Options
	if m.Truth().Fidelity(b.terms().Epsilon) != model.Foreign {
		return ""
	}
	if opt.Misfit == 0 {
		return "the kernel cannot represent the expected rewards"
	}
	if size, at, err := m.Truth().UniformMisfit(); err == nil && size > opt.Misfit*(1+slack) {
		return fmt.Sprintf("misfit = %.3g was stated, but every function of the kernel misses some expected reward by at least %.3g, "+
			"the closest one at %s", opt.Misfit, size, m.Problem.Where(at))
	}
	return ""
}

// blurred returns the reason why it is uncertain that the kernel represents known expected rewards; "" if it is certain.
func (b Basis) blurred() string {
	if b.Truth == nil || b.Model.Problem.Mean == nil {
		return ""
	}
	if b.Options.Misfit > 0 {
		return b.unfound()
	}
	for _, m := range b.relied() {
		if w := b.mistaken(m); w != "" {
			return w
		}
		if b.hasWitness(m) {
			continue
		}
		fidelity := m.Truth().Fidelity(b.terms().Epsilon)
		if b.Options.Norm > 0 && fidelity != model.Faithful && b.regularised(m) {
			if near, found, err := m.Truth().Closest(b.Options.Norm); err == nil && found {
				return fmt.Sprintf("the closest function found within the stated norm misses an expected reward by %.2g (%s). "+
					"That is too much to neglect; misfit=%.2g allows for it", near.Misfit, m.Problem.Where(near.At), model.RoundUp(near.Misfit))
			}
		}
		switch fidelity {
		case model.Blurred:
			size, at, _ := m.Truth().Misfit()
			return fmt.Sprintf("the features of the kernel represent the expected rewards only to within %.2g (%s). "+
				"That is too much compared with the smallest gap", size, m.Problem.Where(at))
		case model.Rounded:
			size, at, _ := m.Truth().Misfit()
			return fmt.Sprintf("the kernel represents the expected rewards only to within %.2g (%s). misfit=%.2g of CoTestFC allows for it",
				size, m.Problem.Where(at), model.RoundUp(size))
		case model.Unknown:
			return fmt.Sprintf("for these %d arms the program did not check that the kernel can represent the expected rewards", m.Problem.N())
		}
	}
	return ""
}

// unfound returns a clause if the program found no function that meets both stated bounds: a norm within Options.Norm and
// a distance from the expected rewards within Options.Misfit. It returns "" if it found one or no norm is stated.
func (b Basis) unfound() string {
	for _, m := range b.relied() {
		if b.Options.Norm == 0 || !b.regularised(m) || b.hasWitness(m) {
			continue
		}
		if norm, err := m.Truth().Norm(); err == nil && norm <= b.Options.Norm*(1+slack) { // the rewards themselves meet the norm bound
			continue
		}
		near, found, err := m.Truth().Closest(b.Options.Norm)
		switch {
		case err == nil && found && near.Misfit <= b.Options.Misfit*(1+slack):
			continue
		case err == nil && found:
			return fmt.Sprintf("misfit = %.3g was stated, but the closest function found within the stated norm misses an expected reward "+
				"by %.3g (%s)", b.Options.Misfit, near.Misfit, m.Problem.Where(near.At))
		}
		return fmt.Sprintf("no function was found within the stated norm and within misfit = %.3g of the expected rewards", b.Options.Misfit)
	}
	return ""
}

// mistaken returns a clause with two arms of different rewards that CoTestFC treats as equal under a bound on the norm; ""
// if there are none.
func (b Basis) mistaken(m *model.Model) string {
	if _, bounded := b.Algorithm.BoundOf(m, b.terms()); !bounded || !b.Algorithm.tests() {
		return ""
	}
	p := m.Problem
	i, j, difference, err := m.ByValues().Relations().UnequalCopies()
	if err != nil || difference == 0 {
		return ""
	}
	if small, err := m.Truth().Negligible(b.Result.Epsilon/m.Unit, 0, 0); err == nil && difference <= small {
		return ""
	}
	return fmt.Sprintf("%s treats two arms as one, because the kernel hardly distinguishes them (%s, and %s). Their rewards differ by %.2g",
		b.Algorithm.Name, p.Where(i), p.Where(j), difference)
}

// overstated reports whether stated noise scales exceed those of simulated normal rewards, by factors that differ between arms.
// With one factor for all arms the proof holds, because every score is smaller by that factor.
func (b Basis) overstated() bool {
	p := b.Model.Problem
	if !b.Algorithm.tests() || b.Options.LawFor(p) != engine.LawNormal || p.Noise.UnknownBy != "" {
		return false
	}
	least, most := math.Inf(1), 0.0
	for i, sd := range p.Noise.Deviations() {
		ratio := sd / p.Noise.Scales[i]
		least, most = min(least, ratio), max(most, ratio)
	}
	return least < most*(1-slack)
}

// noisier returns a clause with an arm whose simulated rewards vary more than the stated noise scale; "" if there is none.
// The noise is then not sub-Gaussian with that scale.
func (b Basis) noisier() string {
	p := b.Model.Problem
	if !b.drawn() || p.Noise.UnknownBy != "" || p.Noise.Estimated() || b.sideBySide() && !b.Options.Bets(p) {
		return ""
	}
	for i, sd := range deviations(p) {
		if sd > p.Noise.Scales[i]*(1+slack) {
			return fmt.Sprintf("a noise scale of %.3g was stated at %s, but its rewards have a standard deviation of %.3g",
				p.Noise.Scales[i], p.Where(i), sd)
		}
	}
	return ""
}

// deviations returns the standard deviations of simulated rewards.
func deviations(p *problem.Problem) []float64 {
	switch p.Noise.Environment {
	case problem.EnvironmentBernoulli:
		lo, hi := p.TwoRewards()
		out := make([]float64, p.N())
		for i, mean := range p.Mean {
			out[i] = math.Sqrt((mean - lo) * (hi - mean))
		}
		return out
	case problem.EnvironmentResampled:
		return p.Noise.SD
	}
	return p.Noise.Deviations()
}

// assumed returns the assumptions of the guarantee that cannot be checked, joined by commas. If rewards are measured or
// come from a reward function, these include assumptions about rewards and kernel.
func (b Basis) assumed() string {
	var out []string
	if !b.drawn() {
		out = append([]string{b.ofRewards()}, b.ofKernel()...)
	}
	if b.Options.Misfit > 0 {
		out = append(out, fmt.Sprintf("no expected reward is farther than misfit = %.3g from a function of the kernel", b.Options.Misfit))
	}
	if slices.ContainsFunc(b.Result.Trace, func(r engine.RoundRecord) bool { return r.Amended }) {
		out = append(out, "pulls were left out and added for reasons unrelated to their rewards")
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + ", and " + out[n-1]
	}
	return strings.Join(out, "")
}

// given returns the bounds that the user did not state and the algorithm computed from known expected rewards; "" if there
// are none.
func (b Basis) given() string {
	if b.Truth == nil || b.Options.Norm > 0 || b.Model.Problem.Mean == nil {
		return ""
	}
	norm, misfit, took := 0.0, 0.0, false
	for _, m := range b.relied() {
		if !b.regularised(m) {
			continue
		}
		if of, bounded := b.Algorithm.BoundOf(m, b.terms()); bounded {
			norm, misfit, took = max(norm, of.Norm), max(misfit, of.Misfit*m.Unit), true
		} else if of, err := m.Truth().Norm(); err == nil {
			norm, took = max(norm, of), true
		}
	}
	if !took {
		return ""
	}
	s := fmt.Sprintf("‖f‖ ≤ %.3g in reward units", norm*b.Model.Unit)
	if misfit > b.Options.Misfit*(1+slack) {
		return s + fmt.Sprintf(" and a misspecification of %.2g, both computed from the expected rewards", misfit)
	}
	return s + ", computed from the expected rewards"
}

// ofKernel returns the assumptions about the kernel, for unknown expected rewards.
func (b Basis) ofKernel() []string {
	var out []string
	free, norm, dimensions, arms, counted := true, 0.0, 0, 0, true
	for _, m := range b.relied() {
		rank, exact := m.LeastRank()
		free, counted = free && rank >= m.Problem.N(), counted && exact
		dimensions, arms = dimensions+rank, arms+m.Problem.N()
		if b.regularised(m) {
			norm = b.Options.Norm
			if of, err := m.Truth().Norm(); norm == 0 && err == nil {
				norm = of
			}
		}
	}
	if !free && b.Options.Misfit == 0 {
		s := "the kernel can represent their expected rewards"
		switch {
		case !slices.ContainsFunc(b.Result.Trace, func(r engine.RoundRecord) bool { return r.LackOfFit != nil }):
			s += " (untested, because no more arms were measured than its rank)"
		case counted && b.Algorithm.Takes("misfit"):
			s += fmt.Sprintf(" (its rank is %d on %d arms; misfit= bounds the misspecification)", dimensions, arms)
		}
		out = append(out, s)
		if i, j := b.Model.Relations().Merged(); i >= 0 {
			out = append(out, fmt.Sprintf("arms that the kernel does not distinguish have equal expected rewards (%s, and %q)",
				b.Model.Problem.Where(i),
				b.Model.Problem.Arms.Names[j]))
		}
	}
	if norm > 0 {
		out = append(out, fmt.Sprintf("‖θ*‖ ≤ %.3g (%.3g in reward units)", norm, norm*b.Model.Unit))
	}
	if norm > 0 && b.Options.Gap > 0 && b.Result.Schedule == engine.SchedulePaper {
		out = append(out, fmt.Sprintf("no gap is below %.3g", b.Options.Gap))
	}
	return out
}

// copiesApart returns a clause with two arms of equal features whose rewards may differ by more than epsilon according to
// the data; "" if there are none.
func (b Basis) copiesApart() string {
	if b.Options.Misfit > 0 || len(b.relied()) == 0 {
		return ""
	}
	var i, j int
	apart := math.Inf(1)
	if b.Data == nil { // several runs, or no data
		i, j = b.Model.Relations().Merged()
	} else {
		i, j, apart = b.Model.Relations().MostApart(b.Data)
	}
	if i < 0 || apart <= b.Result.Epsilon {
		return ""
	}
	s := "arms that the kernel does not distinguish may differ by "
	if math.IsInf(apart, 1) {
		s += "any amount"
	} else {
		s += fmt.Sprintf("up to %.2g", apart)
	}
	return s + fmt.Sprintf(" (%s, and %q). Give them different features, or measure both until they differ by at most epsilon",
		b.Model.Problem.Where(i), b.Model.Problem.Arms.Names[j])
}

// ofRewards returns the assumptions of the guarantee about independence, distribution and noise scales of the rewards.
func (b Basis) ofRewards() string {
	p, s := b.Model.Problem, "the function's rewards are independent"
	if b.Truth == nil {
		s = "the measured rewards are independent"
	}
	switch {
	case b.Options.Law == engine.LawSymmetric:
		return s + fmt.Sprintf(" from block to block, and differences within a block (%s) symmetric around their mean", p.Block.Name)
	case b.sideBySide() && !b.Options.Bets(p):
		if p.Noise.UnknownBy == problem.UnknownArm {
			return s + fmt.Sprintf(" from block to block, and their differences within a block (%s) normal", p.Block.Name)
		}
		return s + fmt.Sprintf(" from block to block, and within a block (%s) independent and normal with one scale for the arms of each task",
			p.Block.Name)
	case b.Algorithm.Backing == BackingNormal && b.Options.LawFor(p) == engine.LawNormal && p.Noise.UnknownBy != "":
		return s + " and normal, with " + b.unknownScales()
	case b.Algorithm.Backing == BackingNormal && b.Options.LawFor(p) == engine.LawNormal:
		return s + " and normal with the problem's noise scales"
	case p.Noise.Bounds != nil:
		b := p.TurnedBounds(p.Noise.Bounds)
		return s + fmt.Sprintf(" and lie between %g and %g", b[0], b[1])
	}
	return s + " and sub-Gaussian with the problem's noise scales"
}

// unknownScales describes the assumed structure of unknown noise scales.
func (b Basis) unknownScales() string {
	p, of := b.Model.Problem, "all arms"
	switch by := p.Noise.UnknownBy; {
	case by == problem.UnknownArm || by == problem.UnknownTested && b.scaledByArm():
		return "an unknown scale for each arm"
	case by == problem.UnknownTested:
		of += " that were tested together"
	case by == problem.UnknownTask:
		of = "the arms of each task"
	}
	if slices.Min(p.Noise.Scales) < slices.Max(p.Noise.Scales) {
		return "the guessed scales times one unknown factor for " + of
	}
	return "one unknown scale for " + of
}
