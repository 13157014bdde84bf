package kernels

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of value that a parameter of a kernel accepts.
type Kind int

const (
	NumberKind  Kind = iota // a number
	IntegerKind             // a whole number
	ChoiceKind              // one of the numbers in Param.Choices
	ListKind                // a number, or a list with one number for each column that the kernel reads
	ColumnsKind             // "dims": column names, or 0-based column numbers
	MatrixKind              // a list of rows of numbers
	NamesKind               // a list of names of points
)

// String describes the accepted values, for a message.
func (k Kind) String() string {
	return [...]string{
		NumberKind: "a number", IntegerKind: "a whole number", ChoiceKind: "one of a few numbers", ListKind: "a number or a list of numbers",
		ColumnsKind: "a list of column names or of 0-based column numbers", MatrixKind: "a list of rows of numbers", NamesKind: "a list of names",
	}[k]
}

// Param describes a parameter of a kernel, for the script language, its help and the checks of arguments.
type Param struct {
	Name     string
	Synonyms []string // names in other libraries; the language suggests Name for them
	Kind     Kind
	Default  string    // default value as text; "" for a required parameter
	Range    Range     // allowed values of each number
	Choices  []float64 // for ChoiceKind
	Doc      string    // one line
}

// Range is an interval of numbers; the zero value contains only 0.
type Range struct {
	Min, Max         float64
	MinOpen, MaxOpen bool // whether the end itself is excluded
}

// Ranges that several parameters have.
var (
	AnyNumber   = Range{Min: math.Inf(-1), Max: math.Inf(1)}
	Positive    = Range{Min: 0, MinOpen: true, Max: math.Inf(1), MaxOpen: true}
	NonNegative = Range{Min: 0, Max: math.Inf(1), MaxOpen: true}
	InsideUnit  = Range{Min: 0, MinOpen: true, Max: 1, MaxOpen: true}
	fraction    = Range{Min: 0, Max: 1, MaxOpen: true}
	fromOne     = Range{Min: 1, Max: math.Inf(1), MaxOpen: true}
)

// WholeFrom returns the range of whole numbers from least to 2^53, up to which float64 represents all whole numbers
// exactly.
func WholeFrom(least float64) Range { return Range{Min: least, Max: math.Exp2(53)} }

// Contains reports whether v is in the range; it is false for NaN.
func (r Range) Contains(v float64) bool {
	return (v > r.Min || !r.MinOpen && v == r.Min) && (v < r.Max || !r.MaxOpen && v == r.Max)
}

// String describes the range so that it completes the sentence "it must be …".
func (r Range) String() string {
	low := "at least " + bound(r.Min)
	if r.MinOpen {
		low = "greater than " + bound(r.Min)
	}
	switch {
	case math.IsInf(r.Max, 1):
		return low + " and finite"
	case r.MaxOpen:
		return low + " and less than " + bound(r.Max)
	}
	return low + " and at most " + bound(r.Max)
}

// bound prints a limit in its shorter readable form, such as 9007199254740992 and 1e12, not 9.007199254740992e+15 and
// 1e+12.
func bound(v float64) string {
	short, plain := strings.Replace(number(v), "e+", "e", 1), strconv.FormatFloat(v, 'f', -1, 64)
	if strings.Contains(short, "e") && len(plain) <= len(short) || math.Abs(v) < 1e7 && v == math.Trunc(v) {
		return plain
	}
	return short
}

// Smallest and Largest limit the absolute values of numbers other than 0, so that squares and quotients of squares neither overflow nor
// underflow.
const (
	Smallest = 1e-100
	Largest  = 1e100
)

// Extreme reports whether v is too large or too small: not 0, and |v| not from Smallest to Largest.
func Extreme(v float64) bool {
	size := math.Abs(v)
	return size > Largest || size < Smallest && v != 0
}

// ExtremeRule is the rule of Extreme as a clause for messages, after "it is 1e300;".
const ExtremeRule = "numbers must be 0, or of a size from 1e-100 to 1e100"

// check returns an error if v is out of range. v is value i (from 0) of the parameter's n values.
func (p Param) check(kernel string, v float64, i, n int) error {
	if n == 1 {
		i = -1
	}
	rule := ""
	switch {
	case p.Kind == ChoiceKind:
		if slices.Contains(p.Choices, v) {
			return nil
		}
		texts := strings.Split(strings.Trim(list(p.Choices), "[]"), ", ")
		last := len(texts) - 1
		rule = fmt.Sprintf("it must be %s or %s", strings.Join(texts[:last], ", "), texts[last])
	case p.Kind == IntegerKind && v != math.Trunc(v):
		rule = "it must be a whole number"
	case !p.Range.Contains(v):
		rule = fmt.Sprintf("it must be %v", p.Range)
	case Extreme(v):
		rule = ExtremeRule
	default:
		return nil
	}
	return &ParamError{kernel, p.Name, i, fmt.Sprintf("is %s; %s", number(v), rule)}
}

// Parameters of several kernels.
var (
	lengthscaleParam = Param{
		Name: "lengthscale", Synonyms: []string{"ell", "length_scale", "lengthscales", "ls"},
		Kind: ListKind, Default: "1", Range: Positive,
		Doc: "distance over which values remain similar; one number, or one per column",
	}
	periodParam = Param{
		Name: "period", Synonyms: []string{"p", "periodicity", "wavelength"},
		Kind: ListKind, Default: "1", Range: Positive,
		Doc: "distance after which values repeat; one number, or one per column",
	}
	biasParam = Param{
		Name: "bias", Synonyms: []string{"offset", "coef0", "intercept", "c"},
		Kind: NumberKind, Default: "0", Range: NonNegative,
		Doc: "constant added to the scalar product",
	}
	dimsParam = Param{
		Name: "dims", Synonyms: []string{"active_dims", "columns", "cols", "features"},
		Kind: ColumnsKind, Default: "all columns",
		Doc: "columns that the kernel reads, by name or by number from 0",
	}
)
