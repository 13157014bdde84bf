package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// OptionError is an error about an option of plot that does not suit the figure.
type OptionError struct {
	Option  string // name of the option in scripts
	Message string // the wrong value, and the rule for values
	Hint    string // what to use instead; may be ""
	Element int    // number of the wrong element of a list, from 1; 0 means the whole option
}

// Error returns the message.
func (e *OptionError) Error() string { return e.Message }

// refused returns an empty figure and an OptionError.
func refused(option, message, hint string) (Figure, error) {
	return Figure{}, &OptionError{Option: option, Message: message, Hint: hint}
}

// CheckPlot returns the mistakes that FigureOf would find in o for every value of the kind of v, so that a script can be
// checked before its runs. v may be empty: a sweep with its swept names, or a list without results.
func CheckPlot(v any, o PlotOptions) (out []*OptionError) {
	v = plain(v)
	_, isResult := v.(engine.Result)
	_, isSweep := v.(sim.Sweep)
	w, _ := viewOf(v)
	xs, ys := Axes(v, o.X)
	measures := o.Where == nil // whether the figure shows measures; otherwise it shows the arms of a result
	if !measures {             // axes are features, see binsOf
		xs, ys = nil, nil
	}
	others := lists.Where(xs, func(name string) bool { return name != o.X })
	panelled := measures && o.Panel != "" && len(xs) > 0
	for _, rule := range []struct {
		broken                bool
		option, message, hint string
	}{
		{!measures && !isResult, "where", "where= is for one result of fc or fb, and this is a " + TypeName(v), ""},
		{!measures && len(o.Y) > 1, "y", "y is a list; with where= it is the name of one feature", ""},
		{!measures && o.Panel != "", "panel", fmt.Sprintf("panel is %q; with where= panels are tasks", o.Panel),
			"leave panel out"},
		{measures && o.Task != "", "task", fmt.Sprintf("task is %q; it chooses what where= draws", o.Task),
			"write where= and the problem"},
		{measures && isSweep && o.NoReference && slices.Contains(o.Y, "lower_bound"), "reference",
			"reference is false; y asks for lower_bound, which is a reference", "leave one of the two out"},
		{measures && len(o.Y) > 1 && !w.several, "y", "a " + TypeName(v) + " is drawn with one y at a time", ""},
		{panelled && !w.panels, "panel", "panel is for sweeps and what is made of them; a " + TypeName(v) + " has one panel", ""},
		{panelled && w.panels && len(others) == 0, "panel", fmt.Sprintf("panel is %q; the value has no other name than %s", o.Panel, o.X), ""},
	} {
		if rule.broken {
			out = append(out, &OptionError{Option: rule.option, Message: rule.message, Hint: rule.hint})
		}
	}
	choose := func(option, asked string, element int, offered []string) {
		if asked == "" || len(offered) == 0 || slices.Contains(offered, asked) {
			return
		}
		e := &OptionError{Option: option, Element: element, Message: fmt.Sprintf("%s is %q; here it can be %s", option, asked,
			strings.Join(lists.Map(offered, strconv.Quote), ", "))}
		if best := lists.Nearest(asked, offered); best != "" {
			e.Hint = fmt.Sprintf("did you mean %q?", best)
		}
		if why := noBound(asked, v); why != "" {
			e.Message, e.Hint = fmt.Sprintf("no result has %s: %s", asked, why), "other measures are "+strings.Join(offered, ", ")
		}
		out = append(out, e)
	}
	choose("x", o.X, 0, xs)
	for i, y := range o.Y {
		if slices.Contains(o.Y[:i], y) {
			out = append(out, &OptionError{Option: "y", Message: fmt.Sprintf("y has %q twice: name each measure once", y)})
		}
		choose("y", y, i+1, ys)
	}
	if panelled && w.panels {
		choose("panel", o.Panel, 0, others)
	}
	known := Figure{} // what is known of the figure
	if measures && w.bars != "" && (o.X == w.bars || o.X == "" && len(xs) > 0 && xs[0] == w.bars) {
		known.Series = []Series{{Style: Bars}}
	}
	return append(out, o.Layout.check(known)...)
}

// noBound returns the reason why the results of a value have no lower bound, if the measure needs one. It returns ""
// otherwise.
func noBound(measure string, v any) string {
	results, _ := v.([]engine.Result)
	if s, is := v.(sim.Sweep); is {
		results = resultsOf(s)
	}
	if measure != "lower_bound" && measure != "ratio" {
		return ""
	}
	for _, r := range results {
		for _, w := range r.Warnings {
			if slices.Contains([]engine.WarningKind{engine.WarnKernel, engine.WarnBound, engine.WarnBoundSize, engine.WarnBoundStopped}, w.Kind) {
				return w.String()
			}
		}
		switch {
		case r.Mode != engine.ModeFC:
			return "the lower bound is for fc, and these results are of fb"
		case r.Errors.Runs == 0:
			return "the lower bound needs the expected rewards, which are not known"
		case r.LowerBoundSamples > 0:
			return "too many runs are undecided, or the lower bound is loose"
		case slices.ContainsFunc(r.Stated, func(s engine.Setting) bool { return s.Name == "misfit" }):
			return "the lower bound needs a kernel that represents the expected rewards exactly, and misfit= is stated"
		}
	}
	return ""
}
