package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// TimeoutError says that an execution was interrupted because it took too long.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("took longer than %v and was interrupted", e.Limit)
}

// UnresponsiveError says that an execution went on although it was interrupted. The
// kernel cannot be used any more.
type UnresponsiveError struct {
	Grace time.Duration // how long the end was awaited
	Cause error         // why it was interrupted
}

func (e *UnresponsiveError) Error() string {
	return fmt.Sprintf("%v; the kernel still did not answer %v later", e.Cause, e.Grace)
}

// Unwrap returns why the execution was interrupted.
func (e *UnresponsiveError) Unwrap() error { return e.Cause }

// CellError says which cell of a notebook ended its run, and why.
type CellError struct {
	Cell     int // among all cells, from 1
	CodeCell int // among the code cells, from 1

	Name      string   // of the error in the cell's language, such as NameError; "" when Err is set
	Value     string   // its message
	Traceback []string // its lines, with terminal colours

	// why there is no such error: a TimeoutError, an end of the context, a kernel that died
	Err error
}

func (e *CellError) Error() string {
	place := fmt.Sprintf("cell %d (code cell %d): ", e.Cell, e.CodeCell)
	switch {
	case e.Err != nil:
		return place + e.Err.Error()
	case e.Value == "":
		return place + e.Name
	}
	return place + e.Name + ": " + e.Value
}

// Unwrap returns Err.
func (e *CellError) Unwrap() error { return e.Err }

// plainJSON says without the names of Go types which value has the wrong type.
func plainJSON(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	if mismatch.Field == "" {
		return fmt.Errorf("it cannot be a %s", mismatch.Value)
	}
	return fmt.Errorf("%s cannot be a %s", mismatch.Field, mismatch.Value)
}
