package report

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/fit"
)

// CompareFits sets fits of several kernels to the same data side by side, one row for each, under these
// names: marginal likelihood, prediction of each arm from all others, and the test for lack of fit.
func CompareFits(names []string, fits []fit.Fit) Table {
	t := Table{
		Caption: "Kernels side by side",
		Columns: []Column{
			text("kernel", "Kernel"), number("free", "Free numbers", ""), number("log_likelihood", "Log marginal likelihood", "nats"),
			number("loo_log_density", "Leave-one-out log density", "nats per arm"), number("loo_error", "Leave-one-out error", "reward units"),
			number("coverage", "Within 95 %", ""), number("misfit_p", "Lack of fit, p", ""), number("gain_p", "Missing term, p", ""),
			number("effective_parameters", "Effective parameters", ""), text("fitted", "Fitted"),
		},
	}
	likely, predicts := -1, -1
	for i, f := range fits {
		c := f.CrossValidation
		row := []any{names[i], len(f.Parameters), f.LogLikelihood, nil, nil, nil, nil, f.Misfit.GainP, f.Effective, f.Expression}
		if c.Arms > 0 {
			row[3], row[4], row[5] = c.LogDensity, c.Error, c.Coverage
			if predicts < 0 || c.LogDensity > fits[predicts].CrossValidation.LogDensity {
				predicts = i
			}
		}
		if f.Misfit.Test != "" {
			row[6] = f.Misfit.PValue
		}
		if likely < 0 || f.LogLikelihood > fits[likely].LogLikelihood {
			likely = i
		}
		t.Rows = append(t.Rows, row)
	}
	if len(fits) > 1 {
		best := fmt.Sprintf("%s has the largest marginal likelihood", names[likely])
		switch {
		case predicts == likely:
			best += " and predicts left-out arms best"
		case predicts >= 0:
			best += fmt.Sprintf(", %s predicts left-out arms best", names[predicts])
		}
		t.Notes = append(t.Notes, best+".")
	}
	t.Notes = append(t.Notes,
		"A difference of 3 nats in the marginal likelihood is strong; free numbers raise it, since they are chosen for it. A small "+
			"p says that the kernel does not fit.")
	for i, f := range fits {
		for _, w := range f.Warnings {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: %s.", names[i], w))
		}
	}
	return t.withoutEmptyColumns()
}
