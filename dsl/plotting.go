package dsl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// plotFunction draws values.
// What can be drawn follows from package kinds and from the axes of empty values, and so does the description.
func plotFunction() Function {
	var plotted []Type
	var measured []measures
	add := func(t Type, kind string, sample any) { // sample is an empty value, by which the measures are known
		_, ys := report.Axes(sample, "any")
		plotted, measured = append(plotted, t), append(measured, measures{kind, orList(ys)})
	}
	for _, k := range kinds.Names() {
		t := Type(k.Name)
		if t.isDrawn() {
			add(t, t.a(), t.zero())
		}
		// A list of results has other measures than one result, so it has an entry of its own behind it.
		if t == Result {
			add(List, "several results", []engine.Result{})
		}
	}
	several := lists.Map(measured, func(m measures) string { return m.kind })
	return bound(Function{
		Name: "plot", Section: SectionOutput, Synonyms: []string{"figure", "draw", "chart"}, Doc: "a figure of " + orList(several),
		Params: []Param{
			{Name: "value", Types: plotted, Doc: "what to draw; a list compares results",
				elsewhere: map[string]string{string(Problem): "plot(best(p)) draws what the measurements say of every arm"}},
			{Name: "x", words: wordsX, Default: unset, Doc: "the horizontal axis: a swept name, or of a result task or round"},
			{Name: "y", words: wordsY, Default: unset,
				Doc: "the measure to draw, the first when not given; of a sweep or several results also a list with one unit. The measures " +
					listMeasures(measured)},
			{Name: "file", words: wordsOutput, Default: unset, Doc: "also write the figure to this file, as " +
				strings.Join(save.Holding(save.Drawings), ", ") + " or .tex"},
			{Name: "panel", Synonyms: []string{"facet", "by"}, words: wordsSwept, Default: unset,
				Doc: "a swept name: a panel for each of its values"},
			{Name: "title", Synonyms: []string{"caption", "main"}, Default: unset, Doc: `the title, in place of its own; "" for none`},
			{Name: "xlabel", Synonyms: []string{"xlab"}, Default: unset, Doc: "what stands below the x axis, in place of its own"},
			{Name: "ylabel", Synonyms: []string{"ylab"}, Default: unset, Doc: "what stands beside the y axis, in place of its own"},
			{Name: "logx", Synonyms: []string{"xlog", "xscale"}, Default: unset,
				Doc: "true or false: a logarithmic x axis or a linear one; when not given, what suits the values"},
			{Name: "logy", Synonyms: []string{"ylog", "yscale"}, Default: unset,
				Doc: "true or false: a logarithmic y axis or a linear one; when not given, what suits the values"},
			{Name: "xlim", Synonyms: []string{"xrange"}, Types: []Type{List}, Default: unset,
				Doc: "the ends of the x axis, [from, to]; what lies outside is not drawn"},
			{Name: "ylim", Synonyms: []string{"yrange"}, Types: []Type{List}, Default: unset,
				Doc: "the ends of the y axis, [from, to]; what lies outside stands at the edge, as open triangles"},
			{Name: "width", Synonyms: []string{"figsize", "columns"}, Range: kernels.Range{Min: report.Narrowest, Max: report.Widest},
				Default: unset,
				Doc:     "in columns of a page that has two: 1 is 8.5 cm, 2 is 17.6 cm and usual; letters keep their size"},
			{Name: "reference", Synonyms: []string{"references"}, Default: "1",
				Doc: "false leaves out what is only there to compare with: lower bounds, theorems, levels asked for"},
			{Name: "posterior", Synonyms: []string{"estimates", "beliefs"},
				Doc: "true: of a result, the mean and the 95 % interval of every arm of every task by round, of its first run, with the true means " +
					"where they are known; x is then arm, or round for the course of the best arms"},
			{Name: "task", words: wordsTasks, Default: unset, Doc: "with posterior=true or where=, the only task to draw"},
			{Name: "where", Synonyms: []string{"map", "settings"}, Default: unset,
				Doc: "a problem: of a result on it, where its arms were open, at first and round by round, in the plane of two of their features, " +
					"which x and y name; of its first run"},
		},
		Result: Figure, Example: `plot(s, x="gap", y="samples")`, early: checkPlot,
	}, nil, evalPlot)
}

// plotArgs are the arguments of plot, but for the value.
type plotArgs struct {
	lookArgs
	X, File, Panel, Task string           // "" where not given
	Y                    []string         // measures; nil for the first one
	Posterior            bool             // the estimates of a run in place of its measures
	Where                *problem.Problem // nil where not given
}

// lookArgs are the arguments of plot that are about looks alone.
type lookArgs struct {
	Title, XLabel, YLabel *string   // nil where not given; "" for none
	LogX, LogY, Reference *bool     // nil where not given
	XLim, YLim            []float64 // two numbers each, or nil
	Width                 float64   // in columns; 0 for the usual width
}

// look returns the arguments as package report takes them.
// The names differ from the parameters only where a switch is turned round.
func (a lookArgs) look() report.Look {
	return report.Look{
		Title: a.Title, XLabel: a.XLabel, YLabel: a.YLabel, LogX: a.LogX, LogY: a.LogY,
		XLim: ends(a.XLim), YLim: ends(a.YLim), Width: a.Width, NoReference: a.Reference != nil && !*a.Reference,
	}
}

// ends returns the ends of an axis, nil where a list is none.
// The check refuses lists of another length.
func ends(list []float64) *[2]float64 {
	if len(list) == 2 {
		return &[2]float64{list[0], list[1]}
	}
	return nil
}

// measures lists what may be drawn of a kind of value.
type measures struct{ kind, list string } // how messages call it, and its measures joined

// listMeasures returns a list such as "of a sweep or several results: samples or rounds; of bounds: error".
func listMeasures(all []measures) string {
	// Kinds with the same measures share an entry.
	groups := lists.Groups(all, func(m measures) string { return m.list })
	return strings.Join(lists.Map(groups, func(same []measures) string {
		return "of " + orList(lists.Map(same, func(m measures) string { return m.kind })) + ": " + same[0].list
	}), "; ")
}

// evalPlot draws a value and writes the figure where a file is given.
// A campaign is drawn as it is now, and not as the value was when it was made.
func evalPlot(c *call, a plotArgs) (any, error) {
	v := c.arg("value").value
	data := v.Data
	if list, ok := data.([]value); ok { // results side by side
		found, err := results(list) // a list that holds anything else cannot be drawn
		if err != nil {
			return nil, &argumentError{param: "value", message: "cannot plot this list", err: err}
		}
		data = found
	}
	if _, ok := data.(campaign.Status); ok {
		now, err := inCampaign(c, "value", func(k *folder.Campaign) (any, error) { return given(k.Status(c.e.ctx)) })
		if err != nil {
			return nil, err
		}
		data = now
	}
	// Axes, measures and looks are compared with the value once more, now that it is there.
	drawn, err := report.FigureOf(data, report.PlotOptions{X: a.X, Y: a.Y, Panel: a.Panel, Look: a.look(), Posterior: a.Posterior,
		Task: a.Task, Where: a.Where})
	// What the figure cannot be is told under the argument that asks for it.
	if wrong := (*report.OptionError)(nil); errors.As(err, &wrong) {
		c.fail(c.arg(wrong.Option), "plot: "+wrong.Message, wrong.Hint)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if a.File != "" { // the figure is the value as well, and is shown
		if err := saveTo(c, "file", value{Type: Figure, Data: drawn}); err != nil {
			return nil, err
		}
	}
	return drawn, nil
}

// checkLook finds ends of an axis that plot would refuse, as far as that can be said before the value
// is there.
func checkLook(c *call, a plotArgs, sample any) {
	if _, swept := sample.(sim.Sweep); swept && a.look().NoReference && slices.Contains(a.Y, "lower_bound") {
		c.fail(c.arg("reference"), "plot: "+report.ReferenceRule, report.ReferenceHint)
	}
	for _, axis := range []string{"x", "y"} {
		a := c.arg(axis + "lim")
		if list, given := a.Data.([]value); given {
			// The message shows what was given: how many numbers, or which two.
			got := fmt.Sprintf("a list of %d", len(list))
			numbers, _ := every[float64](list) // nil where one is no number
			ends := ends(numbers)
			if ends != nil {
				got = fmt.Sprintf("[%s, %s]", formatNumber(ends[0]), formatNumber(ends[1]))
			}
			if ends == nil || !(ends[0] < ends[1]) {
				c.fail(a, fmt.Sprintf("plot: %s is %s; it must be two numbers, the lower one first", a.Name, got), "write "+a.Name+"=[0, 10]")
				continue
			}
		}
		logged := c.arg("log" + axis)
		// Bars have names along y, so its numbers are along x.
		if axis != "y" || !report.IsBars(sample, c.text("x")) {
			continue
		}
		const rule = "the y axis of this figure has the names of the bars, and no numbers"
		if a.known() {
			c.fail(a, "plot: ylim has no meaning here; "+rule, "the numbers are along x: give xlim")
		}
		if logged.known() && logged.Data != 0. {
			c.fail(logged, "plot: logy has no meaning here; "+rule, "the numbers are along x: give logx")
		}
	}
}

// results returns the results in a list that holds nothing else.
func results(list []value) ([]engine.Result, error) {
	out, ok := every[engine.Result](list)
	if !ok || len(out) == 0 {
		return nil, fmt.Errorf("it needs results of fc or fb, at least one")
	}
	return out, nil
}

// checkPosterior finds what a picture of the posterior cannot be, before anything runs.
// It is called where posterior is true. What the result has is known when it has run.
func checkPosterior(c *call) {
	if v := c.arg("value"); v.Type != Result && v.Type != anything {
		c.fail(c.arg("posterior"), fmt.Sprintf("plot: posterior is true; it is for one result of fc or fb, and this is %s", v.Type.a()), "")
		return
	}
	offered(c, "x", c.arg("x"), report.PosteriorX())
	// A picture of the posterior has a panel for each task and no choice of measures.
	for _, name := range []string{"y", "panel"} {
		if a := c.arg(name); a.Node != nil {
			c.fail(a, fmt.Sprintf("plot: %s has no meaning with posterior=true, which draws expected rewards, a panel for each task", name),
				"leave it out")
		}
	}
}
