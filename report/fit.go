package report

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Fit returns the view of fit(...).
func (views) Fit(f fit.Fit) view {
	return view{
		words:  f.Words,
		blocks: func() []Block { return fitBlocks(f) },
		axes:   func(x string) (xs, ys []string) { return fitAxes(f, x) },
		figure: func(o PlotOptions) (Figure, error) { return fitFigure(f, o.Y[0]), nil },
	}
}

// fitBlocks returns the blocks of fit(...): the fitted kernel, the test for lack of fit, and the benefit of sharing.
func fitBlocks(f fit.Fit) []Block {
	out := []Block{Paragraph{Text: fitSentence(f), Lead: true}}
	if predicts(f) {
		out = []Block{Paragraph{Text: predictionSentence(f), Lead: true}, Paragraph{Text: fitSentence(f)}}
	}
	first, others := warned(lists.Map(f.Warnings, func(w engine.Warning) string { return upper(w.String()) }))
	out = slices.Concat(out, first, others, []Block{kernelsOf(f)})
	if len(f.Parameters) > 0 {
		out = append(out, parameterTable(f))
	}
	out = append(out, Paragraph{Text: misfitSentence(f.Misfit)})
	if len(f.Misfit.Residuals) > 0 {
		out = append(out, residualTable(f.Misfit))
	}
	if f.Sharing.Verdict != fit.SharingNone {
		out = append(out, Paragraph{Text: sharingSentence(f)})
	}
	if m := f.Sharing.Measured; m != nil {
		out = append(out, Paragraph{Text: measuredSentence(*m)})
	}
	return append(out, fitFacts(f))
}

func fitSentence(f fit.Fit) string {
	data := fmt.Sprintf("%s of %s (%s)", plural(f.Arms, "arm mean"), f.Problem, plural(int(f.Measurements), "measurement"))
	s := fmt.Sprintf("%s fitted to %s: the log marginal likelihood rises from %s to %s.",
		upper(plural(len(f.Parameters), "number")), data, decimal(f.LogLikelihoodStart, 6), decimal(f.LogLikelihood, 6))
	if len(f.Parameters) == 0 {
		s = fmt.Sprintf("The kernel has no free hyperparameters. On %s its log marginal likelihood is %s.", data, decimal(f.LogLikelihood, 6))
	}
	return s
}

// predicts reports whether the fit includes predictions of left-out arms.
func predicts(f fit.Fit) bool { return f.CrossValidation.Arms > 0 && f.CrossValidation.Without > 0 }

// predictionSentence returns a sentence on the error of predictions of left-out arms.
func predictionSentence(f fit.Fit) string {
	c := f.CrossValidation
	return fmt.Sprintf("The kernel predicts an arm from all others to within ±%s; the mean of its task's other arms "+
		"does so to within ±%s.", decimal(c.Error, 3), decimal(c.Without, 3))
}

// kernelsOf lists the kernel before the fit, the fitted kernel, and the fitted kernel as an argument of problem(...).
func kernelsOf(f fit.Fit) KeyValues {
	kv := KeyValues{Caption: "Kernel"}
	if f.Start != f.Expression {
		kv.add("Given", shownKernel(f.Start))
	}
	kv.add("Fitted", shownKernel(f.Expression))
	for _, formula := range f.Kernel.Formulas() {
		kv.add("where", fmt.Sprintf("%s(%s) = %s", formula.Name, formula.Params, formula.Body))
	}
	if f.Usable != f.Expression {
		kv.add("With its level (prior mean), as fitted(…) returns it", shownKernel(f.Usable))
	}
	return kv
}

func parameterTable(f fit.Fit) Table {
	t := Table{
		Caption: "Free hyperparameters",
		Columns: columns("number Number", "#start Start", "#fitted Fitted", "#low 95 % from", "#high To", "#min Smallest", "#max Largest",
			"limit Ended at"),
		Notes: []string{"The 95 % intervals come from the curvature of the likelihood. There is no interval for a hyperparameter at its " +
			"limit, or one that the data do not determine."},
	}
	for _, p := range f.Parameters {
		low, high := any(nil), any(nil)
		if p.CI95 != [2]float64{} {
			low, high = p.CI95[0], p.CI95[1]
		}
		t.Rows = append(t.Rows, []any{p.Name, p.Start, p.Value, low, high, p.Min, p.Max, known(p.Limit)})
	}
	return t.withoutEmptyColumns()
}

func misfitSentence(m fit.Misfit) string {
	nugget := ""
	if m.Nugget > 0 {
		nugget = fmt.Sprintf(" The likelihood is largest with %s*identity() added (by %s nats, p = %s).", decimal(m.Nugget, 3),
			decimal(m.Gain, 3), decimal(m.GainP, 2))
	}
	switch m.Test {
	case "F":
		return fmt.Sprintf("Test for lack of fit, in the directions where noise exceeds the kernel's variance: the mean square "+
			"is %s times the pure error of the replicates (F with %s and %s degrees of freedom, p = %s).%s",
			decimal(m.Statistic, 3), decimal(m.Freedom[0], 0), decimal(m.Freedom[1], 0), decimal(m.PValue, 2), nugget)
	case "chi-square":
		approximate := ""
		if !m.Exact {
			approximate = ", approximate: every arm has a standard deviation of its own, from few replicates"
		}
		return fmt.Sprintf("Test for lack of fit, in the directions where noise exceeds the kernel's variance: the mean square "+
			"is %s times the noise (chi-square with %s degrees of freedom, p = %s%s).%s",
			decimal(m.Statistic, 3), decimal(m.Freedom[0], 0), decimal(m.PValue, 2), approximate, nugget)
	}
	return "Lack of fit is not tested: " + m.Reason + "." + nugget
}

func residualTable(m fit.Misfit) Table {
	return Table{
		Caption: "Arms that the others predict worst",
		Columns: columns("task Task", "arm Arm", "#mean Measured [reward units]", "#predicted Predicted [reward units]",
			"#standardised Difference over its sd"),
		Rows: lists.Map(m.Residuals, func(r fit.Residual) []any { return []any{r.Task, r.Arm, r.Mean, r.Predicted, r.Standardised} }),
	}
}

func sharingSentence(f fit.Fit) string {
	s := f.Sharing
	verdict := map[string]string{
		fit.SharingHelps:   "Pooling the tasks is supported by these data",
		fit.SharingHurts:   "These data speak against pooling the tasks",
		fit.SharingUnclear: "These data do not show whether pooling the tasks helps",
	}[s.Verdict]
	return fmt.Sprintf("%s: the kernel gains %s nats over one whose tasks share no arm effects, minus one nat per free hyperparameter. "+
		"Arm effects have size %s, and these data determine them to within %s. At that precision, the %s count as %s independent "+
		"ones. A shared measurement is then predicted to be worth %s independent ones, and %s if every arm has one measurement.",
		verdict, decimal(s.Support, 3), decimal(s.Signal, 3), decimal(s.Noise, 3), plural(f.Tasks, "task"), decimal(s.Rank, 3),
		decimal(s.Speedup, 3), decimal(s.Single, 3))
}

// measuredSentence returns a sentence on simulated runs with and without sharing.
func measuredSentence(m fit.Measured) string {
	return fmt.Sprintf("Measured in %s with these means as true means (δ = %s, arms within %s of the best count as best): a "+
		"collaborating agent needs %s samples, an independent one %s, a speedup of %s. "+
		"Answers were wrong in %d collaborative and %d independent runs.",
		plural(m.Runs, "simulated run"), decimal(m.Delta, 3), decimal(m.Epsilon, 3), cell(m.Together, 0), cell(m.Alone, 0),
		cell(m.Speedup, 0), m.Wrong.Count, m.WrongAlone.Count)
}

// fitFacts returns the numbers of a fit as facts.
func fitFacts(f fit.Fit) KeyValues {
	kv := KeyValues{Caption: "Details of the fit"}
	kv.add("Goal", lowest(f.Goal))
	kv.Items = append(kv.Items, []KeyValue{
		{Key: "Level", Value: map[string]string{fit.MeanProblem: "one for the problem", fit.MeanTask: "one for each task",
			fit.MeanNone: "none"}[f.Mean]},
		{Key: "Noise", Value: f.Noise},
		{Key: "Effective parameters of the kernel", Value: f.Effective},
		{Key: "Condition of the covariance", Value: f.Condition, Digits: 2},
		{Key: "Largest derivative left", Value: f.GradientNorm, Unit: "nats", Digits: 2},
		{Key: "Evaluations", Value: f.Evaluations},
	}...)
	if f.SampledFrom > 0 {
		kv.add("Arms", fmt.Sprintf("a random sample of %d of %d", f.Arms, f.SampledFrom))
	}
	if c := f.CrossValidation; c.Arms > 0 {
		kv.Items = append(kv.Items,
			KeyValue{Key: "Log predictive density of an arm left out", Value: c.LogDensity, Unit: "nats"},
			KeyValue{Key: "Arms within their 95 % interval", Value: fmt.Sprintf("%.0f of %d", c.Coverage*float64(c.Arms), c.Arms)})
	}
	if f.Sharing.Separate != "" {
		kv.Items = append(kv.Items, KeyValue{Key: "Without sharing",
			Value: fmt.Sprintf("%s, log likelihood %s", f.Sharing.Separate, decimal(f.Sharing.SeparateLikelihood, 6))})
	}
	return kv
}

// fitFigure draws the quantity y of a fit: the similarity of tasks, or the arms with the worst predictions.
func fitFigure(f fit.Fit, y string) Figure {
	if y == "similarity" {
		return Figure{
			Title: "Similarity of tasks in " + f.Problem, XLabel: "task", YLabel: "task",
			Heat: &Heat{Rows: f.Sharing.Names, Columns: f.Sharing.Names, Z: f.Sharing.Alike, Label: "correlation"},
		}
	}
	fig := barFigure("Arms that the others predict worst, "+f.Problem, "difference over its standard deviation", "arm", false)
	for _, r := range f.Misfit.Residuals {
		addBar(&fig, r.Task+": "+r.Arm, r.Standardised)
	}
	return fig
}

// fitAxes returns the axes that fitFigure can draw.
func fitAxes(f fit.Fit, x string) (xs, ys []string) {
	if f.Problem != "" && len(f.Sharing.Alike) == 0 { // a single task has no similarity to others
		return []string{"arm"}, []string{"residual"}
	}
	switch x {
	case "", "task":
		return []string{"task", "arm"}, []string{"similarity"}
	case "arm":
		return []string{"task", "arm"}, []string{"residual"}
	}
	return []string{"task", "arm"}, []string{"similarity", "residual"}
}

// CompareFits returns a table that compares fits of several kernels to the same data. Each fit is a row: its name,
// marginal likelihood, leave-one-out predictions and test for lack of fit.
func CompareFits(names []string, fits []fit.Fit) Table {
	t := Table{
		Caption: "Comparison of kernels",
		Columns: columns("kernel Kernel", "#free Free hyperparameters", "#log_likelihood Log marginal likelihood [nats]",
			"#loo_log_density Leave-one-out log density [nats per arm]", "#loo_error Leave-one-out error [reward units]",
			"#coverage Within 95 %", "#misfit_p Lack of fit, p", "#gain_p Missing term, p", "#effective_parameters Effective parameters",
			"fitted Fitted"),
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
		"A difference of 3 nats in the marginal likelihood is strong evidence; free hyperparameters raise it, because they "+
			"maximise it. A small p shows that the kernel does not fit.")
	for i, f := range fits {
		t.Notes = append(t.Notes, lists.Map(f.Warnings, func(w engine.Warning) string { return fmt.Sprintf("%s: %s.", names[i], w) })...)
	}
	return t.withoutEmptyColumns()
}
