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

// fitCheck tests for lack of fit on all data of a run so far [Draper and Smith 1998, sec. 2.1].
type fitCheck struct {
	model  *Model
	misfit float64 // normalised
	data   Replicates
	found  *engine.LackOfFit // from the first round that rejected
}

// NewFitCheck returns the test of the model's kernel, allowing misfit (normalised) as misspecification of each arm. It returns nil for a
// kernel that can represent any rewards.
func NewFitCheck(m *Model, misfit float64) engine.FitCheck {
	if m.Cut() || m.Rank() >= m.Problem.N() {
		return nil
	}
	return &fitCheck{model: m, misfit: misfit, data: NewReplicates(m.Problem.N())}
}

// Learn tests all data up to this round, each round at its part of LackLevel.
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

// pValue returns the probability of residuals at least this large if every reward is within misfit of the kernel's space. Without misfit
// their sum of squares is χ² or, with unknown scales, a multiple of F. With misfit it is χ² of noncentrality at most misfit²·Σw, by the
// approximation of [Patnaik 1949].
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

// describe names the arms with the largest residuals, and the excess.
func (f *fitCheck) describe(l meanFit) *engine.LackOfFit {
	const most = 3
	p, unit := f.model.Problem, f.model.Unit
	out, spread := &engine.LackOfFit{Scales: p.Noise.UnknownBy == ""}, 0.0
	var all []engine.Residual
	for k, i := range l.arms {
		free := 1 - l.leverage[k]
		spread += l.Weights[k] * free
		if free < 1e-9 { // the kernel can represent any reward of this arm
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

// alike returns the two arms with nearly equal features that differ most, in standard errors, if they explain at least half of the sum of
// squares.
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

// UniformMisfit returns the smallest η (reward units) for which some function of the kernel's space is within η of every expected reward,
// and an arm at that distance: a lower limit for Options.Misfit.
//
// With U an orthonormal basis of the features and u the least-squares residual, it is the value of
//
//	max Σ u_i (p_i - q_i)  subject to  Uᵀ(p - q) = 0, Σ (p_i + q_i) = 1, p, q ≥ 0,
//
// the dual of min η subject to |u - Uθ| ≤ η [Cheney, Introduction to Approximation Theory, 1966, ch. 2]. The arms with p or q above 0
// determine θ, and the result is the largest distance from that function, never below the smallest η. If the program cannot be solved,
// the least-squares distance is returned.
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

// uniformRest returns u - Uθ for the uniformly closest function, at most size.
func (m Truth) uniformRest(u []float64, size float64) ([]float64, error) {
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
	_, weights, err := lp.Simplex(objective, rows, right, 1e-10, nil)
	if err != nil {
		return nil, err
	}
	// on the arms with weight, u - Uθ = ±η: these equations determine θ and η
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
	if err := symmetric.Solved(solution.SolveVec(equations, values)); err != nil {
		return nil, err
	}
	rest := make([]float64, n)
	for i := range n {
		rest[i] = u[i]
		for k := range dim {
			rest[i] -= basis.At(i, k) * solution.AtVec(k)
		}
	}
	return rest, nil
}

// farthest returns the largest absolute value and its index.
func farthest(values []float64) (largest float64, at int) {
	for i, v := range values {
		if math.Abs(v) > largest {
			largest, at = math.Abs(v), i
		}
	}
	return largest, at
}

// Bound is an algorithm's assumption on the reward function, normalised.
type Bound struct {
	Norm   float64 // bound on the norm of a function of the kernel's space
	Misfit float64 // bound on the distance of any expected reward from that function
}

// Price describes how the samples of an algorithm depend on its Bound.
type Price struct {
	Norm float64 // exponent of the norm in the samples, on smooth kernels
	// approximate sum of the absolute weights with which deviations of expected rewards enter an estimated gap
	Coefficients float64
}

// The prices of walks, which know their weights and add them up over their bets, and of the widths of eliminations, which bound them by
// the root of the design's value.
var (
	PriceOfWalks  = Price{Norm: 0.4, Coefficients: 3}
	PriceOfWidths = Price{Norm: 1, Coefficients: 15}
)

// Bounded returns the stated norm and misspecification; without a norm those of Smooth, or the norm of the known expected rewards.
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
	// cheap is the largest bias, as a fraction of a gap, at which no more directions are considered.
	cheap = 0.05
	// fewFitted and mostFitted are the ranks of fits; fitWork bounds N·rank² beyond witnessMost arms.
	fewFitted, mostFitted = 256, 700
	fitWork               = 1e10
)

// fitRanks returns the ranks of fits, the cheap one first.
func (m Truth) fitRanks() [2]int {
	most := mostFitted
	if n := m.Problem.N(); n > witnessMost {
		most = min(mostFitted, int(math.Sqrt(fitWork/float64(n))))
	}
	return [2]int{min(fewFitted, most), most}
}

// Smooth approximates the known expected rewards by a function of the kernel's space, and returns it with its distance from them. It
// minimises the samples of an algorithm that allows for the norm and the distance; found is false if the rewards themselves are as good.
// Rounded rewards, as in a table, have a larger norm, because the function must follow the rounding: with 2,000 arms and four decimals
// it is twenty times as large.
//
// The cost is S^a/(g - cη)², with S the norm, η the distance, a and c of the price, and g the smallest gap, or epsilon if larger.
func (m Truth) Smooth(opt Terms, price Price) (near Near, found bool, err error) {
	gap, err := m.Designs().gapOf(Terms{Options: engine.Options{Epsilon: opt.Epsilon}})
	if err != nil || math.IsInf(gap, 1) {
		return near, false, nil // no known rewards or no gap
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

// NormTooSmall reports whether a stated norm is smaller than the norm of the expected rewards, and returns the latter. It uses a function
// within the distance that a test may allow for (Smooth), since rounding increases the norm. It is false if there are too many arms to
// compute the norm.
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

// Closest returns the ridge fit with at most that norm (in units of Norm) that is nearest to the known expected rewards; false if none
// was found, or if with so many arms it would take longer than the run.
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
