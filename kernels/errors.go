package kernels

import "fmt"

// ParamError says which argument of a kernel is wrong.
type ParamError struct {
	Kernel  string // its name
	Param   string // name of the parameter; "" for a number that is not a parameter
	Index   int    // of the value in a list, from 0; -1 for the argument as a whole
	Message string // as it reads after the parameter: "is -2; it must be at least 0"
}

// Error returns "kernel: param[index] message", without the parts that are missing.
func (e *ParamError) Error() string {
	switch {
	case e.Param == "":
		return e.Kernel + " " + e.Message
	case e.Index < 0:
		return fmt.Sprintf("%s: %s %s", e.Kernel, e.Param, e.Message)
	}
	return fmt.Sprintf("%s: %s[%d] %s", e.Kernel, e.Param, e.Index, e.Message)
}

// wrong returns a ParamError of an argument as a whole.
func wrong(kernel, param, format string, args ...any) error {
	return &ParamError{kernel, param, -1, fmt.Sprintf(format, args...)}
}

// NearError says that a table is not positive semi-definite, and which one near it is.
type NearError struct {
	Err  error
	Near string // the values of the table, as an expression of the language
}

// Error returns the message of Err with the table.
func (e *NearError) Error() string {
	return e.Err.Error() + "; a table near this one that is: " + e.Near
}

// Unwrap returns Err.
func (e *NearError) Unwrap() error { return e.Err }
