package problem

import "fmt"

// A DataError says what is wrong in a data file and where. Line and Column count
// from 1; 0 means the file as a whole.
type DataError struct {
	Path         string
	Line, Column int
	Message      string

	Unknown string   // a column named by the reader that the file does not have, "" for none
	Known   []string // with Unknown: the columns of the file
}

// Error returns "path:line:column: message", without the parts that are unknown.
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

// Error returns the message of Err.
func (e *NoiseError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *NoiseError) Unwrap() error { return e.Err }

func noiseErrorf(field, format string, args ...any) error {
	return &NoiseError{field, fmt.Errorf(format, args...)}
}
