package sim

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Paired sets an algorithm beside a reference on the same problem, by "samples",
// "error", "rounds" or "regret".
func Paired(algorithm, reference engine.Result, measure string) (Comparison, error) {
	return Comparison{}, errors.New("comparisons are not there yet")
}

// Compare sets every other algorithm of a sweep beside the reference, for each
// combination of the other swept names.
func Compare(s Sweep, reference, measure string) (Comparisons, error) {
	return Comparisons{}, errors.New("comparisons are not there yet")
}
