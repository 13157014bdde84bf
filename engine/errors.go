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

// A ReadError says that a data file could not be read.
type ReadError struct {
	Path string
	Err  error
}

// Error says why; Err names the file.
func (e *ReadError) Error() string { return "cannot read data: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ReadError) Unwrap() error { return e.Err }

// A NoiseError says which field of a NoiseModel cannot be as it is stated.
type NoiseError struct {
	Field string
	Err   error
}

// Error is the message of Err.
func (e *NoiseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NoiseError) Unwrap() error { return e.Err }

func noiseErrorf(field, format string, args ...any) error {
	return &NoiseError{field, fmt.Errorf(format, args...)}
}

// errLimit says that a round would need more samples than any limit allows.
type errLimit struct{ samples float64 }

func (e errLimit) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.samples)
}

// learnedEarly is the panic of algorithms that are told of a round before they planned one.
const learnedEarly = "engine: Learn was called before Plan"
