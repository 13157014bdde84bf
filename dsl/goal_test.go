package dsl

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// costTable has costs, which are lowest at the best settings. One value is missing in the column
// euros.
const costTable = `plant;temp;oil;age;cost;euros;s;n
A;150;x;2;41,5;9;1;3
A;150;x;2;42,5;11;1;1
A;180;x;2;30,5;4;2;5
A;180;x;2;29,5;4;;1
A;210;y;2;35,5;6;1;2
A;210;y;2;34,5;6;1;2
B;150;x;7;51,5;8;1;2
B;150;x;7;52,5;8;1;2
B;180;x;7;41,5;NA;;
B;180;x;7;40,5;;;
`

const costCall = `p = problem(data="costs.csv", task="plant", arm=["temp", "oil"], reward="cost", task_features="age", kernel=task(rbf(5)) * arm(1000 + 30*rbf(30, dims="temp")), noise="task", goal="min")
`

// costsShown evaluates a script beside costs.csv and returns the text of its displays, with its
// values.
func costsShown(t *testing.T, src string) (string, []any) {
	t.Helper()
	folder := t.TempDir()
	written(t, folder, "costs.csv", costTable)
	s := NewSession(Options{Folder: folder})
	values := valuesOf(t, s, src)
	var text strings.Builder
	for _, v := range values {
		try.To(report.Text(&text, report.Document{Displays: []report.Display{{Value: v}}}, report.TextOptions{}))
	}
	return strings.Join(strings.Fields(text.String()), " "), values
}

// All that is shown of a problem with goal="min" has the sign of the data, and the best is the
// lowest.
func TestGoalMinShown(t *testing.T) {
	// One display of each kind that has rewards.
	text, values := costsShown(t, costCall+`p
r = fb(p, budget=60, algorithm="IndUniformFB", runs=3)
r
f = fit(p)
f
explain(r)
bounds(p, xi=0.1)
hardness(p)
classic([3, 1, 2], agents=2, goal="min")`)
	// Bounds and order are the ones of the data: the best is the lowest.
	for _, want := range []string{"above 180, x (smallest estimate)", "temp=180, oil=x leads temp=210, oil=y by 5"} {
		if !strings.Contains(text, want) || strings.Contains(text, "below 180, x") {
			t.Errorf("no %q, or below the lowest, in\n%s", want, text)
		}
	}
	// A reward of about 30 or 40 with a minus would be the turned one.
	if regexp.MustCompile(` -[345]\d`).MatchString(text) || !strings.Contains(text, "the lowest reward") {
		t.Errorf("shows rewards with the other sign, or no goal:\n%s", text)
	}
	p, r, f := values[0].(*problem.Problem), values[1].(engine.Result), values[2].(fit.Fit)
	// The leaders by the means of the table: 30 in A, and 41 in B.
	for v, want := range []string{"temp=180, oil=x", "temp=180, oil=x"} {
		if a := r.Answers[v]; a.Leader != want || a.Best != want || math.Abs(a.Estimate-[]float64{30, 41}[v]) > 3 {
			t.Errorf("answer %+v, want %s with about 30 and 41", a, want)
		}
	}
	if len(f.Levels) != 1 || !(f.Levels[0] > 20) || f.Goal != "min" {
		t.Errorf("fit: goal %q, levels %v", f.Goal, f.Levels)
	}
	for _, x := range f.Misfit.Residuals {
		if x.Mean < 29 || x.Predicted < 20 || (x.Mean-x.Predicted)*x.Standardised < 0 {
			t.Errorf("residual %+v", x)
		}
	}
	// Files have the rewards of the table.
	var csv, js bytes.Buffer
	try.To(report.CSV(&csv, p))
	if !regexp.MustCompile(`(?m)^A,3,0\.7071067811865476,"temp=180, oil=x",30,0\.5(000000\d*)?,2$`).MatchString(csv.String()) {
		t.Errorf("CSV\n%s: want a mean of 30 with a standard error of 0.5 in A", csv.String())
	}
	try.To(report.JSON(&js, report.Document{Displays: []report.Display{{Value: p}, {Value: r}, {Value: f}}}))
	if n := strings.Count(js.String(), `"goal": "min"`); n != 3 || !strings.Contains(js.String(), `"mean": 42`) || strings.Contains(js.String(), `"mean": -`) {
		t.Errorf("JSON has the goal %d times, want 3, and costs as they are:\n%s", n, js.String())
	}
}

// Length scales are shares of the range of a column, categories stay, and names of columns work as
// before.
// The same kernel in two units: length scales as shares of the range, and in the units of the data.
func TestStandardizedShown(t *testing.T) {
	own := strings.Replace(costCall, "rbf(5)", "rbf(1)", 1)
	own = strings.Replace(own, `rbf(30, dims="temp")`, `rbf(0.5, dims="temp")*category(dims="oil")`, 1)
	own = strings.Replace(own, `goal="min"`, "standardize=true", 1)
	other := strings.Replace(strings.Replace(strings.Replace(own, "rbf(1)", "rbf(5)", 1), "rbf(0.5", "rbf(30", 1), ", standardize=true", "", 1)
	text, values := costsShown(t, own+"p\nr = fb(p, budget=60)\nr\nbounds(p, xi=0.1)\nfit(p)\n")
	_, want := costsShown(t, other+"p\nr = fb(p, budget=60)\nr\nbounds(p, xi=0.1)\nfit(p)\n")
	if !strings.Contains(text, "age (2 to 7 scaled to 0 to 1)") || !strings.Contains(text, "temp (150 to 210 scaled to 0 to 1), oil") {
		t.Errorf("does not show the units of features:\n%s", text)
	}
	// The designs and answers are the same up to rounding.
	a, b := values[1].(engine.Result), want[1].(engine.Result)
	if a.SamplesTotal != b.SamplesTotal || !slices.EqualFunc(a.Answers, b.Answers, func(x, y engine.Answer) bool {
		return x.Leader == y.Leader && math.Abs(x.Estimate-y.Estimate) < 1e-6
	}) {
		t.Errorf("under the same kernel in other units %+v, want %+v", a.Answers, b.Answers)
	}
	if x, y := values[3].(fit.Fit).LogLikelihood, want[3].(fit.Fit).LogLikelihood; math.Abs(x-y) > 1e-6 {
		t.Errorf("log likelihood %v, want %v", x, y)
	}
	var js bytes.Buffer
	if err := report.JSON(&js, report.Document{Displays: []report.Display{{Value: values[0]}}}); err != nil || !strings.Contains(js.String(), `"standardized"`) || !strings.Contains(js.String(), `"max": 210`) {
		t.Errorf("JSON without the ranges, error %v:\n%s", err, js.String())
	}
}

// Rows that are means are pooled. Unmeasured arms are left out of fit and bounds. They stop a simulation, with the arm
// and the remedy, only if the means serve as the truth.
func TestUnmeasured(t *testing.T) {
	call := strings.Replace(costCall, `reward="cost"`, `reward="euros", sd="s", count="n"`, 1)
	text, values := costsShown(t, call+"p\nf = fit(p)\nf\nbounds(p, xi=0.1)\nhardness(p)\nspectrum(p, xi=0.1)\ndesign(p, xi=0.1)\n")
	// The mean 9.5 is (9·3 + 11·1)/4, of rewards that are turned; one arm has no measurement.
	p := values[0].(*problem.Problem)
	if p.Mean != nil || p.Partial[0] != -9.5 || p.Reps[0] != 4 || math.Abs(p.Noise.Scales[0]-p.Noise.Scales[1]) > 1e-12 {
		t.Errorf("means %v, known in part %v, counts %v, scales %v", p.Mean, p.Partial, p.Reps, p.Noise.Scales)
	}
	if f := values[1].(fit.Fit); f.Arms != 4 || f.Tasks != 2 || strings.Count(text, "costs (4 measured of 5 arms)") < 3 {
		t.Errorf("the fit is to %d arms of %d tasks; shown is\n%s", f.Arms, f.Tasks, text)
	}
	// Simulated from a posterior, the gap does not matter; with the means as the truth it does.
	folder := t.TempDir()
	written(t, folder, "costs.csv", costTable)
	if text, values = costsShown(t, call+"r = fb(p, budget=20, runs=3)\nr\nplan(p, epsilon=1, runs=2)\n"); !values[0].(engine.Result).Drawn || !strings.Contains(text, "Each run drew its true means") {
		t.Errorf("a table with a gap is not simulated from what it says:\n%s", text)
	}
	call = strings.Replace(call, `goal="min"`, `goal="min", environment="gaussian"`, 1)
	_, err := evalText(NewSession(Options{Folder: folder}), call+"fc(p)")
	if want := `problem "costs" cannot be simulated: 1 of 5 arms is not measured: task "B", arm "temp=180, oil=x". Measure them, or write unmeasured="drop" in problem(…) to leave them out`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err = evalText(NewSession(Options{Folder: folder}), call+"plan(p)"); err == nil || !strings.Contains(err.Error(), "1 of 5 arms is not measured") || !strings.Contains(err.Error(), "or give gaps") {
		t.Errorf("error %v, want the arm and gaps", err)
	}
	if text, _ = costsShown(t, call+"plan(p, gaps=[2, 4], epsilon=1)"); !strings.Contains(text, "IndTestFC") || strings.Contains(text, "NaN") {
		t.Errorf("a plan for gaps shows %s", text)
	}
	// The benefit of sharing is measured on the arms with means.
	_, values = costsShown(t, call+"fit(p, measure=3)")
	if m := values[0].(fit.Fit).Sharing.Measured; m == nil || m.Runs != 3 {
		t.Errorf("measured %+v", m)
	}
	// without this arm, no value is missing
	text, values = costsShown(t, strings.Replace(call, `goal="min"`, `goal="min", unmeasured="drop"`, 1)+"p\nfb(p, budget=20)\n")
	if p := values[0].(*problem.Problem); p.N() != 4 || p.Mean == nil || !strings.Contains(text, `left out: task "B", arm "temp=180, oil=x"`) {
		t.Errorf("%d arms, shown\n%s", p.N(), text)
	}
}
