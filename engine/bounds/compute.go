package bounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Compute returns the theory's quantities for a problem with known expected rewards. If Options.Epsilon is set, smaller
// gaps count as epsilon (the PAC form). It returns an error if the expected rewards are unknown, or if Epsilon is 0 and
// arms are tied for best.
func Compute(ctx context.Context, p *problem.Problem, opt engine.Options) (Report, error) {
	m, err := model.NewContext(ctx, p, opt.Unit)
	if err != nil {
		return Report{}, err
	}
	return Of(ctx, m, opt)
}

// Of returns the report for a model. The designs are cached in the model.
func Of(ctx context.Context, m *model.Model, opt engine.Options) (Report, error) {
	p := m.Problem
	opt.Delta = cmp.Or(opt.Delta, engine.DefaultDelta)
	mode := engine.ModeFC
	if opt.Budget != 0 {
		mode = engine.ModeFB
	}
	terms, err := m.Terms(mode, opt)
	if err != nil {
		return Report{}, fmt.Errorf("bounds: %w", err)
	}
	r := Report{Problem: p.Name, Tasks: p.V(), Arms: p.N(), Delta: opt.Delta, Epsilon: opt.Epsilon, Budget: opt.Budget, Unit: m.Unit}
	b := &builder{ctx: ctx, model: m, opt: terms, r: &r}
	if p.Noise.UnknownBy != "" {
		b.note(engine.WarnBoundsGuessed, nil, p.LargestNoise())
	}
	for _, step := range []func() error{b.scales, b.gain, b.designs, b.lowerBound, b.ball, b.theorems, b.misfit} {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if err := step(); err != nil {
			return r, fmt.Errorf("bounds: %w", err)
		}
	}
	return r, nil
}

// builder fills a Report in steps. Later steps use the results of earlier ones.
type builder struct {
	ctx   context.Context
	model *model.Model
	opt   model.Terms
	r     *Report

	gap     float64 // Δ_min or epsilon, normalised
	gained  gained  // λ*, the allocation of maximum information gain
	trace   float64 // tr K_{λ*}
	tau     float64 // τ(ξ, λ*_1, ε)
	logRank float64 // log(tr(I + K_{λ*}/ξ) / rank K_{λ*})
}

// note adds a note to the report.
func (b *builder) note(kind engine.WarningKind, names []string, numbers ...float64) {
	b.r.Notes = append(b.r.Notes, engine.Warning{Kind: kind, Names: names, Numbers: numbers})
}

// scales sets ξ, ‖θ*‖, Δ_min and b.gap. It returns an error if no task has two arms or ξ = 0.
func (b *builder) scales() (err error) {
	defer try.Caught(&err)
	m, r := b.model, b.r
	gap := try.Of(m.Truth().DeltaMin())
	if math.IsInf(gap, 1) {
		return errors.New("no task has two arms, so there is nothing to bound")
	}
	r.DeltaMin = gap * m.Unit
	b.gap = max(gap, b.opt.Epsilon)
	if r.Norm = b.opt.Norm; r.Norm == 0 {
		r.Norm = try.Of(b.norm())
	}
	r.Ridge = try.Of(b.ridge())
	if r.Ridge == 0 {
		return errors.New("the information gain is infinite at xi = 0; give a positive xi")
	}
	if m.Truth().Fidelity(b.opt.Epsilon) >= model.Rounded {
		size, at, _ := m.Truth().Misfit()
		b.note(engine.WarnBoundsKernel, m.Problem.NamesOf(at), size)
	}
	if m.Many() && b.opt.Ridge.Kind != engine.RidgeValue { // auto, also by default
		b.note(engine.WarnBoundsAuto, nil, r.Ridge, model.AffordableAll)
	}
	return nil
}

// ridge returns the stated ξ. For "auto" it returns the largest ξ that meets the condition of Theorem 1 and, with a
// budget, also that of Theorem 2.
func (b *builder) ridge() (float64, error) {
	ridge, err := b.model.Designs().Ridge(engine.ModeFC, b.opt)
	if err != nil || b.opt.Budget == 0 {
		return ridge, err
	}
	fixed, err := b.model.Designs().Ridge(engine.ModeFB, b.opt)
	return min(ridge, fixed), err
}

// gain sets Υ, d_eff and the ranks [Du23, Section 4.3].
func (b *builder) gain() (err error) {
	defer try.Caught(&err)
	m, r := b.model, b.r
	g := try.Of(information(b.ctx, m, r.Ridge, 1e-9))
	r.InformationGain, r.InformationGainGap, b.gained = g.value, g.gap(), g
	if g.arms != nil {
		r.InformationGainUpper = g.upper
	}
	s := try.Of(spectra(b.ctx, m, g))
	r.EffectiveDimension = effectiveDimension(s.joint, m.Problem.N(), r.Ridge)
	r.RankTask, r.RankArm, r.RankJoint = rank(s.task), rank(s.arm), rank(s.joint)
	b.trace = lists.Total(s.joint)
	b.logRank = math.Log((float64(r.Arms) + b.trace/r.Ridge) / float64(r.RankJoint))
	return nil
}

// designs sets ρ_1, ρ*(ξ) and ω with their lower bounds, d̃ and the numbers of rounds. With very many arms, designs are
// computed by exchange, and R of Alg. 2 may be an upper bound.
func (b *builder) designs() (err error) {
	defer try.Caught(&err)
	m, r, many := b.model, b.r, b.model.Many()
	var solve func(groups [][]int) (design.Design, error)
	if many {
		certifier := try.Of(m.Designs().Certifier(r.Ridge))
		solve = func(groups [][]int) (design.Design, error) { return certifier.Design(design.Contrasts{Groups: groups}) }
	} else {
		m = try.Of(m.Exact())
		solve = func(groups [][]int) (design.Design, error) { return m.Designs().Design(r.Ridge, groups) }
	}
	first := try.Of(solve(m.Problem.Groups()))
	r.RoundingDimension = try.Of(m.Designs().EffectiveRank(r.Ridge, first.Weights))
	b.tau = float64(design.Samples(first.Weights, engine.RoundingEpsilon))
	star := try.Of(m.Truth().Hardness(r.Ridge, b.opt.Epsilon))
	all := indices.All(m.Problem.N())
	omega, err := solve([][]int{all}) // the certifier reuses the pairs within tasks
	if err != nil {
		return err
	}
	r.Rho1 = b.certified("rho_1", first)
	r.RhoStar = b.certified("rho_star", star)
	r.Omega = b.certified("omega", omega)
	r.RoundsFC = max(1, int(math.Ceil(math.Log2(2/b.gap)-1e-9))+1)
	if many {
		r.RoundsFB = max(1, int(math.Ceil(math.Log2(r.Omega.Value)-1e-9)))
		return nil
	}
	r.RoundsFB, err = elimination.RoundsFB(m, r.Ridge)
	return err
}

// certified returns the value of a design and its lower bound. It adds a note if they differ by more than two thousandths.
func (b *builder) certified(name string, d design.Design) Certified {
	switch gap := d.DualityGap(); {
	case gap <= 2e-3:
	case !b.model.Many():
		b.note(engine.WarnBoundsGap, []string{name, d.Status.String()}, gap, d.Lower, d.Value)
	case d.Reached > 0 && d.Reached < 0.99*d.Value:
		b.note(engine.WarnBoundsReached, []string{name}, d.Lower, d.Value, d.Reached)
	default:
		b.note(engine.WarnBoundsEnds, []string{name}, d.Lower, d.Value)
	}
	return Certified{d.Value, d.Lower}
}

// theorems sets the numbers of Theorem 1, Corollary 1, Theorem 2 and Corollary 2.
//
// The corollaries replace ρ*(ξ) by an upper bound:
//
//	(a) 8Υ/Δ²                                                  [Du23, eq. (rho_maximum_info_gain)]
//	(b) 8 d_eff log(2nV(1 + tr K_{λ*}/(ξ d_eff)))/Δ²           [Du23, eq. (rho_eff_dim)]
//	(c) 8 rank K_Z rank K_{X,λ*} log(tr(I + K_{λ*}/ξ)/rank K_{λ*})/Δ²   [Du23, eq. (rho_rank_z_rank_x)]
//
// Here nV is the number of arms of all tasks. The ranks are those of K_{λ*} and of its factors, as in the proof.
func (b *builder) theorems() error {
	r := b.r
	d := float64(r.EffectiveDimension)
	scale := 8 / (b.gap * b.gap) * b.slack()
	byABC := ABC{
		A: scale * r.InformationGain,
		B: scale * d * math.Log(2*float64(r.Arms)*(1+b.trace/(r.Ridge*d))),
		C: scale * float64(r.RankTask) * float64(r.RankArm) * b.logRank,
	}
	r.Theorem.FC = b.samplesFC(r.RhoStar.Value)
	r.Corollary.FC = each(byABC, b.samplesFC)
	r.Theorem.FBBudget = b.budgetFB(r.RhoStar.Value)
	r.Corollary.FBBudget = each(byABC, b.budgetFB)
	r.Theorem.FB, r.Corollary.FB = 1, ABC{1, 1, 1}
	if b.opt.Budget > 0 {
		r.Theorem.FB = b.errorFB(r.RhoStar.Value)
		r.Corollary.FB = each(byABC, b.errorFB)
	}
	return b.conditions()
}

// slack returns an upper bound on the ratio of Υ to the gain of the allocation whose spectrum and ranks are used. Bounds
// for that gain are multiplied by it.
func (b *builder) slack() float64 {
	if b.gained.arms == nil {
		return 1
	}
	return 1 + b.gained.gap()
}

func each(x ABC, f func(float64) float64) ABC { return ABC{f(x.A), f(x.B), f(x.C)} }

// samplesFC returns a bound on the samples per agent: the last line but one of the proof of [Du23, Thm. 1], divided by
// V,
//
//	( r*·(2048(1+ε)² ρ log(4 n²V r*²/δ) + 1) + N_1 + 2τ r* ) / V,
//	N_1 = 32·4(1+ε)² ρ_1 log(2n²V/δ_1),  r* = ⌈log₂(2/Δ_min)⌉ + 1,
//
// where rho is ρ*(ξ) or an upper bound of it. The 1 per round is from the ceiling in l. 5, which the proof absorbs; n²V
// is Σ_v n_v². A PAC epsilon above Δ_min replaces Δ_min.
func (b *builder) samplesFC(rho float64) float64 {
	r := b.r
	rounds := float64(r.RoundsFC)
	pairs := b.model.Problem.PairCount()
	c := (1 + engine.RoundingEpsilon) * (1 + engine.RoundingEpsilon)
	perRound := 2048*c*rho*math.Log(4*pairs*rounds*rounds/r.Delta) + 1
	first := elimination.RoundSamples(engine.SchedulePaper, 1, r.Rho1.Value, math.Log(4*pairs/r.Delta))
	return (rounds*perRound + first + 2*b.tau*rounds) / float64(r.Tasks)
}

// errorFB returns a bound on the error probability: the union bound at the end of the proof of [Du23, Thm. 2],
//
//	2 n²V R exp(-N / (32(1+ε) ρ)),  N = ⌊TV/R⌋,  R = ⌈log₂ ω(ξ, X̃)⌉,
//
// but at most 1.
func (b *builder) errorFB(rho float64) float64 {
	r := b.r
	n := math.Floor(float64(b.opt.Budget*r.Tasks) / float64(r.RoundsFB))
	return min(1, 2*b.model.Problem.PairCount()*float64(r.RoundsFB)*math.Exp(-n/(32*(1+engine.RoundingEpsilon)*rho)))
}

// budgetFB returns the smallest budget T, per agent, for which errorFB is at most δ.
func (b *builder) budgetFB(rho float64) float64 {
	r := b.r
	rounds := float64(r.RoundsFB)
	n := math.Ceil(32 * (1 + engine.RoundingEpsilon) * rho * math.Log(2*b.model.Problem.PairCount()*rounds/r.Delta))
	return math.Ceil(n * rounds / float64(r.Tasks))
}

// conditions adds a note for each assumption of the theorems that does not hold.
func (b *builder) conditions() error {
	r := b.r
	opt := b.opt
	opt.Schedule = engine.SchedulePaper
	for _, of := range [][2]string{{engine.ModeFC, "Theorem 1"}, {engine.ModeFB, "Theorem 2"}} {
		left, right, err := b.condition(of[0], opt)
		if err != nil {
			return err
		}
		if left > right*(1+1e-6) {
			b.note(engine.WarnBoundsRidge, of[1:], r.Ridge, left, right)
		}
	}
	if need := math.Max(r.RhoStar.Value, float64(r.RoundingDimension)) / float64(r.Tasks) * math.Log(r.Omega.Value); opt.Budget > 0 &&
		float64(opt.Budget) < need {
		b.note(engine.WarnBoundsBudget, nil, float64(opt.Budget), need)
	}
	if r.Epsilon > 0 && r.Epsilon > r.DeltaMin {
		b.note(engine.WarnBoundsEpsilon, nil, r.Epsilon, r.DeltaMin)
	}
	return nil
}

// norm returns the norm of the known expected rewards. With very many arms it may be unknown: then it returns 0 and adds a
// note.
func (b *builder) norm() (float64, error) {
	norm, err := b.model.Truth().Norm()
	if err != nil && b.model.Many() && b.r.DeltaMin > 0 {
		b.note(engine.WarnBoundsNorm, nil)
		return 0, nil
	}
	return norm, err
}

// condition returns both sides of a theorem's condition on ξ. With very many arms it uses the designs that are already
// computed, and returns 0, 0 if the norm is unknown.
func (b *builder) condition(mode string, opt model.Terms) (left, right float64, err error) {
	r := b.r
	switch {
	case !b.model.Many():
		return b.model.Designs().RidgeCondition(mode, opt, r.Ridge)
	case r.Norm == 0:
		return 0, 0, nil
	case mode == engine.ModeFB:
		return r.Ridge, 1 / math.Pow(4*(1+engine.RoundingEpsilon)*r.RhoStar.Value*r.Norm, 2), nil
	}
	return math.Sqrt(r.Ridge * r.Rho1.Value), b.gap / (32 * (1 + engine.RoundingEpsilon) * r.Norm), nil
}

// lowerBound sets T* and T* kl(δ, 1-δ)/V. With very many arms T* is replaced by a lower bound: its value at the stated ξ.
// Without a stated ξ it uses a smaller ξ than the other designs, since designs of only the rivals are faster.
func (b *builder) lowerBound() (err error) {
	defer try.Caught(&err)
	m, r, ridge := b.model, b.r, 0.0
	if m.Many() {
		if ridge = r.Ridge; b.opt.Ridge.Kind != engine.RidgeValue {
			ridge = try.Of(m.Designs().AffordableRidge(model.AffordableRivals))
		}
	}
	limit := try.Of(m.Truth().LimitTime(b.opt.Epsilon))
	r.LowerBoundSamplesLimit = limit * model.Nats(r.Delta) / float64(r.Tasks)
	lower, upper, err := m.Truth().CharacteristicTime(ridge, b.opt.Epsilon)
	r.CharacteristicTime = lower
	r.LowerBoundSamples = lower * model.Nats(r.Delta) / float64(r.Tasks)
	switch {
	case err != nil || upper == 0:
		return err
	case !m.Many():
		r.CharacteristicTime = max(lower, upper)
		return nil
	}
	upper, err = m.Truth().UnsharedHardness(b.opt.Epsilon)
	r.CharacteristicTimeUpper = 2 * upper
	b.note(engine.WarnBoundsTime, nil, lower, ridge, r.CharacteristicTimeUpper)
	return err
}

// ball sets the lower bound for algorithms that use the stated norm, if one is stated.
func (b *builder) ball() error {
	m, r := b.model, b.r
	if b.opt.Norm == 0 {
		return nil
	}
	bound, err := m.Truth().NormLowerBound(b.opt.Norm, r.Delta, b.opt.Epsilon)
	if r.LowerBoundSamplesNorm = bound / float64(r.Tasks); bound > 0 {
		b.note(engine.WarnBoundsWithNorm, nil, b.opt.Norm, r.LowerBoundSamplesNorm)
	}
	return err
}
