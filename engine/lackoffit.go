package engine

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// LackLevel is the probability, over all rounds of a run, that a kernel which can
// represent the rewards is said not to fit. Round r is tested at LackLevel/(r(r+1)),
// and these add up to LackLevel without knowing how many rounds there will be.
const LackLevel = 0.01

// LackOfFit is the evidence of a run against its kernel: the arms' means differ
// from the closest function of the kernel's space by more than their pure error does.
type LackOfFit struct {
	Round  int // in which the test rejected first
	PValue float64
	Level  float64 // that PValue is below
	Nugget float64 // g of + g*identity(), reward units squared: what explains the excess; by moments [DerSimonian and Kacker 2007]
	Worst  []Residual
	Robust bool // whether the run estimates this and allows for it
	Scales bool // whether it rests on noise scales that the problem states
}

// Residual is an arm that the kernel misses.
type Residual struct {
	Task, Arm    string
	Off          float64 // mean less the closest function of the kernel's space, reward units
	Standardised float64 // Off over its standard deviation
}

// A KernelReliant is an Algorithm whose answers rely on a kernel that can represent the rewards.
type KernelReliant interface {
	// FitCheck returns the test of that kernel for one run; nil where no data would speak against it.
	FitCheck() FitCheck
}

// A FitCheck tests a kernel on the data of a run.
type FitCheck interface {
	// Learn takes a round in. It returns the p-value of all data so far, nil where they leave
	// nothing to test, and what speaks against the kernel since the first round that rejected it.
	Learn(round int, b Batch) (p *float64, found *LackOfFit)
}

// fitCheck tests for lack of fit on all data of a run so far [Draper and Smith 1998, sec. 2.1].
type fitCheck struct {
	model  *Model
	misfit float64 // normalised
	robust bool
	data   replicates
	found  *LackOfFit // at the first round that rejects
}

// newFitCheck returns the test of the model's kernel, where the rewards of an arm may be off it by
// misfit, normalised; robust is whether the run estimates more than that and allows for it. It is
// nil for a kernel that can follow any rewards.
func newFitCheck(m *Model, misfit float64, robust bool) FitCheck {
	if m.Rank() >= m.Problem.N() || m.cut {
		return nil
	}
	return &fitCheck{model: m, misfit: misfit, robust: robust, data: newReplicates(m.Problem.N())}
}

// Learn tests all data up to this round, each round at its part of LackLevel.
func (f *fitCheck) Learn(round int, b Batch) (*float64, *LackOfFit) {
	f.data.add(b)
	scales, _ := f.data.scales(f.model)
	l := f.model.tested(f.data, scales)
	if l.freedom == 0 {
		return nil, f.found
	}
	p := l.pValue(f.misfit, scales)
	if level := LackLevel / float64(round*(round+1)); p <= level && f.found == nil {
		f.found = f.describe(l)
		f.found.Round, f.found.PValue, f.found.Level, f.found.Robust = round, p, level, f.robust
	}
	return &p, f.found
}

// pValue is the probability of residuals at least this large when no reward is farther
// than misfit from the kernel's space. Without misfit their sum of squares is χ², or with
// unknown scales a multiple of F. With it, it is χ² of noncentrality at most misfit²·Σw, by the
// approximation of [Patnaik 1949].
func (l meanFit) pValue(misfit float64, s scales) float64 {
	multiple, pure := l.law(s)
	freedom, sum := float64(l.freedom), l.sum/multiple
	if misfit > 0 {
		noncentral := 0.0
		for _, w := range l.weights {
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
func (f *fitCheck) describe(l meanFit) *LackOfFit {
	const most = 3
	p, unit := f.model.Problem, f.model.Unit
	out, spread := &LackOfFit{Scales: p.Noise.UnknownBy == ""}, 0.0
	var all []Residual
	for k, i := range l.arms {
		free := 1 - l.leverage[k]
		spread += l.weights[k] * free
		if free < 1e-9 { // the kernel follows this arm wherever it is
			continue
		}
		all = append(all, Residual{
			Task: p.Tasks.Names[p.TaskOf[i]], Arm: p.Arms.Names[i],
			Off: l.residual[k] / math.Sqrt(l.weights[k]) * unit, Standardised: l.residual[k] / math.Sqrt(free),
		})
	}
	slices.SortStableFunc(all, func(a, b Residual) int {
		return int(math.Copysign(1, math.Abs(b.Standardised)-math.Abs(a.Standardised)))
	})
	out.Worst = all[:min(most, len(all))]
	out.Nugget = max(0, l.sum-float64(l.freedom)) / spread * unit * unit
	return out
}
