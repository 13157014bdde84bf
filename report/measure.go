package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// measure is a quantity that a run reports, such as its number of samples. Tables, sweeps, CSV columns and the y of
// figures all choose from measures().
type measure struct {
	name     string // name in plot(y=...), CSV and JSON
	title    string
	unit     string
	quantity string                  // physical quantity; measures with the same quantity can share an axis
	value    func(engine.Result) any // returns the cell of a result; nil if unknown
	log      bool                    // whether figures use a logarithmic axis
	theory   bool                    // belongs to the problem, equal for all algorithms: figures draw it once
}

// measures returns all measures, in the order of tables.
func measures() []measure {
	return []measure{
		{"samples", "Samples per agent", "", "Samples", func(r engine.Result) any { return notNegative(r.SamplesPerAgent) }, true, false},
		{"samples_total", "Samples, all agents", "", "Samples", func(r engine.Result) any { return r.SamplesTotal }, true, false},
		{"ratio", "Times the lower bound", "", "Times the lower bound",
			func(r engine.Result) any { return known(r.RatioToLowerBound) }, true, false},
		{"lower_bound", "Lower bound per agent", "", "Samples",
			func(r engine.Result) any { return known(r.LowerBoundSamples) }, true, false},
		bound("theorem", "Theorem 1", engine.ModeFC, func(t engine.Theory) float64 { return t.Theorem }),
		bound("corollary_a", "Corollary 1 (a), by information gain", engine.ModeFC, func(t engine.Theory) float64 { return t.CorollaryA }),
		bound("corollary_b", "Corollary 1 (b), by effective dimension", engine.ModeFC,
			func(t engine.Theory) float64 { return t.CorollaryB }),
		bound("corollary_c", "Corollary 1 (c), by ranks", engine.ModeFC, func(t engine.Theory) float64 { return t.CorollaryC }),
		bound("misfit_bound", "Elimination under misfit, bound", engine.ModeFC, func(t engine.Theory) float64 { return t.MisfitBound }),
		bound("theorem_error", "Theorem 2", engine.ModeFB, func(t engine.Theory) float64 { return t.Theorem }),
		bound("corollary_a_error", "Corollary 2 (a), by information gain", engine.ModeFB,
			func(t engine.Theory) float64 { return t.CorollaryA }),
		bound("corollary_b_error", "Corollary 2 (b), by effective dimension", engine.ModeFB,
			func(t engine.Theory) float64 { return t.CorollaryB }),
		bound("corollary_c_error", "Corollary 2 (c), by ranks", engine.ModeFB, func(t engine.Theory) float64 { return t.CorollaryC }),
		size("information_gain", "Information gain Υ", func(t engine.Theory) any { return t.InformationGain }),
		size("effective_dimension", "Effective dimension d_eff", func(t engine.Theory) any { return t.EffectiveDimension }),
		size("rank_joint", "Rank of K", func(t engine.Theory) any { return t.RankJoint }),
		{"rounds", "Rounds", "", "Rounds", func(r engine.Result) any { return r.Rounds }, false, false},
		{"messages", "Messages", "", "Messages", func(r engine.Result) any { return r.Messages }, true, false},
		{"bytes", "Communication", "bytes", "Bytes", func(r engine.Result) any { return r.Bytes }, true, false},
		{"bytes_raw", "Communication if each reward were sent", "bytes", "Bytes",
			func(r engine.Result) any { return known(r.BytesRaw) }, true, false},
		{"bytes_theta", "Communication if parameters were sent", "bytes", "Bytes",
			func(r engine.Result) any { return known(r.BytesTheta) }, true, false},
		{"error", "Runs with a wrong answer", "", "Relative frequency", func(r engine.Result) any { return rate(r.Errors) }, true, false},
		{"decided_error", "Runs with a wrong decided answer", "", "Relative frequency",
			func(r engine.Result) any { return decidedErrors(r) }, true, false},
		{"task_error", "Tasks with a wrong leader", "", "Relative frequency",
			func(r engine.Result) any { return rate(r.TaskErrors) }, true, false},
		{"undecided", "Runs with an undecided task", "", "Relative frequency", func(r engine.Result) any {
			if untested(r) { // nothing is tested, so nothing is decided
				return nil
			}
			return rate(r.Undecided)
		}, false, false},
		{"regret", "Simple regret", "reward units", "Reward units", func(r engine.Result) any { return truth(r, r.Regret) }, true, false},
		{"relative_regret", "Relative regret", "", "Shares of the gap to the median arm",
			func(r engine.Result) any { return truth(r, r.RelativeRegret) }, true, false},
	}
}

// measuresNamed returns the named measures. It panics for an unknown name.
func measuresNamed(names ...string) []measure {
	return lists.Map(names, func(name string) measure {
		m, ok := findMeasure(name)
		if !ok {
			panic("report: no measure " + name)
		}
		return m
	})
}

func findMeasure(name string) (measure, bool) {
	return lists.First(measures(), func(m measure) bool { return m.name == name })
}

// measuresFor returns the named measures. If all results have a fixed budget, their titles speak of recommendations.
func measuresFor(results []engine.Result, names ...string) []measure {
	out := measuresNamed(names...)
	if !slices.ContainsFunc(results, func(r engine.Result) bool { return r.Mode != engine.ModeFB }) {
		for i, m := range out {
			out[i].title = cmp.Or(map[string]string{
				"error": "Runs with a wrong recommendation", "task_error": "Wrong recommendations"}[m.name], m.title)
		}
	}
	return out
}

func (m measure) column() Column {
	if m.unit == "bytes" { // a shorter title, as narrow as the numbers below it
		return number(m.name, strings.Replace(m.title, "Communication", "Bytes", 1), "")
	}
	return number(m.name, m.title, m.unit)
}

// measureNotes returns notes that explain the measures of a table.
func measureNotes(t Table) (out []string) {
	for _, c := range t.withoutEmptyColumns().Columns {
		switch c.Name {
		case "relative_regret":
			out = append(out, "Relative regret: the simple regret as a share of the gap between the best and the median arm of the task.")
		case "bytes":
			out = append(out, "Bytes: the size of all messages of a run.")
		}
	}
	return out
}

// cellsOf returns the cells of a result for the given measures.
func cellsOf(measures []measure, r engine.Result) []any {
	return lists.Map(measures, func(m measure) any { return m.value(r) })
}

// bound returns a measure for an upper bound of the theory in the given mode.
func bound(name, title, mode string, of func(engine.Theory) float64) measure {
	quantity := "Samples"
	if mode == engine.ModeFB {
		quantity = "Relative frequency"
	}
	return measure{name, title, "", quantity, func(r engine.Result) any {
		if r.Theory == nil || r.Mode != mode {
			return nil
		}
		return known(of(*r.Theory))
	}, true, true}
}

// size returns a measure for a number of directions of the kernel that matter.
func size(name, title string, of func(engine.Theory) any) measure {
	return measure{name, title, "", "Complexity of the kernel", func(r engine.Result) any {
		if r.Theory == nil {
			return nil
		}
		return of(*r.Theory)
	}, true, true}
}

// decidedErrors returns the rate of errors among decided answers of fixed-budget runs. It returns nil for fixed
// confidence, and if no task was decided.
func decidedErrors(r engine.Result) any {
	if r.Mode != engine.ModeFB || r.DecidedTasks == 0 {
		return nil
	}
	return rate(r.DecidedErrors)
}

// rate returns r as a cell. It returns nil if no run could be judged, because the expected rewards are unknown.
func rate(r engine.Rate) any {
	if r.Runs == 0 {
		return nil
	}
	return r
}

// truth returns x, a quantity that needs the expected rewards, as a cell. It returns nil if they are unknown.
func truth(r engine.Result, x engine.Interval) any {
	if r.Errors.Runs == 0 {
		return nil
	}
	return notNegative(x)
}

// notNegative raises the lower end of an interval to 0. It is for means that cannot be negative, such as a number of
// samples: with few runs, Student's t interval can extend below 0.
func notNegative(x engine.Interval) engine.Interval {
	x.CI95[0] = max(x.CI95[0], 0)
	return x
}

// standardError returns the mean with its standard error, which it computes from the Student's t interval x over runs.
func standardError(x engine.Interval, runs int) MeanError {
	if runs < 2 {
		return MeanError{Mean: x.Mean}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(runs - 1)}.Quantile(0.975)
	return MeanError{Mean: x.Mean, StandardError: (x.CI95[1] - x.Mean) / t}
}

// Compare returns a table that compares results, one row per result in the given order. Its columns are: labels that tell
// the results apart, unless the algorithms do; guarantee; decided tasks, if some are undecided; errors with Wilson
// intervals; relative regret with its standard error; samples; rounds; ratio to the lower bound; bytes. A column that is
// empty for all results is omitted. Warnings are notes.
func Compare(results []engine.Result) Table {
	l := labelsOf(results)
	t := Table{Caption: "Algorithms side by side"}
	if !l.algorithms {
		t.Caption = "Results side by side"
	}
	var lead [][]any
	t.Columns, lead = l.lead()
	t.Columns = append(t.Columns, columns("algorithm Algorithm", "schedule Schedule", "status Status", "standing Guarantee")...)
	undecided := someUndecided(results)
	if undecided {
		t.Columns = append(t.Columns, text("decided", "Decided, first run"))
	}
	chosen := measuresFor(results, "error", "relative_regret", "samples", "rounds", "ratio", "bytes")
	t.Columns = append(t.Columns, lists.Map(chosen, measure.column)...)
	for i, r := range results {
		row := append(lead[i], markedName(r.Algorithm), known(r.Schedule), r.Status.Words(), known(r.Standing))
		if undecided {
			decided, tasks := decidedTasks(r)
			row = append(row, fmt.Sprintf("%d of %d", decided, tasks))
		}
		for _, m := range chosen {
			v := m.value(r)
			if x, ok := v.(engine.Interval); ok && m.name == "relative_regret" {
				v = standardError(x, r.Runs)
			}
			row = append(row, v)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{
		"Brackets are 95 % intervals (Student's t over runs; Wilson for error rates); ± is one standard error.",
	}
	t.Notes = append(t.Notes, measureNotes(t)...)
	if l.abridged {
		t.Notes = append(t.Notes, "… replaces the part that all kernels share.")
	}
	t = t.withoutEmptyColumns().withoutConstant("schedule", "status", "standing")
	if undecided {
		t.Notes = append(t.Notes, "Guarantees cover decided answers only.")
	}
	t.Notes = append(t.Notes, compareFootnotes(results, boundNames(results))...)
	return t
}

// known returns v as a cell. It returns nil for the zero value, which means "unknown" in a Result.
func known[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// pointed returns *p as a cell; nil for a nil pointer.
func pointed[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
