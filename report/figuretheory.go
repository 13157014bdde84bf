package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// boundsFigure sets the bounds side by side. Those that are infinite or unknown
// are left out.
func boundsFigure(r bounds.Report, y string) Figure {
	label := map[string]string{
		"samples": "samples per agent, fixed confidence", "budget": "budget per agent for error δ", "error": "error probability at the budget",
	}[y]
	theorem := "Theorem 2"
	if y == "samples" {
		theorem = "Theorem 1"
	}
	f := barFigure("Bounds for "+r.Problem, label, "bound", true)
	if y == "samples" && finite(r.LowerBoundSamples) {
		addBar(&f, "Lower bound", r.LowerBoundSamples)
		f.Lines = []ReferenceLine{{At: r.LowerBoundSamples, Vertical: true}}
	}
	for _, p := range promises(r) {
		if v := map[string]float64{"samples": p.fc, "budget": p.fbBudget, "error": p.error}[y]; finite(v) {
			addBar(&f, strings.Replace(p.name, "Theorem 1 / 2", theorem, 1), v)
		}
	}
	return f
}

func hardnessFigure(h bounds.Hardness, y string) Figure {
	label := map[string]string{"gap": "gap (reward units)", "rho_alone": "ρ* of the task alone", "weight": "share of the joint pulls"}[y]
	f := barFigure("Difficulty of the tasks of "+h.Problem, label, "task", y == "rho_alone")
	for _, r := range h.Rows {
		addBar(&f, r.Task, map[string]float64{"gap": r.Gap, "rho_alone": r.RhoAlone, "weight": r.Weight}[y])
	}
	return f
}

// spectrumFigure draws the eigenvalues with the ridge, which separates those
// that matter, and the effective dimension.
func spectrumFigure(s bounds.Spectrum) Figure {
	f := Figure{Title: "Spectrum of " + s.Problem, XLabel: "index", YLabel: "eigenvalue", LogY: true}
	for _, e := range []struct {
		name   string
		values []float64
	}{{"joint K", s.Joint}, {"tasks K_Z", s.Task}, {"arms K_X", s.Arm}} {
		series := Series{Name: e.name}
		for i, v := range e.values {
			if v < 1e-16*e.values[0] { // zero but for rounding
				v = math.NaN()
			}
			series.X, series.Y = append(series.X, float64(i+1)), append(series.Y, v)
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	if s.Ridge > 0 {
		f.Lines = append(f.Lines, ReferenceLine{Label: "ridge ξ", At: s.Ridge})
	}
	if s.EffectiveDimension > 0 {
		f.Lines = append(f.Lines, ReferenceLine{Label: fmt.Sprintf("d_eff = %d", s.EffectiveDimension), At: float64(s.EffectiveDimension),
			Vertical: true})
	}
	return f
}

// The largest allocation drawn: cells of a heat map, and bars.
const (
	mostCells = 20000
	mostBars  = 40
)

// designFigure returns a map of task by arm where tasks share arms, and bars of the largest weights
// otherwise.
func designFigure(a bounds.Design) Figure {
	var tasks, arms []string
	row, column := map[string]int{}, map[string]int{}
	for _, w := range a.Weights {
		if _, ok := row[w.Task]; !ok {
			row[w.Task] = len(tasks)
			tasks = append(tasks, w.Task)
		}
		if _, ok := column[w.Arm]; !ok {
			column[w.Arm] = len(arms)
			arms = append(arms, w.Arm)
		}
	}
	title := "Allocation of the first round, " + a.Problem
	shared := len(tasks) > 1 && len(a.Weights) > len(arms)
	if !shared || len(tasks)*len(arms) > mostCells {
		return designBars(a, title)
	}
	slices.SortFunc(arms, naturally)
	h := &Heat{Rows: tasks, Columns: arms, Label: "share of pulls", Z: make([][]float64, len(tasks))}
	for j, arm := range arms {
		column[arm] = j
	}
	for i := range h.Z {
		h.Z[i] = make([]float64, len(arms))
	}
	for _, w := range a.Weights {
		h.Z[row[w.Task]][column[w.Arm]] = w.Weight
	}
	return Figure{Title: title, XLabel: "arm", YLabel: "task", Heat: h}
}

func designBars(a bounds.Design, title string) Figure {
	weights := slices.Clone(a.Weights)
	slices.SortStableFunc(weights, func(a, b bounds.AllocationWeight) int { return cmp.Compare(b.Weight, a.Weight) })
	if len(weights) > mostBars {
		title += fmt.Sprintf(" (the %d largest of %d)", mostBars, len(weights))
		weights = weights[:mostBars]
	}
	f := barFigure(title, "share of pulls", "task: arm", false)
	for _, w := range weights {
		addBar(&f, w.Task+": "+w.Arm, w.Weight)
	}
	return f
}
