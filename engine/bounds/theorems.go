package bounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
)

// theorems sets Theorem 1, Corollary 1, Theorem 2 and Corollary 2 as numbers.
//
// The corollaries replace ρ*(ξ) by an upper bound of it:
//
//	(a) 8Υ/Δ²                                                  [Du23, eq. (rho_maximum_info_gain)]
//	(b) 8 d_eff log(2nV(1 + tr K_{λ*}/(ξ d_eff)))/Δ²           [Du23, eq. (rho_eff_dim)]
//	(c) 8 rank K_Z rank K_{X,λ*} log(tr(I + K_{λ*}/ξ)/rank K_{λ*})/Δ²   [Du23, eq. (rho_rank_z_rank_x)]
//
// with nV the number of arms of all tasks, and ranks of K_{λ*} and of the factors
// where the proof has them.
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

// slack returns by what factor Υ may be above the gain of the allocation that spectrum and ranks are
// of: what bounds the one bounds the other times it.
func (b *builder) slack() float64 {
	if b.gained.arms == nil {
		return 1
	}
	return 1 + b.gained.gap()
}

func each(x ABC, f func(float64) float64) ABC { return ABC{f(x.A), f(x.B), f(x.C)} }

// samplesFC returns the last line but one of the proof of [Du23, Thm. 1], divided by V:
//
//	( r*·(2048(1+ε)² ρ log(4 n²V r*²/δ) + 1) + N_1 + 2τ r* ) / V,
//	N_1 = 32·4(1+ε)² ρ_1 log(2n²V/δ_1),  r* = ⌈log₂(2/Δ_min)⌉ + 1,
//
// where rho is ρ*(ξ) or an upper bound of it. The 1 per round is the ceiling in
// l. 5, which the proof absorbs; n²V is Σ_v n_v². With a PAC epsilon, Δ_min is
// replaced by it.
func (b *builder) samplesFC(rho float64) float64 {
	r := b.r
	rounds := float64(r.RoundsFC)
	pairs := b.model.Problem.PairCount()
	c := (1 + engine.RoundingEpsilon) * (1 + engine.RoundingEpsilon)
	perRound := 2048*c*rho*math.Log(4*pairs*rounds*rounds/r.Delta) + 1
	first := elimination.RoundSamples(engine.SchedulePaper, 1, r.Rho1.Value, math.Log(4*pairs/r.Delta))
	return (rounds*perRound + first + 2*b.tau*rounds) / float64(r.Tasks)
}

// errorFB returns the union bound at the end of the proof of [Du23, Thm. 2],
//
//	2 n²V R exp(-N / (32(1+ε) ρ)),  N = ⌊TV/R⌋,  R = ⌈log₂ ω(ξ, X̃)⌉,
//
// capped at 1.
func (b *builder) errorFB(rho float64) float64 {
	r := b.r
	n := math.Floor(float64(b.opt.Budget*r.Tasks) / float64(r.RoundsFB))
	return min(1, 2*b.model.Problem.PairCount()*float64(r.RoundsFB)*math.Exp(-n/(32*(1+engine.RoundingEpsilon)*rho)))
}

// budgetFB returns the smallest T, per agent, at which errorFB falls to δ.
func (b *builder) budgetFB(rho float64) float64 {
	r := b.r
	rounds := float64(r.RoundsFB)
	n := math.Ceil(32 * (1 + engine.RoundingEpsilon) * rho * math.Log(2*b.model.Problem.PairCount()*rounds/r.Delta))
	return math.Ceil(n * rounds / float64(r.Tasks))
}

// conditions notes the assumptions of the theorems that do not hold.
func (b *builder) conditions() error {
	r := b.r
	opt := b.opt
	opt.Schedule = engine.SchedulePaper
	for mode, theorem := range []string{"Theorem 1", "Theorem 2"} {
		name := []string{engine.ModeFC, engine.ModeFB}[mode]
		left, right, err := b.condition(name, opt)
		if err != nil {
			return err
		}
		if left > right*(1+1e-6) {
			b.note(engine.WarnBoundsRidge, []string{theorem}, r.Ridge, left, right)
		}
	}
	if need := math.Max(r.RhoStar.Value, float64(r.RoundingDimension)) / float64(r.Tasks) * math.Log(r.Omega.Value); opt.Budget > 0 &&
		float64(opt.Budget) < need {
		b.note(engine.WarnBoundsBudget, nil, float64(opt.Budget), need)
	}
	if opt.Epsilon > 0 && opt.Epsilon > r.DeltaMin {
		b.note(engine.WarnBoundsEpsilon, nil, opt.Epsilon, r.DeltaMin)
	}
	return nil
}
