package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// Axes returns what x and y may be when FigureOf draws a value: the usual choice
// first. The y depend on x where one value has several figures; for an x that is
// not known all of them are returned. A sweep, list or forecast without results, such
// as a sweep that did not run yet, has every measure there is. Both are nil when the
// value cannot be drawn.
func Axes(v any, x string) (xs, ys []string) {
	if w, ok := viewOf(plain(v)); ok && w.axes != nil {
		return w.axes(x)
	}
	return nil, nil
}

// measureNames returns the measures that some result knows, samples first; error first for a fixed
// budget, where the samples are given.
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
func (o PlotOptions) chosen(v any) (PlotOptions, error) {
	xs, ys := Axes(v, o.X)
	if len(xs) == 0 && len(ys) > 0 {
		return o, fmt.Errorf("a %s over nothing cannot be drawn: it needs a swept name for x", TypeName(v))
	}
	if len(ys) == 0 {
		return o, fmt.Errorf("a %s cannot be drawn: %s can, and a list of fc or fb results", TypeName(v), strings.Join(drawnKinds(), ", "))
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

// drawnKinds returns the names of the kinds that can be drawn.
func drawnKinds() []string {
	var names []string
	for _, k := range kinds.All[view]() {
		switch zero := reflect.Zero(k.Type).Interface(); {
		case k.View(views{}, zero).axes == nil:
		case k.Type == reflect.TypeFor[engine.Result]():
			names = append(names, engine.ModeFC, engine.ModeFB)
		default:
			names = append(names, k.JSON)
		}
	}
	return names
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
func (o PlotOptions) checkParts(v any, xs []string) error {
	w, _ := viewOf(v)
	_, isSweep := v.(sim.Sweep)
	switch {
	case isSweep && o.NoReference && slices.Contains(o.Y, "lower_bound"):
		return &OptionError{"reference", ReferenceRule, ReferenceHint}
	case len(o.Y) > 1 && !w.several:
		return fmt.Errorf("a %s is drawn with one y at a time", TypeName(v))
	case o.Panel == "":
		return nil
	case !w.panels:
		return fmt.Errorf("panel is for sweeps and what is made of them; a %s has one panel", TypeName(v))
	}
	others := slices.DeleteFunc(slices.Clone(xs), func(name string) bool { return name == o.X })
	if len(others) == 0 {
		return fmt.Errorf("no panel=%q here: there is no other name than %s", o.Panel, o.X)
	}
	_, err := choose("panel", o.Panel, others)
	return err
}

// choose returns the one that was asked for, or the first when nothing was.
func choose(axis, asked string, offered []string) (string, error) {
	if asked == "" && len(offered) > 0 {
		return offered[0], nil
	}
	if slices.Contains(offered, asked) {
		return asked, nil
	}
	return "", fmt.Errorf("no %s=%q here: %s can be %s", axis, asked, axis, strings.Join(offered, ", "))
}
