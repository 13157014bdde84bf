package bounds

import (
	"context"
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// SpectrumOf returns the eigenvalues of K_{λ*}, K_Z and K_{X,λ*} at the allocation of maximum
// information gain.
func SpectrumOf(ctx context.Context, p *problem.Problem, opt engine.Options) (Spectrum, error) {
	m, err := model.NewContext(ctx, p, opt.Unit)
	if err != nil {
		return Spectrum{}, err
	}
	ridge, err := m.RidgeOf(engine.ModeFC, opt)
	if err != nil {
		return Spectrum{}, fmt.Errorf("spectrum: %w", err)
	}
	g, err := information(ctx, m, ridge, 0)
	if err != nil {
		return Spectrum{}, fmt.Errorf("spectrum: %w", err)
	}
	s, err := spectra(ctx, m, g)
	if err != nil {
		return Spectrum{}, fmt.Errorf("spectrum: %w", err)
	}
	return Spectrum{
		Problem: p.Name, Arms: p.N(), Ridge: ridge, Joint: s.joint, Task: s.task, Arm: s.arm,
		EffectiveDimension: effectiveDimension(s.joint, p.N(), ridge),
		InformationGain:    g.value, InformationGainUpper: g.upper,
	}, ctx.Err()
}

// FirstRound returns the allocation of the first round [Du23, Alg. 1, l. 4] to a
// relative duality gap of tol (0 means 1e-6). Arms that are not measured have their share, and what
// ξ takes from the means it takes from those measured.
func FirstRound(ctx context.Context, p *problem.Problem, opt engine.Options, tol float64) (Design, error) {
	m, err := model.NewContext(ctx, p, opt.Unit)
	if err != nil {
		return Design{}, err
	}
	known := m
	if p.Partial != nil {
		if known, err = model.NewContext(ctx, p.Measured(), opt.Unit); err != nil {
			return Design{}, err
		}
	}
	ridge, err := known.RidgeOf(engine.ModeFC, opt)
	if err != nil {
		return Design{}, fmt.Errorf("design: %w", err)
	}
	d, err := firstRound(m, ridge, tol)
	if err != nil {
		return Design{}, err
	}
	a := Design{Problem: p.Name, Ridge: ridge, Value: d.Value, Lower: d.Lower, Iterations: d.Iterations, Status: d.Status.String()}
	for i, w := range d.Weights {
		if w > 1e-9 {
			a.Weights = append(a.Weights, AllocationWeight{p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i], w})
		}
	}
	return a, ctx.Err()
}

// firstRound solves for all pairs of all tasks; of very many arms by exchange.
func firstRound(m *model.Model, ridge, tol float64) (design.Design, error) {
	c := design.Contrasts{Groups: m.Problem.Groups()}
	if tol == 0 {
		tol = 1e-6
	}
	if ridge > 0 && m.Many() {
		const within = 2.5 // times its tolerance is where it may end
		x, err := m.CertifierWithin(ridge, tol/within)
		if err != nil {
			return design.Design{}, err
		}
		d, err := x.Design(c)
		if d.Status == design.Optimal && d.DualityGap() > tol {
			d.Status = design.Stalled
		}
		return d, err
	}
	m, err := m.Exact()
	if err != nil {
		return design.Design{}, err
	}
	return design.Minimax(m.Space(ridge), c, m.Solver(tol))
}

// HardnessOf returns gap and difficulty per task: ρ*(0) of the task on its own,
// and the share of the joint ρ*(0) allocation that its arms get.
func HardnessOf(ctx context.Context, p *problem.Problem) (Hardness, error) {
	m, err := model.NewContext(ctx, p, 0)
	if err != nil {
		return Hardness{}, err
	}
	best, err := m.Best()
	if err != nil {
		return Hardness{}, fmt.Errorf("hardness: %w", err)
	}
	share := make([]float64, p.N())
	if d, err := m.Hardness(0, 0); err == nil {
		share = d.Weights
	}
	h := Hardness{Problem: p.Name}
	for v, b := range best {
		lo, hi := p.ArmsOf(v)
		row := HardnessRow{Task: p.Tasks.Names[v], Arms: hi - lo, Best: p.Arms.Names[b], Noise: p.Noise.Scales[b], Gap: math.Inf(1)}
		for i := lo; i < hi; i++ {
			if gap := p.Mean[b] - p.Mean[i]; i != b && gap < row.Gap {
				row.Gap, row.Second = gap, p.Arms.Names[i]
			}
			row.Weight += share[i]
		}
		row.GapToNoise = row.Gap / row.Noise
		alone, err := model.NewContext(ctx, p.Only(v), m.Unit)
		if err != nil {
			return h, err
		}
		row.RhoAlone = math.Inf(1)
		if d, err := alone.Hardness(0, 0); err == nil {
			row.RhoAlone = d.Value
		}
		h.Rows = append(h.Rows, row)
	}
	return h, ctx.Err()
}
