package engine

import "strconv"

// Setting is one option of a result as a script writes it.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Stated returns the options that are not at their defaults, besides those that a Result holds as
// numbers (Delta, Epsilon, Budget, Schedule), by their names in a script and in a fixed order.
func (o Options) Stated() []Setting {
	var out []Setting
	text := func(name, value string) {
		if value != "" {
			out = append(out, Setting{name, value})
		}
	}
	number := func(name string, value float64) {
		if value != 0 {
			text(name, strconv.FormatFloat(value, 'g', -1, 64))
		}
	}
	switch o.Ridge.Kind {
	case RidgeGP:
		text("xi", RidgeGP)
	case RidgeValue:
		text("xi", strconv.FormatFloat(o.Ridge.Value, 'g', -1, 64))
	}
	text("law", o.Law)
	number("norm", o.Norm)
	number("gap", o.Gap)
	number("unit", o.Unit)
	number("misfit", o.Misfit)
	if o.Robust {
		text("robust", "true")
	}
	number("max_rounds", float64(o.MaxRounds))
	number("max_samples", float64(o.MaxSamples))
	return out
}
