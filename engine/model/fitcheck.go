package model

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// fitCheck tests the kernel for lack of fit, on all data of a run so far [Draper and Smith 1998, sec. 2.1].
type fitCheck struct {
	model  *Model
	misfit float64 // normalised
	data   Replicates
	found  *engine.LackOfFit // the first rejection; nil before it
}

// NewFitCheck returns the test of the model's kernel. misfit is the misspecification that it allows for each arm,
// normalised. It returns nil if the kernel can represent any rewards, or if the features were cut.
func NewFitCheck(m *Model, misfit float64) engine.FitCheck {
	if m.Cut() || m.Rank() >= m.Problem.N() {
		return nil
	}
	return &fitCheck{model: m, misfit: misfit, data: NewReplicates(m.Problem.N())}
}

// Learn adds the batch and tests all data so far, at level LackLevel/(round(round+1)). It returns the p-value, nil if the
// data do not permit a test, and the first rejection of the run, nil if there is none.
func (f *fitCheck) Learn(round int, b engine.Batch) (*float64, *engine.LackOfFit) {
	f.data.Add(b)
	scales, _ := f.data.Scales(f.model)
	l := tested(f.model, f.data, scales)
	if l.Freedom == 0 {
		return nil, f.found
	}
	p := l.pValue(f.misfit, scales)
	if level := engine.LackLevel / float64(round*(round+1)); p <= level && f.found == nil {
		f.found = f.describe(l)
		f.found.Round, f.found.PValue, f.found.Level = round, p, level
	}
	return &p, f.found
}

// pValue returns the probability of residuals at least this large if every reward is within misfit (normalised) of the
// kernel's space. If misfit is 0, the sum of squared residuals has a χ² distribution or, with unknown scales, a multiple
// of an F distribution. If misfit > 0, its noncentrality is at most misfit²·Σw, and the distribution is approximated by
// that of [Patnaik 1949].
func (l meanFit) pValue(misfit float64, s scales) float64 {
	multiple, pure := l.law(s)
	freedom, sum := float64(l.Freedom), l.Sum/multiple
	if misfit > 0 {
		noncentral := 0.0
		for _, w := range l.Weights {
			noncentral += w * misfit * misfit
		}
		sum *= (freedom + noncentral) / (freedom + 2*noncentral)
		freedom = (freedom + noncentral) * (freedom + noncentral) / (freedom + 2*noncentral)
	}
	if math.IsInf(pure, 1) {
		return distuv.ChiSquared{K: freedom}.Survival(sum)
	}
	return distuv.F{D1: freedom, D2: pure}.Survival(sum / freedom)
}

// describe returns the arms with the largest residuals, and the variance that the residuals have in excess of the noise.
func (f *fitCheck) describe(l meanFit) *engine.LackOfFit {
	const most = 3
	p, unit := f.model.Problem, f.model.Unit
	out, spread := &engine.LackOfFit{Scales: p.Noise.UnknownBy == ""}, 0.0
	var all []engine.Residual
	for k, i := range l.arms {
		free := 1 - l.leverage[k]
		spread += l.Weights[k] * free
		if free < 1e-9 { // the kernel represents any reward of this arm
			continue
		}
		all = append(all, engine.Residual{
			Task: p.Tasks.Names[p.TaskOf[i]], Arm: p.Arms.Names[i],
			Off: p.Turned(l.residual[k] / math.Sqrt(l.Weights[k]) * unit), Standardised: p.Turned(l.residual[k] / math.Sqrt(free)),
		})
	}
	slices.SortStableFunc(all, func(a, b engine.Residual) int {
		return int(math.Copysign(1, math.Abs(b.Standardised)-math.Abs(a.Standardised)))
	})
	out.Worst = all[:min(most, len(all))]
	out.Alike = f.alike(l)
	out.Nugget = max(0, l.Sum-float64(l.Freedom)) / spread * unit * unit
	return out
}

// alike returns the two arms of a task with nearly equal features whose means differ most, in standard errors. It returns
// nil if that difference explains less than half of the sum of squares.
func (f *fitCheck) alike(l meanFit) *engine.AlikeArms {
	firsts, err := f.model.Relations().Firsts(l.arms)
	if err != nil {
		return nil
	}
	p, unit := f.model.Problem, f.model.Unit
	var out *engine.AlikeArms
	most := l.Sum / 2
	for k, first := range firsts {
		j := slices.Index(l.arms, first)
		if j < 0 || j == k || p.TaskOf[first] != p.TaskOf[l.arms[k]] {
			continue
		}
		off := l.residual[k]/math.Sqrt(l.Weights[k]) - l.residual[j]/math.Sqrt(l.Weights[j])
		z := off / math.Sqrt(1/l.Weights[k]+1/l.Weights[j])
		if z*z < most {
			continue
		}
		most = z * z
		out = &engine.AlikeArms{
			Task: p.Tasks.Names[p.TaskOf[first]], Arm: p.Arms.Names[first], Other: p.Arms.Names[l.arms[k]],
			Off: p.Turned(off * unit), Standardised: p.Turned(z),
		}
	}
	return out
}

// UniformMisfit returns the smallest η (reward units) for which some function of the kernel's space is within η of
// every expected reward. It also returns an arm at that distance. The result is a lower limit for Options.Misfit.
//
// With U an orthonormal basis of the features and u the least-squares residual, η is the value of
//
//	max Σ u_i (p_i - q_i)  subject to  Uᵀ(p - q) = 0, Σ (p_i + q_i) = 1, p, q ≥ 0
//
// This is the dual of min η subject to |u - Uθ| ≤ η [Cheney, Introduction to Approximation Theory, 1966, ch. 2]. The
// arms with p or q above 0 determine θ. The result is the largest distance from the function of θ, which is never below
// the smallest η. If the program cannot be solved, it is the largest residual of least squares. It returns an error if
// the expected rewards are unknown or the features end below the kernel's rank.
func (m Truth) UniformMisfit() (_ float64, _ int, err error) {
	defer try.Caught(&err)
	t := try.Of(m.represented())
	m.Model = try.Of(m.Exact())
	if t.partial {
		return 0, 0, fmt.Errorf("problem %q: the features end at rank %d, so it is unknown what the kernel cannot represent",
			m.Problem.Name, m.Rank())
	}
	off, at := t.misfit, t.worst
	if rest, err := m.uniformRest(t.off, off); err == nil {
		if largest, i := farthest(rest); largest < off {
			off, at = largest, i
		}
	}
	return off * m.Unit, at, nil
}

// uniformRest returns u - Uθ for the function with the smallest largest residual. size is an upper bound on that residual
// and scales the program.
func (m Truth) uniformRest(u []float64, size float64) (_ []float64, err error) {
	defer try.Caught(&err)
	n, dim := m.Features.Dims()
	var svd mat.SVD
	if !svd.Factorize(m.Features, mat.SVDThin) {
		return nil, fmt.Errorf("the features have no singular values")
	}
	var basis mat.Dense
	svd.UTo(&basis)
	objective, right := make([]float64, 2*n), make([]float64, dim+1)
	rows := mat.NewDense(dim+1, 2*n, nil)
	for i, v := range u {
		objective[i], objective[n+i] = -v/size, v/size
		for k := range dim {
			rows.Set(k, i, basis.At(i, k))
			rows.Set(k, n+i, -basis.At(i, k))
		}
		rows.Set(dim, i, 1)
		rows.Set(dim, n+i, 1)
	}
	right[dim] = 1
	_, weights := try.Two(lp.Simplex(objective, rows, right, 1e-10, nil))
	// arms with weight have u - Uθ = ±η: these equations determine θ and η
	support := indices.Where(n, func(i int) bool { return weights[i]+weights[n+i] > 1e-12 })
	equations, values := mat.NewDense(len(support), dim+1, nil), mat.NewVecDense(len(support), nil)
	for k, i := range support {
		for j := range dim {
			equations.Set(k, j, basis.At(i, j))
		}
		equations.Set(k, dim, math.Copysign(1, weights[i]-weights[n+i]))
		values.SetVec(k, u[i])
	}
	var solution mat.VecDense
	try.To(symmetric.Solved(solution.SolveVec(equations, values)))
	rest := make([]float64, n)
	for i := range n {
		rest[i] = u[i]
		for k := range dim {
			rest[i] -= basis.At(i, k) * solution.AtVec(k)
		}
	}
	return rest, nil
}

// farthest returns the largest absolute value and its index; 0, 0 if all are 0.
func farthest(values []float64) (largest float64, at int) {
	for i, v := range values {
		if math.Abs(v) > largest {
			largest, at = math.Abs(v), i
		}
	}
	return largest, at
}

// Bound is an algorithm's assumption on the reward function, in normalised units.
type Bound struct {
	Norm   float64 // bound on the norm of a function of the kernel's space
	Misfit float64 // bound on the distance between that function and any expected reward
}

// Price describes how the number of samples of an algorithm depends on its Bound.
type Price struct {
	Norm float64 // samples grow as this power of the norm, on smooth kernels
	// approximate sum of the absolute weights of expected rewards in an estimated gap, which multiplies the misfit
	Coefficients float64
}

// PriceOfWalks is for algorithms that test by betting: they know their weights and sum them over their bets. PriceOfWidths
// is for eliminations by confidence widths: they bound the weights by the root of the design's value.
var (
	PriceOfWalks  = Price{Norm: 0.4, Coefficients: 3}
	PriceOfWidths = Price{Norm: 1, Coefficients: 15}
)

// Bounded returns the bound for a test. It has the stated norm and misspecification. If no norm is stated, it has those of
// Smooth or, without such a function, the norm of the known expected rewards.
func (m Truth) Bounded(opt Terms, price Price) (Bound, error) {
	b := Bound{Norm: opt.Norm, Misfit: opt.Misfit}
	if opt.Norm > 0 {
		return b, nil
	}
	near, found, err := m.Smooth(opt, price)
	if err != nil {
		return b, err
	}
	if found {
		return Bound{Norm: near.Norm, Misfit: max(b.Misfit, near.Misfit/m.Unit)}, nil
	}
	b.Norm, err = m.Norm()
	return b, err
}

const (
	// cheap is a bias, as a fraction of a gap: if a fit's bias is at most this, Smooth does not try a higher rank.
	cheap = 0.05
	// fewFitted and mostFitted are the ranks of fits. fitWork bounds N·rank² if there are more than witnessMost arms.
	fewFitted, mostFitted = 256, 700
	fitWork               = 1e10
)

// fitRanks returns the two ranks that Smooth tries, the smaller one first.
func (m Truth) fitRanks() [2]int {
	most := mostFitted
	if n := m.Problem.N(); n > witnessMost {
		most = min(mostFitted, int(math.Sqrt(fitWork/float64(n))))
	}
	return [2]int{min(fewFitted, most), most}
}

// Smooth approximates the known expected rewards by a function of the kernel's space, and returns it with its distance
// from them. The function minimises an estimate of the samples that an algorithm needs if it allows for this norm and
// distance. `found` is false if the rewards themselves cost no more, if they are unknown, or if there is no gap. Rounded
// rewards, as in a table, have a larger norm because the function must follow the rounding. With 2,000 arms and four
// decimals the norm is twenty times as large.
//
// The estimate is S^a/(g - cη)², where S is the norm, η the distance, and a and c are the price's exponent and
// coefficients. g is the smallest gap, or epsilon if larger.
func (m Truth) Smooth(opt Terms, price Price) (near Near, found bool, err error) {
	gap, err := m.Designs().gapOf(Terms{Options: engine.Options{Epsilon: opt.Epsilon}})
	if err != nil || math.IsInf(gap, 1) {
		return near, false, nil // unknown rewards or no gap
	}
	bias := func(n Near) float64 { return price.Coefficients * max(n.Misfit, opt.Misfit*m.Unit) / (gap * m.Unit) }
	cost := func(n Near) float64 {
		if bias(n) >= 1 {
			return math.Inf(1)
		}
		return math.Pow(n.Norm, price.Norm) / math.Pow(1-bias(n), 2)
	}
	for _, rank := range m.fitRanks() {
		fits, err := m.ridgeFits(rank)
		if err != nil {
			return near, false, err
		}
		if near, found = fits.least(cost); found && bias(near) <= cheap {
			return near, true, nil
		}
	}
	if norm, err := m.Norm(); err == nil && (!found || cost(Near{Norm: norm}) <= cost(near)) {
		return near, false, nil
	}
	return near, found, nil
}

// NormTooSmall reports whether the stated norm opt.Norm is smaller than the norm of the expected rewards, and returns the
// latter. Since rounding increases the norm, it uses the function of Smooth if there is one. `small` is false if no norm is
// stated or if the norm of the rewards cannot be computed.
func (m Truth) NormTooSmall(opt Terms) (norm float64, small bool) {
	const slack = 1e-9
	if opt.Norm == 0 {
		return 0, false
	}
	norm, err := m.Norm()
	if err != nil || opt.Norm >= norm*(1-slack) {
		return norm, false
	}
	if near, found, err := m.Smooth(opt, PriceOfWalks); err == nil && found {
		norm = near.Norm
	}
	return norm, opt.Norm < norm*(1-slack)
}

// Closest returns the ridge fit nearest to the known expected rewards among those whose norm is at most norm (units of
// Norm). `found` is false if there is no such fit or if there are more than witnessMost arms, for which fits would take
// longer than the run.
func (m Truth) Closest(norm float64) (Near, bool, error) {
	if m.Problem.N() > witnessMost {
		return Near{}, false, nil
	}
	fits, err := m.ridgeFits(m.fitRanks()[1])
	near, found := fits.least(func(n Near) float64 {
		if n.Norm > norm {
			return math.Inf(1)
		}
		return n.Misfit
	})
	return near, found, err
}
