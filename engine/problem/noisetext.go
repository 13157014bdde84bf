package problem

import (
	"slices"
	"strconv"
)

// Text returns what is known of the noise in a few words, with the smallest and the largest scale:
// "0.5", "sd 1 to 3", "unknown", "within [0, 1]".
func (m NoiseModel) Text() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	switch {
	case m.Bounds != nil:
		return "within [" + number(m.Bounds[0]) + ", " + number(m.Bounds[1]) + "]"
	case m.UnknownBy == UnknownProblem:
		return "unknown"
	case m.UnknownBy != "":
		return "unknown by " + m.UnknownBy
	case len(m.Scales) == 0:
		return m.Known
	}
	lo, hi := number(slices.Min(m.Scales)), number(slices.Max(m.Scales))
	out := lo
	if lo != hi {
		out += " to " + hi
	}
	if m.Known != NoiseStated {
		out = m.Known + " " + out
	}
	return out
}
