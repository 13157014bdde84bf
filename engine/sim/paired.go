package sim

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// outside is the probability that a 95 % interval misses.
const outside = 0.05

// Paired sets an algorithm beside a reference on the same problem, by one of
// Measures. Runs are compared one by one when both results have Detail of the same
// runs from the same seed, and mean against mean otherwise.
//
// Differences of means have Student's interval over the differences of paired runs, or
// Welch's; differences of error rates the adjusted Wald intervals of Bonett and Price
// (2012), or of Agresti and Caffo (2000). Ratios have the interval of their logarithm
// by the delta method; for error rates after adding half a wrong run to both sides.
//
// An unknown measure, a result without runs, one whose truth is unknown where the
// measure needs it, and different problems or modes are errors.
func Paired(algorithm, reference engine.Result, measure string) (Comparison, error) {
	if algorithm.Problem != reference.Problem || algorithm.Mode != reference.Mode {
		return Comparison{}, fmt.Errorf("only runs on the same problem compare: %s has %s on %q, %s has %s on %q",
			algorithm.Algorithm, algorithm.Mode, algorithm.Problem, reference.Algorithm, reference.Mode, reference.Problem)
	}
	return compared(algorithm.Algorithm, []engine.Result{algorithm}, []engine.Result{reference}, measure)
}

// compared pairs results that differ in the seed only.
func compared(name string, algorithm, reference []engine.Result, measure string) (Comparison, error) {
	c, err := contrasted(algorithm, reference, measure)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{Algorithm: name, Difference: c.difference(outside), Ratio: c.ratio(outside), Paired: c.paired, Runs: c.runs()}, nil
}

func contrasted(algorithm, reference []engine.Result, measure string) (contrast, error) {
	a, err := sampleOf(measure, algorithm...)
	if err != nil {
		return contrast{}, err
	}
	b, err := sampleOf(measure, reference...)
	if err != nil {
		return contrast{}, err
	}
	return newContrast(a, b), nil
}

// Compare sets every other algorithm of a sweep beside the reference, for each
// combination of the other swept names. Seeds are repetitions and no condition:
// cells that differ only in the swept seed are pooled. It is an error when the
// sweep has no algorithms to compare, or lacks the reference somewhere.
func Compare(s Sweep, reference, measure string) (Comparisons, error) {
	t, err := s.table()
	if err != nil {
		return Comparisons{}, err
	}
	if err := t.needs(reference); err != nil {
		return Comparisons{}, err
	}
	if len(t.algorithms) < 2 {
		return Comparisons{}, fmt.Errorf("the sweep has no algorithm besides %s to compare", reference)
	}
	out := Comparisons{Names: t.names, Reference: reference, Measure: measure}
	for _, g := range t.groups {
		if g.results[reference] == nil {
			return Comparisons{}, g.missing(t.names, reference)
		}
		for _, name := range t.algorithms {
			if name == reference || g.results[name] == nil {
				continue
			}
			c, err := compared(name, g.results[name], g.results[reference], measure)
			if err != nil {
				return Comparisons{}, fmt.Errorf("at %s: %w", place(t.names, g.values), err)
			}
			c.Values = slices.Clone(g.values)
			out.Rows = append(out.Rows, c)
		}
	}
	return out, nil
}
