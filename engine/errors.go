package engine

import (
	"errors"
	"fmt"
)

// The errors that callers tell apart. Messages that only a reader takes in, as of options out of
// range, stand where the rule is checked.
var (
	// ErrUnsuited is wrapped by errors of algorithms that are only for problems of a certain kind.
	ErrUnsuited = errors.New("the algorithm is not for this problem")

	// ErrUnknownMeans is wrapped by errors of quantities that need the expected rewards, which
	// only a simulation knows.
	ErrUnknownMeans = errors.New("the expected rewards are unknown")

	// errNoMisfit is returned by algorithms that allow for no misfit.
	errNoMisfit = errors.New("misfit and robust are for CoTestFC and IndTestFC; other algorithms take the kernel at its word")
)

// A DataError says what is wrong in a data file and where. Line and Column count
// from 1; 0 means the file as a whole.
type DataError struct {
	Path         string
	Line, Column int
	Message      string
}

// Error is "path:line:column: message", without the parts that are unknown.
func (e *DataError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.Path, e.Message)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// errLimit says that a round would need more samples than any limit allows.
type errLimit struct{ samples float64 }

func (e errLimit) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.samples)
}

// learnedEarly is the panic of algorithms that are told of a round before they planned one.
const learnedEarly = "engine: Learn was called before Plan"
