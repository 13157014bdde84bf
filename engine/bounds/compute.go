package bounds

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
)

// Compute evaluates the theory for a problem with known expected rewards. With
// Options.Epsilon, gaps below it count as epsilon (the PAC form). It reports
// unknown means, and a tie for best when Epsilon is 0.
func Compute(ctx context.Context, p *engine.Problem, opt engine.Options) (Report, error) {
	m, err := engine.NewModel(p, opt.Unit)
	if err != nil {
		return Report{}, err
	}
	return Of(ctx, m.Until(ctx), opt)
}

// Of is Compute for a model, whose designs are remembered there.
func Of(ctx context.Context, m *engine.Model, opt engine.Options) (Report, error) {
	p := m.Problem
	if opt.Delta == 0 {
		opt.Delta = engine.DefaultDelta
	}
	r := Report{Problem: p.Name, Tasks: p.V(), Arms: p.N(), Delta: opt.Delta, Epsilon: opt.Epsilon, Budget: opt.Budget, Unit: m.Unit}
	b := &builder{model: m, opt: opt, r: &r}
	for _, step := range []func() error{b.scales, b.gain, b.designs, b.lowerBound, b.theorems} {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if err := step(); err != nil {
			return r, fmt.Errorf("bounds: %w", err)
		}
	}
	return r, nil
}

// builder fills a Report step by step; later steps use what earlier ones set.
type builder struct {
	model *engine.Model
	opt   engine.Options
	r     *Report

	gap     float64   // Δ_min or epsilon, normalised
	lambda  []float64 // λ*, the allocation of maximum information gain
	trace   float64   // tr K_{λ*}
	tau     float64   // τ(ξ, λ*_1, ε)
	logRank float64   // log(tr(I + K_{λ*}/ξ) / rank K_{λ*})
}

// scales sets ξ, ‖θ*‖ and Δ_min.
func (b *builder) scales() error {
	m, r := b.model, b.r
	gap, err := m.DeltaMin()
	if err != nil {
		return err
	}
	if math.IsInf(gap, 1) {
		return errors.New("no task has two arms, so there is nothing to bound")
	}
	r.DeltaMin = gap * m.Unit
	b.gap = max(gap, b.opt.Epsilon/m.Unit)
	if r.Norm = b.opt.Norm; r.Norm == 0 {
		if r.Norm, err = m.Norm(); err != nil {
			return err
		}
	}
	if r.Ridge, err = b.ridge(); err != nil {
		return err
	}
	if r.Ridge == 0 {
		return errors.New("the information gain is infinite at xi = 0; give a positive xi")
	}
	if m.Fidelity(b.opt.Epsilon) == engine.Foreign {
		size, at, _ := m.Misfit()
		r.Notes = append(r.Notes, fmt.Sprintf("the kernel cannot represent the expected rewards: off by %.3g at %s; the theorems do not apply", size, m.Problem.Where(at)))
	}
	return nil
}

// ridge is the ξ given; "auto" is the largest that meets the condition of Theorem 1
// and, with a budget, also that of Theorem 2.
func (b *builder) ridge() (float64, error) {
	ridge, err := b.model.RidgeOf(engine.ModeFC, b.opt)
	if err != nil || b.opt.Budget == 0 {
		return ridge, err
	}
	fixed, err := b.model.RidgeOf(engine.ModeFB, b.opt)
	return min(ridge, fixed), err
}

// gain sets Υ, d_eff, the ranks and d̃: [Du23, Section 4.3].
func (b *builder) gain() error {
	m, r := b.model, b.r
	d, err := design.InformationGain(m.Space(r.Ridge), m.Solver(1e-9))
	if err != nil {
		return err
	}
	r.InformationGain, r.InformationGainGap = d.Value, d.DualityGap()
	b.lambda = d.Weights
	s, err := spectra(m, b.lambda)
	if err != nil {
		return err
	}
	r.EffectiveDimension = effectiveDimension(s.joint, r.Ridge)
	r.RankTask, r.RankArm, r.RankJoint = rank(s.task), rank(s.arm), rank(s.joint)
	for _, alpha := range s.joint {
		b.trace += alpha
	}
	b.logRank = math.Log((float64(r.Arms) + b.trace/r.Ridge) / float64(r.RankJoint))
	return nil
}

// designs sets ρ_1, ρ*(ξ), ω with their certificates, d̃ and the rounds.
func (b *builder) designs() error {
	m, r := b.model, b.r
	space := m.Space(r.Ridge)
	first, err := m.Design(r.Ridge, m.Problem.Groups())
	if err != nil {
		return err
	}
	r.Rho1 = Certified{first.Value, first.Lower}
	r.RoundingDimension = design.EffectiveRank(space, first.Weights)
	b.tau = float64(design.Samples(space, first.Weights, engine.RoundingEpsilon))
	star, err := m.Hardness(r.Ridge, b.opt.Epsilon)
	if err != nil {
		return err
	}
	r.RhoStar = Certified{star.Value, star.Lower}
	all := make([]int, m.Problem.N())
	for i := range all {
		all[i] = i
	}
	omega, err := m.Design(r.Ridge, [][]int{all})
	if err != nil {
		return err
	}
	r.Omega = Certified{omega.Value, omega.Lower}
	b.noteGap("rho_1", first)
	b.noteGap("rho_star", star)
	b.noteGap("omega", omega)
	r.RoundsFC = int(math.Ceil(math.Log2(2/b.gap)-1e-9)) + 1
	r.RoundsFC = max(1, r.RoundsFC)
	r.RoundsFB, err = m.RoundsFB(r.Ridge)
	return err
}

// noteGap tells of a value that is not certified to a thousandth.
func (b *builder) noteGap(name string, d design.Design) {
	if gap := d.DualityGap(); gap > 2e-3 {
		b.r.Notes = append(b.r.Notes, fmt.Sprintf("%s is certified to %.2g only (%s): between %.6g and %.6g", name, gap, d.Status, d.Lower, d.Value))
	}
}

// lowerBound sets T* and T* log(1/2.4δ)/V.
func (b *builder) lowerBound() error {
	d, err := b.model.Hardness(0, b.opt.Epsilon)
	if err != nil {
		return err
	}
	b.r.CharacteristicTime = 2 * d.Value
	bound, err := b.model.LowerBound(b.opt.Delta, b.opt.Epsilon)
	if err != nil {
		return err
	}
	b.r.LowerBoundSamples = bound / float64(b.r.Tasks)
	return nil
}

// eigenvalues of the three Gram matrices under an allocation, largest first.
type eigenvalues struct{ joint, task, arm []float64 }

// spectra returns the eigenvalues of K_λ, K_Z and K_{X,λ}, each arm scaled by
// √λ_i/σ_i. For a kernel with several terms K_Z and K_X are the sums over terms:
// the column space of Σ_t Z_t∘X_t lies in that of (Σ Z_t)∘(Σ X_t), so that
// rank K_λ ≤ rank K_Z · rank K_{X,λ} holds as for one term.
func spectra(m *engine.Model, lambda []float64) (eigenvalues, error) {
	p := m.Problem
	scale := make([]float64, p.N())
	for i := range scale {
		scale[i] = math.Sqrt(lambda[i] * m.Precision[i])
	}
	var out eigenvalues
	var err error
	if out.joint, err = featureEigenvalues(m.Features, scale, p.N()); err != nil {
		return out, err
	}
	for k := range out.joint {
		out.joint[k] *= m.Scale
	}
	task, err := p.Kernel.TaskGram(p.Tasks)
	if err != nil {
		return out, err
	}
	if out.task, err = symmetricEigenvalues(task); err != nil {
		return out, err
	}
	arms, err := p.Kernel.ArmMatrix(p.Arms)
	if err != nil {
		return out, err
	}
	factor, err := factorOf(arms)
	if err != nil {
		return out, err
	}
	out.arm, err = featureEigenvalues(factor, scale, p.N())
	return out, err
}

// featureEigenvalues returns the n eigenvalues of S Φ Φᵀ S, S = diag(scale): those
// of the m × m matrix Φᵀ S² Φ, and n - m zeros.
func featureEigenvalues(features *mat.Dense, scale []float64, n int) ([]float64, error) {
	var scaled mat.Dense
	scaled.Mul(mat.NewDiagDense(len(scale), scale), features)
	var gram mat.SymDense
	gram.SymOuterK(1, scaled.T())
	values, err := symmetricEigenvalues(&gram)
	if err != nil {
		return nil, err
	}
	for len(values) < n {
		values = append(values, 0)
	}
	return values[:n], nil
}

// symmetricEigenvalues returns the eigenvalues, largest first; those below
// rounding become 0.
func symmetricEigenvalues(a *mat.SymDense) ([]float64, error) {
	var eig mat.EigenSym
	if !eig.Factorize(a, false) {
		return nil, errors.New("the eigenvalues of a Gram matrix could not be computed")
	}
	ascending := eig.Values(nil)
	n := len(ascending)
	out := make([]float64, n)
	for i, v := range ascending {
		out[n-1-i] = max(0, v)
	}
	return out, nil
}

// rankTolerance is the eigenvalue, relative to the largest, that counts as zero.
const rankTolerance = 1e-10

func rank(descending []float64) int {
	r := 0
	for _, v := range descending {
		if v > rankTolerance*descending[0] {
			r++
		}
	}
	return r
}

// effectiveDimension is d_eff = min{j : j ξ log(nV) ≥ Σ_{i>j} α_i}
// [Du23, Section 4.3].
func effectiveDimension(alpha []float64, ridge float64) int {
	tail := 0.0
	for _, a := range alpha {
		tail += a
	}
	logN := math.Log(float64(len(alpha)))
	for j := 1; j <= len(alpha); j++ {
		tail -= alpha[j-1]
		if float64(j)*ridge*logN >= tail {
			return j
		}
	}
	return len(alpha)
}
