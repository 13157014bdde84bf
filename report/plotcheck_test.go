package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// FigureOf names the option that does not suit the value, and the rule. Where only the kind of the value matters, CheckPlot
// says the same before there is a value.
func TestPlotMistakes(t *testing.T) {
	lim := func(lim ...float64) Layout { return Layout{XLim: lim} }
	results := []engine.Result{fcResult(), fcResult()}
	r, p := milled(t)
	one, ys := PlotOptions{X: "gap"}, func(y ...string) PlotOptions { return PlotOptions{Y: y} }
	for _, c := range []struct {
		value  any
		o      PlotOptions
		option string // "" for a value that cannot be drawn
		want   string
		early  bool // CheckPlot knows it
	}{
		{fcSweep(), PlotOptions{X: "gaps"}, "x", `x is "gaps"; here it can be "gap", "algorithm"`, true},
		{fcSweep(), ys("time"), "y", `y is "time"; here it can be "samples", "samples_total", "ratio"`, true},
		{boundsReport(), ys("rho"), "y", `y is "rho"; here it can be "samples", "budget", "error"`, true},
		{undecidedResult(), PlotOptions{X: "task", Y: []string{"error"}}, "y", `y is "error"; here it can be "estimate"`, true},
		{[]engine.Result{undecidedResult()}, ys("error"), "y", `y is "error"`, true},
		{forecast(), one, "x", `x is "gap"; here it can be "algorithm"`, true},
		{3.5, PlotOptions{}, "", "a number cannot be drawn", false},
		{sim.Speedup{}, PlotOptions{}, "", "needs a swept name", false},
		{fcSweep(), ys("samples", "samples"), "y", `y has "samples" twice: name each measure once`, true},
		{results, ys("bytes", "rounds"), "", "y: bytes is in bytes and rounds in rounds", false},
		{boundsReport(), ys("samples", "error"), "y", "one y at a time", true},
		{byCase(), PlotOptions{X: "gap", Panel: "gap"}, "panel", `panel is "gap"; here it can be "case", "algorithm"`, true},
		{fcResult(), PlotOptions{Panel: "case"}, "panel", "panel is for sweeps", true},
		{fcSweep(), PlotOptions{Y: []string{"samples", "lower_bound"}, Layout: Layout{NoReference: true}}, "reference", "y asks for lower_bound", true},

		{byCase(), PlotOptions{Y: []string{"bytes", "rounds"}, Layout: Layout{YLim: []float64{1, 2}}}, "ylim", "ylim is [1, 2]; the panels", false},
		{results, PlotOptions{Layout: Layout{YLim: []float64{0, 1}}}, "ylim", "ylim is [0, 1]; the y axis of this figure has the names of the bars", true},
		{results, PlotOptions{Layout: Layout{LogY: ptr(true)}}, "logy", "logy is true; the y axis of this figure has the names of the bars", true},
		{allocation(5, 6), PlotOptions{Layout: lim(0, 1)}, "xlim", "the x axis of this figure has the names of its columns", false},
		{fcSweep(), PlotOptions{X: "algorithm", Y: []string{"ratio"}, Layout: Layout{LogX: ptr(true)}}, "logx", "this figure has names", false},
		{fcSweep(), PlotOptions{Layout: lim(5, 5)}, "xlim", "xlim is [5, 5]; it must be two numbers, the lower one first", true},
		{fcSweep(), PlotOptions{Layout: lim(5)}, "xlim", "xlim is [5]; it must be two numbers, the lower one first", true},
		{fcSweep(), PlotOptions{X: "gap", Layout: Layout{YLim: []float64{0, 5e5}}}, "ylim", "both ends must be above 0, because the axis", false},
		{fcSweep(), PlotOptions{X: "gap", Layout: lim(5, 6)}, "xlim", "xlim is [5, 6]; nothing lies there: x is between 0.1 and 0.8", false},
		{fcSweep(), PlotOptions{Layout: Layout{Width: 5}}, "width", "width is 5; it must be 1 to 2 columns", true},
		{comparisons(), PlotOptions{Y: []string{"difference"}, Layout: Layout{LogY: ptr(true)}}, "logy", "needs values above 0", false},

		{fcResult(), PlotOptions{Task: "task 1"}, "task", "it chooses what where= draws", true},
		{r, PlotOptions{Where: p, X: "heat"}, "x", `x is "heat"; the features of arms are temp and speed`, false},
		{r, PlotOptions{Where: p, Task: "bern"}, "task", `task is "bern"; the tasks are oslo and rome`, false},
		{r, PlotOptions{Where: p, Y: []string{"temp", "speed"}}, "y", "y is a list; with where= it is the name of one feature", true},
		{fcSweep(), PlotOptions{Where: p}, "where", "this is a sweep", true},
		{fcResult(), PlotOptions{Where: p}, "where", "where is mill, 600 arms of 2 tasks", false},
	} {
		_, err := FigureOf(c.value, c.o)
		wrong := &OptionError{}
		if errors.As(err, &wrong); err == nil || wrong.Option != c.option || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.option, err, c.want)
		}
		if early := CheckPlot(c.value, c.o); len(early) > 0 != c.early {
			t.Errorf("%s: before the value is known: %v", c.want, early)
		}
	}
	// what a figure may have although its other axis may not
	for _, l := range []Layout{lim(1, 1e5), {LogX: ptr(true)}, {LogY: ptr(false)}} {
		if _, err := FigureOf(results, PlotOptions{Layout: l}); err != nil {
			t.Error(err)
		}
	}
}
