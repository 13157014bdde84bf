package dsl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// plotFunction returns the function plot. Package kinds determines its accepted types; the axes of each type's empty value
// determine its description.
func plotFunction() Function {
	var plotted []Type
	var measured []measures
	add := func(t Type, kind string, sample any) { // sample is an empty value, whose axes list the measures
		_, ys := report.Axes(sample, "any")
		plotted, measured = append(plotted, t), append(measured, measures{kind, orList(ys)})
	}
	for _, k := range kinds.Names() {
		t := Type(k.Name)
		if t.isDrawn() {
			add(t, t.a(), t.zero())
		}
		// A list of several results has other measures than one result.
		if t == Result {
			add(List, "several results", []engine.Result{})
		}
	}
	several := lists.Map(measured, func(m measures) string { return m.kind })
	return makeFunction(Function{
		Name: "plot", Section: SectionOutput, Synonyms: []string{"figure", "draw", "chart"}, Doc: "draws a figure of " + orList(several),
		Params: []Param{
			{Name: "value", Types: plotted, Doc: "what to draw; a list compares results",
				elsewhere: map[string]string{string(Problem): "plot(best(p)) draws the estimate of every arm"}},
			{Name: "x", words: wordsX, Default: unset, Doc: "the x axis: a swept name; for a result, task or round"},
			{Name: "y", words: wordsY, Default: unset,
				Doc: "the measure to draw, by default the first; for a sweep or several results also a list of measures; for a sweep each " +
					"unit has a panel. Measures " + listMeasures(measured)},
			{Name: "file", words: wordsOutput, Default: unset, Doc: "also write the figure to this file, as " +
				strings.Join(save.Holding(save.Drawings), ", ") + " or .tex"},
			{Name: "panel", Synonyms: []string{"facet", "by"}, words: wordsSwept, Default: unset,
				Doc: "a swept name; the figure has a panel for each of its values"},
			{Name: "title", Synonyms: []string{"caption", "main"}, Default: unset, Doc: `the title, instead of the default; "" for none`},
			{Name: "xlabel", Synonyms: []string{"xlab"}, Default: unset, Doc: "label of the x axis, instead of the default"},
			{Name: "ylabel", Synonyms: []string{"ylab"}, Default: unset, Doc: "label of the y axis, instead of the default"},
			{Name: "logx", Synonyms: []string{"xlog", "xscale"}, Default: unset,
				Doc: "true: logarithmic x axis; false: linear; if not given, chosen to suit the values"},
			{Name: "logy", Synonyms: []string{"ylog", "yscale"}, Default: unset,
				Doc: "true: logarithmic y axis; false: linear; if not given, chosen to suit the values"},
			{Name: "xlim", Synonyms: []string{"xrange"}, Types: []Type{List}, Default: unset,
				Doc: "limits of the x axis, [from, to]; points outside are not drawn"},
			{Name: "ylim", Synonyms: []string{"yrange"}, Types: []Type{List}, Default: unset,
				Doc: "limits of the y axis, [from, to]; points outside are drawn at the edge, as open triangles"},
			{Name: "width", Synonyms: []string{"figsize", "columns"}, Range: kernels.Range{Min: report.Narrowest, Max: report.Widest},
				Default: unset,
				Doc:     "width of the figure in columns of a two-column page: 1 is 8.5 cm, 2 is 17.6 cm; the font size stays the same"},
			{Name: "reference", Synonyms: []string{"references"}, Default: "1",
				Doc: "false: leave out reference lines such as lower bounds"},
			{Name: "task", words: wordsTasks, Default: unset, Doc: "with where=, the only task to draw"},
			{Name: "where", Synonyms: []string{"map", "settings"}, Default: unset,
				Doc: "the problem of a result: draw which arms of the first run were still open, round by round, in the plane of the two " +
					"features x and y"},
		},
		Result: Figure, Example: `plot(s, x="gap", y="samples")`, early: checkPlot,
	}, nil, evalPlot)
}

// plotArgs are the arguments of plot, except the value.
type plotArgs struct {
	X, File, Panel, Task string           // "" if not given
	Y                    []string         // quantities along y; nil for the default one
	Where                *problem.Problem // problem with features; nil if not given

	// layout: nil if not given; a title or label of "" means none
	Title, XLabel, YLabel *string
	LogX, LogY, Reference *bool
	XLim, YLim            []float64
	Width                 float64 // in columns; 0 for the default width
}

// options converts the arguments to those of report.FigureOf.
func (a plotArgs) options() report.PlotOptions {
	return report.PlotOptions{X: a.X, Y: a.Y, Panel: a.Panel, Task: a.Task, Where: a.Where, Layout: report.Layout{
		Title: a.Title, XLabel: a.XLabel, YLabel: a.YLabel, LogX: a.LogX, LogY: a.LogY, XLim: a.XLim, YLim: a.YLim, Width: a.Width,
		NoReference: a.Reference != nil && !*a.Reference}}
}

// measures lists the quantities that plot can show for one type of value.
type measures struct{ kind, list string } // kind: the type's name in messages; list: its quantities as one text

// listMeasures returns one text for all types, such as "for a sweep or several results: samples or rounds; for bounds:
// error".
func listMeasures(all []measures) string {
	groups := lists.Groups(all, func(m measures) string { return m.list })
	return strings.Join(lists.Map(groups, func(same []measures) string {
		return "for " + orList(lists.Map(same, func(m measures) string { return m.kind })) + ": " + same[0].list
	}), "; ")
}

// evalPlot makes the figure of a value, and writes the figure to a file if a path is given. For a campaign it shows the
// present state, which may be newer than the bound value.
func evalPlot(c *call, a plotArgs) (_ any, err error) {
	defer try.Caught(&err)
	v := c.arg("value").value
	data := v.Data
	if list, ok := data.([]value); ok { // several results
		found, err := results(list) // an error if an element is not a result
		if err != nil {
			return nil, &argumentError{param: "value", message: "cannot plot this list", err: err}
		}
		data = found
	}
	if _, ok := data.(campaign.Status); ok {
		now := try.Of(inCampaign(c, "value", func(k campaign.Kept) (any, error) { return dropOnError(k.Status(c.e.ctx)) }))
		data = now
	}
	// FigureOf checks axes, measures and layout with the known value.
	drawn, err := report.FigureOf(data, a.options())
	if wrong := (*report.OptionError)(nil); errors.As(err, &wrong) {
		refuseOption(c, wrong)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if a.File != "" { // plot returns the figure too, so the front end also displays it
		try.To(saveTo(c, "file", value{Type: Figure, Data: drawn}))
	}
	return drawn, nil
}

// results converts a list of results to a slice. It returns an error if an element is not a result.
func results(list []value) ([]engine.Result, error) {
	out, ok := every[engine.Result](list)
	if !ok || len(out) == 0 {
		return nil, fmt.Errorf("it needs results of fc or fb, at least one")
	}
	return out, nil
}

// refuseOption reports an option that plot refuses, at its argument.
func refuseOption(c *call, wrong *report.OptionError) {
	at := c.arg(wrong.Option)
	if wrong.Element > 0 {
		at = c.element(at, wrong.Element-1)
	}
	c.refuse(at, wrong.Hint, "%s", wrong.Message)
}
