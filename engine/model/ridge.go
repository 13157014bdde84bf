package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Ridge returns ξ (kernel units) for a mode. A stated number is returned after a check, and for "gp" the result is 0.
//
// "auto" for fc is the largest ξ with √ξ max‖φ_i - φ_j‖_{A(ξ,λ*_1)⁻¹} ≤ Δ_min/(32(1+ε)‖θ*‖) [Du23, Thm. 1]. For fb it
// is the largest ξ, counted from 0 upwards, with ξ ≤ 1/(16(1+ε)²ρ*(ξ)²‖θ*‖²) [Du23, Thm. 2]. Neither exceeds the
// kernel's largest variance. A PAC epsilon above Δ_min replaces Δ_min. Both need a norm and a gap, from Options or from
// known expected rewards; otherwise it returns an error. For very many arms (Many), "auto" is AffordableRidge, because
// the theorems' ξ would need thousands of directions.
func (m Designs) Ridge(mode string, opt Terms) (float64, error) {
	switch opt.Ridge.Kind {
	case engine.RidgeValue:
		if most := mostRidge * m.Diagonal; opt.Ridge.Value > most {
			return 0, fmt.Errorf("xi must be at most %.3g (%g times the largest variance of the kernel), got %g. Above that, rounding errors "+
				"dominate the estimates", most, float64(mostRidge), opt.Ridge.Value)
		}
		return opt.Ridge.Value, nil
	case engine.RidgeGP:
		if mode == engine.ModeFC {
			return 0, errors.New(`xi="gp" works only with fb, which fixes the number of pulls. For fc, write xi=0.01 or xi="auto"`)
		}
		return 0, nil // GpRidge sets ξ in each round
	}
	if m.Many() {
		return m.AffordableRidge(AffordableAll)
	}
	norm, err := m.NormOf(opt)
	if err != nil {
		return 0, fmt.Errorf(`xi="auto" needs norm, a bound on the norm of the reward function: %w`, err)
	}
	if norm == 0 {
		return m.Diagonal, nil // all rewards are 0, so there is no bias for any ξ
	}
	if mode == engine.ModeFB {
		return m.ridgeFB(norm, opt)
	}
	return m.ridgeFC(norm, opt)
}

// mostRidge is the largest allowed ratio of ξ to the kernel's largest variance. Beyond it, rounding errors dominate a
// shrunken estimate and its bias bound.
const mostRidge = 1e12

// GpRidge returns the ξ with Nξ = Unit², where N is pulls. Then A = I + Σ N φφᵀ/σ² up to the factor Unit². The estimator
// is then the posterior mean of a Gaussian process whose prior covariance is the kernel in squared reward units.
func (m Designs) GpRidge(pulls int) float64 { return m.Unit * m.Unit / float64(pulls) }

// NormOf returns a bound on ‖θ*‖: the stated norm, or the norm of the known expected rewards. It returns an error if
// neither is known.
func (m Designs) NormOf(opt Terms) (float64, error) {
	if opt.Norm > 0 {
		return opt.Norm, nil
	}
	return m.Truth().Norm()
}

// NormBound returns the bound for confidence widths. Its norm is that of NormOf; for very many arms (Many) the bound is
// that of Bounded. If no norm is known, it returns norm 0 for ξ = 0, which needs none, and an error otherwise.
func (m Designs) NormBound(opt Terms, ridge float64) (b Bound, err error) {
	if m.Many() {
		b, err = m.Truth().Bounded(opt, PriceOfWidths)
	} else {
		b.Norm, err = m.NormOf(opt)
	}
	if err != nil && (ridge > 0 || opt.Ridge.Kind == engine.RidgeGP) {
		return b, fmt.Errorf("xi above 0 biases the estimates. To bound the bias, state norm, a bound on the norm of the reward function: "+
			"%w", err)
	}
	return b, nil
}

// gapOf returns opt.Gap or, if that is 0, the smallest gap of the known expected rewards. The result is normalised and at
// least epsilon.
func (m Designs) gapOf(opt Terms) (float64, error) {
	if opt.Gap > 0 {
		return max(opt.Gap, opt.Epsilon), nil
	}
	if opt.Epsilon == 0 {
		if rival, tied := m.Truth().Ties(); tied {
			p := m.Problem
			return 0, fmt.Errorf("the smallest gap is 0, because arm %[2]q of task %[1]q ties for best. Give gap, epsilon or a number for xi",
				p.Tasks.Names[p.TaskOf[rival]], p.Arms.Names[rival])
		}
	}
	gap, err := m.Truth().DeltaMin()
	if err != nil {
		return 0, fmt.Errorf("the smallest gap must be given (gap=): %w", err)
	}
	return max(gap, opt.Epsilon), nil
}

// ridgeIterations is enough for either fixed point. Each step multiplies the relative distance by at most the fraction of
// A that is ξI, which is far below 1 if the conditions hold.
const ridgeIterations = 30

func (m Designs) ridgeFC(norm float64, opt Terms) (float64, error) {
	gap, err := m.gapOf(opt)
	if err != nil {
		return 0, err
	}
	if math.IsInf(gap, 1) {
		return m.Diagonal, nil // one arm per task: there is no gap to estimate
	}
	c := gap / (32 * (1 + engine.RoundingEpsilon) * norm)
	return m.increasingFixedPoint(func(ridge float64) (float64, error) {
		d, err := m.Design(ridge, m.Problem.Groups())
		return c * c / d.Value, err
	})
}

func (m Designs) ridgeFB(norm float64, opt Terms) (float64, error) {
	c := 4 * (1 + engine.RoundingEpsilon) * norm
	return m.increasingFixedPoint(func(ridge float64) (float64, error) {
		d, err := m.Truth().Hardness(ridge, opt.Epsilon)
		if err != nil {
			return 0, fmt.Errorf(`xi="auto" needs the hardness rho*: %w`, err)
		}
		if d.Status == design.Trivial {
			return m.Diagonal, nil
		}
		return 1 / (c * c * d.Value * d.Value), nil
	})
}

// increasingFixedPoint returns the smallest fixed point of an increasing function f, by iterating ξ ← f(ξ) from f(0). The
// iterates increase, and each satisfies ξ ≤ f(ξ). It returns at most the kernel's largest variance, since a larger ξ has
// no advantage. It ends when an iterate grows by no more than the relative error of a design, which is all that f tells.
func (m Designs) increasingFixedPoint(f func(float64) (float64, error)) (float64, error) {
	ridge, err := f(0)
	for k := 0; err == nil && k < ridgeIterations && ridge < m.Diagonal; k++ {
		var next float64
		next, err = f(ridge)
		if next <= ridge*(1+DesignTolerance(m.Problem.N())) {
			break
		}
		ridge = next
	}
	return min(ridge, m.Diagonal), err
}

// RidgeCondition returns both sides of the theorem's condition on ξ for a mode. The condition holds if left ≤ right, up to
// RidgeSlack.
func (m Designs) RidgeCondition(mode string, opt Terms, ridge float64) (left, right float64, err error) {
	defer try.Caught(&err)
	norm := try.Of(m.NormOf(opt))
	if mode == engine.ModeFB {
		d, err := m.Truth().Hardness(ridge, opt.Epsilon)
		return ridge, 1 / math.Pow(4*(1+engine.RoundingEpsilon)*d.Value*norm, 2), err
	}
	gap := try.Of(m.gapOf(opt))
	d, err := m.Design(ridge, m.Problem.Groups())
	return math.Sqrt(ridge * d.Value), gap / (32 * (1 + engine.RoundingEpsilon) * norm), err
}

// RidgeSlack is the relative amount by which ξ may exceed its condition, because of rounding and the solver's tolerance.
const RidgeSlack = 1e-6

// RidgeWarnings returns warnings for a ξ above the theorem's limit and for rewards that the kernel cannot represent. With
// a fixed budget, decided answers do not depend on Theorem 2: they use confidence widths, see evidence.
func (m Designs) RidgeWarnings(mode string, opt Terms, ridge float64) []engine.Warning {
	out := MisfitWarnings(m.Model, opt)
	kind := engine.WarnRidgeFC
	if mode == engine.ModeFB {
		kind = engine.WarnRidgeFB
	}
	if mode == engine.ModeFC && opt.Schedule != engine.SchedulePaper {
		return out // the tuned schedule is valid for every ξ
	}
	if left, right, err := m.RidgeCondition(mode, opt, ridge); err == nil && left > right*(1+RidgeSlack) {
		out = append(out, engine.Warning{Kind: kind, Numbers: []float64{ridge, left, right}})
	}
	return out
}

// MisfitWarnings returns a warning if the kernel cannot represent the expected rewards, and nil otherwise.
func MisfitWarnings(m *Model, opt Terms) []engine.Warning {
	if m.Truth().Fidelity(opt.Epsilon) != Foreign {
		return nil
	}
	size, at, _ := m.Truth().Misfit()
	return []engine.Warning{{Kind: engine.WarnKernel, Names: m.Problem.NamesOf(at), Numbers: []float64{size, RoundUp(size)}}}
}

// RidgeOf returns the ξ (kernel units) of an algorithm on the whole model with these options. It is 0 if ξ differs between
// rounds.
func (m Designs) RidgeOf(mode string, opt engine.Options) (float64, error) {
	t, err := m.Terms(mode, opt)
	if err != nil {
		return 0, err
	}
	return m.Ridge(mode, t)
}

// AdmitsAll reports whether the kernel has full rank, which means that it can represent any expected rewards of the arms
// that it distinguishes. Its rank is then the number of different arms, counted in each task. A guarantee for all
// functions of such a kernel is one for all rewards, so data on one arm exclude nothing about another. If the blocks of
// single tasks have full rank but the whole kernel does not, tasks are related, and the result is false.
func (m Relations) AdmitsAll() bool { return m.admits() }

func (m Relations) admitsAll() bool {
	if m.apartOnly || OwnPart(m.Model) > 0 {
		return true
	}
	if m.manyDifferent() {
		return false
	}
	var err error
	m.Model, err = m.Exact()
	if err != nil || m.cut {
		return false
	}
	different := 0
	for _, group := range m.Problem.Groups() {
		firsts, _ := m.untilDone().Firsts(group)
		for k, first := range firsts {
			different += indices.Indicator(first == group[k])
		}
	}
	return different == m.Rank()
}

// RanksAdd reports whether the rank R of all arms is at least nearlyAdded times the sum S of the tasks' ranks. R = S for
// full-rank kernels and for terms task(identity()) * arm(k). An unbiased estimate of a gap within a task then has zero
// weights on other tasks' arms. If R is smaller, sharing saves little: with equal noise, the fewest pulls that estimate
// every arm with variance v are R/v together and S/v for agents alone [KieferWolfowitz60]. RanksAdd uses exact features,
// and returns false if these are cut or not available.
//
// [KieferWolfowitz60]: J. Kiefer, J. Wolfowitz, The equivalence of two extremum problems, Canad. J. Math. 12 (1960) 363.
func (m Relations) RanksAdd() (bool, error) { return m.ranksAdd() }

// nearlyAdded is the ratio of ranks from which sharing saves at most a twentieth of the pulls.
const nearlyAdded = 0.95

func (m Relations) addRanks() (bool, error) {
	if m.AdmitsAll() {
		return true, nil
	}
	alone, err := m.TaskModels()
	if err != nil || m.Cut() { // TaskModels fails if the kernel is 0 on a task; that is not an error here
		return false, m.Context().Err()
	}
	total := 0
	for _, sub := range alone {
		if sub.Cut() {
			return false, nil
		}
		total += sub.Rank()
	}
	return float64(m.Rank()) >= nearlyAdded*float64(total), nil
}

// manyDifferent reports whether a coarse factor shows more different arms than the largest rank. The kernel then cannot
// have full rank. False is inconclusive: it uses one projection, which may put different arms at the same place.
func (m Relations) manyDifferent() bool {
	if m.Features != nil || m.Problem.N() <= m.source.maxRank {
		return false
	}
	along, _, err := m.coarse()
	if err != nil {
		return false
	}
	different := 0
	separation := 3 * math.Sqrt(sameToFactor*m.Diagonal/m.Scale)
	for _, group := range m.Problem.Groups() {
		own := indices.Of(along, group)
		slices.Sort(own)
		last := math.Inf(-1)
		for _, v := range own {
			if v-last > separation {
				different, last = different+1, v
			}
		}
	}
	return different > m.source.maxRank
}

// unrelatedBelow is the largest correlation of unrelated arms. Below it, data on one arm reduce the prior variance of the
// other by less than a millionth.
const unrelatedBelow = 1e-3

// Unrelated reports whether the correlation of any two arms is below a thousandth, as under identity(). It checks the
// kernel's terms. If they do not decide, it compares exact kernel values for at most mostUnrelated arms, until it finds a
// related pair; for more arms it returns false.
func (m Relations) Unrelated() bool { return m.unrelated() }

func (m Relations) lookUnrelated() bool {
	n := m.Problem.N()
	if m.apartOnly {
		return true
	}
	if OwnPart(m.Model) >= m.Diagonal*(1-unrelatedBelow*unrelatedBelow) { // the other terms relate no two arms
		return true
	}
	if n > mostUnrelated {
		return false
	}
	gram, variances := m.Gram(), m.Variances()
	row := make([]float64, n)
	for i := range n {
		kernels.Part(gram, row[:i], i, 0)
		for j, v := range row[:i] {
			if v*v > unrelatedBelow*unrelatedBelow*variances[i]*variances[j] {
				return false
			}
		}
	}
	return true
}

// KernelWarnings returns a warning if the kernel has full rank on these arms, and nil otherwise. The warning differs for
// unrelated arms.
func (m Relations) KernelWarnings() []engine.Warning {
	kind := engine.WarnAdmitsAll
	switch {
	case m.Problem.N() < 2 || !m.AdmitsAll():
		return nil
	case m.Problem.N() <= comparedArms && m.Unrelated():
		kind = engine.WarnUnrelated
	}
	different := m.Problem.N()
	if OwnPart(m.Model) == 0 {
		different = m.Rank()
	}
	return []engine.Warning{{Kind: kind, Numbers: []float64{float64(different)}}}
}
