package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
)

// fitCheck tests for lack of fit on all data of a run so far [Draper and Smith 1998, sec. 2.1].
type fitCheck struct {
	model  *Model
	misfit float64 // normalised
	robust bool
	data   Replicates
	found  *engine.LackOfFit // at the first round that rejects
}

// NewFitCheck returns the test of the model's kernel, where the rewards of an arm may be off it by
// misfit, normalised; robust is whether the run estimates more than that and allows for it. It is
// nil for a kernel that can follow any rewards.
func NewFitCheck(m *Model, misfit float64, robust bool) engine.FitCheck {
	if m.Cut() || m.Rank() >= m.Problem.N() {
		return nil
	}
	return &fitCheck{model: m, misfit: misfit, robust: robust, data: NewReplicates(m.Problem.N())}
}

// Learn tests all data up to this round, each round at its part of LackLevel.
func (f *fitCheck) Learn(round int, b engine.Batch) (*float64, *engine.LackOfFit) {
	f.data.Add(b)
	scales, _ := f.data.Scales(f.model)
	l := f.model.tested(f.data, scales)
	if l.Freedom == 0 {
		return nil, f.found
	}
	p := l.pValue(f.misfit, scales)
	if level := engine.LackLevel / float64(round*(round+1)); p <= level && f.found == nil {
		f.found = f.describe(l)
		f.found.Round, f.found.PValue, f.found.Level, f.found.Robust = round, p, level, f.robust
	}
	return &p, f.found
}

// pValue returns the probability of residuals at least this large when no reward is farther than
// misfit from the kernel's space. Without misfit their sum of squares is χ², or with unknown scales
// a multiple of F. With it, it is χ² of noncentrality at most misfit²·Σw, by the approximation of
// [Patnaik 1949].
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

// describe names the arms that are farthest off, and the excess.
func (f *fitCheck) describe(l meanFit) *engine.LackOfFit {
	const most = 3
	p, unit := f.model.Problem, f.model.Unit
	out, spread := &engine.LackOfFit{Scales: p.Noise.UnknownBy == ""}, 0.0
	var all []engine.Residual
	for k, i := range l.arms {
		free := 1 - l.leverage[k]
		spread += l.Weights[k] * free
		if free < 1e-9 { // the kernel follows this arm wherever it is
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

// alike returns the two arms that the kernel does not tell apart and that differ most, in standard errors,
// where they explain at least half of the sum of squares.
func (f *fitCheck) alike(l meanFit) *engine.AlikeArms {
	firsts, err := f.model.Firsts(l.arms)
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
