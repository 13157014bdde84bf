package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// Axes returns what x and y may be when FigureOf draws a value: the usual choice
// first. The y depend on x where one value has several figures; for an x that is
// not known all of them are returned. A sweep, list or forecast without results, such
// as a sweep that did not run yet, has every measure there is. Both are nil when the
// value cannot be drawn.
//
//	sweep            x: a swept name;  y: samples samples_total error rounds bytes ratio regret ...
//	list of results  x: algorithm;     y: the same
//	paired           x: a swept name or algorithm;  y: ratio difference
//	speedup          x: a swept name;  y: beta
//	fc, fb           x: task, y: estimate;  x: round, y: alive pulls rho
//	fit              x: task, y: similarity;  x: arm, y: residual
//	plan             x: gap or algorithm;  y: samples samples_total rounds cost time
//	what_if          x: change;            y: the same
//	bounds           x: bound;  y: samples budget error
//	spectrum         x: index;  y: eigenvalue
//	design           x: arm;    y: weight
//	hardness         x: task;   y: gap rho_alone weight
func Axes(v any, x string) (xs, ys []string) {
	switch v := plain(v).(type) {
	case sim.Sweep:
		results := make([]engine.Result, len(v.Rows))
		for i, r := range v.Rows {
			results[i] = r.Result
		}
		return v.Names, measureNames(results)
	case []engine.Result:
		return []string{"algorithm"}, measureNames(v)
	case sim.Comparisons:
		if len(v.Rows) > 0 { // else the names are not known yet
			xs = append(slices.Clone(v.Names), "algorithm")
		}
		return xs, []string{"ratio", "difference"}
	case sim.Speedup:
		return v.Names, []string{"beta"}
	case engine.Result:
		switch x {
		case "", "task":
			ys = []string{"estimate"}
		case "round":
			ys = []string{"alive", "pulls", "rho"}
		default:
			ys = []string{"estimate", "alive", "pulls", "rho"}
		}
		return []string{"task", "round"}, ys
	case fit.Fit:
		return fitAxes(v, x)
	case plan.Forecast:
		return planAxes(v.Rows, v.Prices)
	case plan.Comparison:
		xs, ys = planAxes(v.Rows, v.Prices)
		return []string{"change"}, ys
	case bounds.Report:
		return []string{"bound"}, []string{"samples", "budget", "error"}
	case bounds.Hardness:
		return []string{"task"}, []string{"gap", "rho_alone", "weight"}
	case bounds.Spectrum:
		return []string{"index"}, []string{"eigenvalue"}
	case bounds.Allocation:
		return []string{"arm"}, []string{"weight"}
	}
	return nil, nil
}

// measureNames are the measures that some result knows, samples first; error
// first for a fixed budget, where the samples are given.
func measureNames(results []engine.Result) []string {
	var names []string
	for _, m := range measures() {
		if len(results) == 0 || slices.ContainsFunc(results, func(r engine.Result) bool { return m.value(r) != nil }) {
			names = append(names, m.name)
		}
	}
	if at := slices.Index(names, "error"); at > 0 && len(results) > 0 && results[0].Mode == engine.ModeFB {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, "error")
	}
	return names
}

// chosen fills in the usual choice for what was not asked for, and refuses what the
// value does not have.
func (o Drawing) chosen(v any) (Drawing, error) {
	xs, ys := Axes(v, o.X)
	if len(xs) == 0 && len(ys) > 0 {
		return o, fmt.Errorf("a %s over nothing cannot be drawn: it needs a swept name for x", TypeName(v))
	}
	if len(ys) == 0 {
		return o, fmt.Errorf("a %s cannot be drawn: a sweep, paired, speedup, fc, fb, fit, plan, what_if, bounds, hardness, spectrum or design can, and a list of fc or fb results", TypeName(v))
	}
	var err error
	if o.X, err = choose("x", o.X, xs); err != nil {
		return o, err
	}
	if len(o.Y) == 0 {
		o.Y = ys[:1]
	}
	if err := checkMeasures(o.Y, ys); err != nil {
		return o, err
	}
	return o, o.checkParts(v, xs)
}

// checkMeasures refuses what is not offered, and what is asked for twice.
func checkMeasures(asked, offered []string) error {
	for i, y := range asked {
		if _, err := choose("y", y, offered); err != nil {
			return err
		}
		if slices.Contains(asked[:i], y) {
			return fmt.Errorf("y has %q twice: name each measure once", y)
		}
	}
	return nil
}

// checkParts refuses panels and several measures where the value has none.
func (o Drawing) checkParts(v any, xs []string) error {
	switch v.(type) {
	case sim.Sweep, sim.Comparisons, sim.Speedup:
		if _, sweep := v.(sim.Sweep); !sweep && len(o.Y) > 1 {
			return fmt.Errorf("a %s is drawn with one y at a time", TypeName(v))
		}
		if o.Panel == "" {
			return nil
		}
		others := slices.DeleteFunc(slices.Clone(xs), func(name string) bool { return name == o.X })
		if len(others) == 0 {
			return fmt.Errorf("no panel=%q here: there is no other name than %s", o.Panel, o.X)
		}
		_, err := choose("panel", o.Panel, others)
		return err
	case []engine.Result:
	default:
		if len(o.Y) > 1 {
			return fmt.Errorf("a %s is drawn with one y at a time", TypeName(v))
		}
	}
	if o.Panel != "" {
		return fmt.Errorf("panel is for sweeps and what is made of them; a %s has one panel", TypeName(v))
	}
	return nil
}

// choose is the one that was asked for, or the first when nothing was.
func choose(axis, asked string, offered []string) (string, error) {
	if asked == "" && len(offered) > 0 {
		return offered[0], nil
	}
	if slices.Contains(offered, asked) {
		return asked, nil
	}
	return "", fmt.Errorf("no %s=%q here: %s can be %s", axis, asked, axis, strings.Join(offered, ", "))
}
