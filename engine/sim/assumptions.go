package sim

import (
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// relied returns the models whose kernel the algorithm takes at its word: that of all tasks, or those of each task
// alone for agents that share nothing. None for sample means.
func relied(entry engine.AlgorithmEntry, model *engine.Model) []*engine.Model {
	if entry.Regression == engine.RegressionMeans {
		return nil
	}
	if alone, err := model.Alone(); err == nil && !entry.Shares {
		return alone
	}
	return []*engine.Model{model}
}

// regularised reports whether the answers go by a bound on the norm of the reward function.
func regularised(entry engine.AlgorithmEntry, m *engine.Model) bool {
	return entry.Regression == engine.RegressionRidge || m.Cut()
}

// slack is the relative difference below which a stated number is the true one.
const slack = 1e-9

// contradicted says which stated number is not true of the expected rewards, or that the kernel cannot represent them; ""
// where nothing is, or where the truth is not known.
func (x Experiment) contradicted(r engine.Result, entry engine.AlgorithmEntry, model *engine.Model) string {
	opt := x.Options
	for _, m := range relied(entry, model) {
		if why := offKernel(opt, m); why != "" {
			return why
		}
		if norm, err := m.Norm(); err == nil && opt.Norm > 0 && regularised(entry, m) && opt.Norm < norm*(1-slack) {
			return fmt.Sprintf("norm = %.3g was stated, and the norm of the expected rewards is %.3g", opt.Norm, norm)
		}
		gap, err := m.DeltaMin()
		if least := math.Max(gap*m.Unit, r.Epsilon); err == nil && opt.Gap > least*(1+slack) && regularised(entry, m) {
			return fmt.Sprintf("gap = %.3g was stated, and the smallest gap is %.3g", opt.Gap, least)
		}
	}
	return x.noisier()
}

// offKernel says how rewards are off the kernel by more than is stated.
func offKernel(opt engine.Options, m *engine.Model) string {
	if opt.Robust || m.Fidelity(opt.Epsilon) != engine.Foreign {
		return ""
	}
	if opt.Misfit == 0 {
		return "the kernel cannot represent the expected rewards"
	}
	if size, at, err := m.UniformMisfit(); err == nil && size > opt.Misfit*(1+slack) {
		return fmt.Sprintf("misfit = %.3g was stated, and every function of the kernel is off some expected reward by %.3g or more, the closest at %s", opt.Misfit, size, m.Problem.Where(at))
	}
	return ""
}

// blurred says why it is not certain that the kernel represents expected rewards which are known; "" where it is.
func (x Experiment) blurred(entry engine.AlgorithmEntry, model *engine.Model) string {
	if x.Problem.Mean == nil || x.Options.Misfit > 0 || x.Options.Robust {
		return ""
	}
	for _, m := range relied(entry, model) {
		switch m.Fidelity(x.Options.Epsilon) {
		case engine.Blurred:
			size, at, _ := m.Misfit()
			return fmt.Sprintf("the features of the kernel keep the expected rewards to %.2g only (%s), which is not little beside the smallest gap", size, m.Problem.Where(at))
		case engine.Unknown:
			return fmt.Sprintf("whether the kernel can represent the expected rewards of so many arms (%d) was not computed", m.Problem.N())
		}
	}
	return ""
}

// noisier says whose simulated rewards scatter more than the stated noise scale; "" where none do. Rewards of a
// larger standard deviation are not as sub-Gaussian as stated.
func (x Experiment) noisier() string {
	p := x.Problem
	if !x.natural || p.Noise.UnknownBy != "" || p.Noise.Estimated() {
		return ""
	}
	for i, sd := range deviations(p) {
		if sd > p.Noise.Scales[i]*(1+slack) {
			return fmt.Sprintf("a noise scale of %.3g was stated at %s, and its rewards have a standard deviation of %.3g", p.Noise.Scales[i], p.Where(i), sd)
		}
	}
	return ""
}

// deviations are the standard deviations of simulated rewards.
func deviations(p *engine.Problem) []float64 {
	switch p.Noise.Environment {
	case engine.EnvironmentBernoulli:
		lo, hi := 0.0, 1.0
		if p.Noise.Bounds != nil {
			lo, hi = p.Noise.Bounds[0], p.Noise.Bounds[1]
		}
		out := make([]float64, p.N())
		for i, mean := range p.Mean {
			out[i] = math.Sqrt((mean - lo) * (hi - mean))
		}
		return out
	case engine.EnvironmentResampled:
		return p.Noise.SD
	}
	return p.Noise.Deviations()
}

// assumed is what the guarantee takes for granted and nobody can check: of the kernel and of the numbers that were
// stated where the expected rewards are not known, and of rewards that a function of its own draws.
func (x Experiment) assumed(r engine.Result, entry engine.AlgorithmEntry, model *engine.Model) string {
	var out []string
	if !x.natural {
		out = append([]string{x.ofRewards(entry)}, x.ofKernel(r, entry, model)...)
	}
	if x.Options.Misfit > 0 {
		out = append(out, fmt.Sprintf("no expected reward is farther than misfit = %.3g from what the kernel can represent", x.Options.Misfit))
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + ", and " + out[n-1]
	}
	return strings.Join(out, "")
}

// ofKernel is what is assumed of expected rewards that are not known.
func (x Experiment) ofKernel(r engine.Result, entry engine.AlgorithmEntry, model *engine.Model) []string {
	var out []string
	free, norm := true, 0.0
	for _, m := range relied(entry, model) {
		free = free && m.Rank() >= m.Problem.N()
		if regularised(entry, m) {
			norm = x.Options.Norm
			if of, err := m.Norm(); norm == 0 && err == nil {
				norm = of
			}
		}
	}
	if !free && x.Options.Misfit == 0 && !x.Options.Robust {
		s := "the kernel can represent their expectations"
		if !tested(r) {
			s += " (which no data tested: no more arms were measured than its dimensions)"
		}
		out = append(out, s)
		if i, j := model.Merged(); i >= 0 {
			out = append(out, fmt.Sprintf("arms that are one to the kernel have the same reward (%s, and %q)", x.Problem.Where(i), x.Problem.Arms.Names[j]))
		}
	}
	if norm > 0 {
		out = append(out, fmt.Sprintf("‖θ*‖ ≤ %.3g", norm))
	}
	if norm > 0 && x.Options.Gap > 0 && r.Schedule == engine.SchedulePaper {
		out = append(out, fmt.Sprintf("no gap is below %.3g", x.Options.Gap))
	}
	return out
}

// tested reports whether data had a degree of freedom left that speaks of the kernel.
func tested(r engine.Result) bool {
	for _, round := range r.Trace {
		if round.LackOfFit != nil {
			return true
		}
	}
	return false
}

// ofRewards is what the guarantee takes for granted of rewards that a function of its own draws.
func (x Experiment) ofRewards(entry engine.AlgorithmEntry) string {
	p, s := x.Problem, "the function's rewards are independent"
	switch {
	case entry.Backing == engine.BackingNormal && x.Options.LawFor(p) == engine.LawNormal && p.Noise.UnknownBy != "":
		return s + " and normal, with scales that are unknown as the problem states"
	case entry.Backing == engine.BackingNormal && x.Options.LawFor(p) == engine.LawNormal:
		return s + " and normal with the problem's noise scales"
	case p.Noise.Bounds != nil:
		return s + fmt.Sprintf(" and lie between %g and %g", p.Noise.Bounds[0], p.Noise.Bounds[1])
	}
	return s + " and sub-Gaussian with the problem's noise scales"
}
