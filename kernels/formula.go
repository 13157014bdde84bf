package kernels

import (
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Formula is a kernel that is written as a formula: in a script, which the language compiles, or in Go with Func. Check tests its
// symmetry and eigenvalues on the actual points, since nothing else is known about it. It prints as its name; the caller must also
// print the definition Name(Params) = Body.
type Formula struct {
	Name   string // unique: two formulas in a kernel must not share it
	Params string // "x, y", or "x, y, a=1" with further parameters
	Body   string // text of the formula; empty for a Go function

	// Pair returns k(x, y).
	Pair func(x, y Point) float64
	// Rows is the fast form of Pair; if nil, Pair is called for each point.
	Rows func(dst []float64, x Point, ys *Points, from int)
	// Resolve returns the formula for points with these columns, with names resolved to numbers, or an error about a missing
	// column. Bind calls it; nil means that Pair works for any columns.
	Resolve func(columns []string) (Formula, error)
	// Meet returns the formula for these points; it may compute the values at once. Bind calls it instead of Resolve; may be nil.
	Meet func(p *Points) Formula

	// Args are the values of the further parameters, in order.
	Args []Arg
	// Call returns the formula with other Args; nil if there are none.
	Call func(args []Free) (Formula, error)

	// Free are the free hyperparameters that the formula uses by name.
	Free []Free
	// At returns the formula with other values of Free, followed by the Args that are not Fixed; Fixed values are written into Body
	// and Args as numbers.
	At func(free []Free) Formula
}

// Arg is an argument of a formula. A plain number is Fixed.
type Arg struct {
	Param string
	Free
}

// Func makes a kernel from a Go function of two feature vectors.
func Func(name string, f func(x, y []float64) float64) Formula {
	return Formula{Name: name, Params: "x, y", Pair: func(x, y Point) float64 { return f(x.X, y.X) }}
}

// Eval returns k(x, y).
func (k Formula) Eval(x, y Point) float64 { return k.Pair(x, y) }

// Row sets dst[j] = k(x, ys[from+j]).
func (k Formula) Row(dst []float64, x Point, ys *Points, from int) {
	if k.Rows != nil {
		k.Rows(dst, x, ys, from)
		return
	}
	y := Point{X: make([]float64, ys.Dim())}
	for j := range dst {
		ys.read(&y, from+j)
		dst[j] = k.Pair(x, y)
	}
}

// Validate checks that the formula can be evaluated; Check tests the rest.
func (k Formula) Validate(dim int) error {
	if k.Pair == nil && k.Resolve == nil {
		return fmt.Errorf("%s: the formula has no definition", k.Name)
	}
	return nil
}

// String prints the name, with all arguments.
func (k Formula) String() string {
	if len(k.Args) == 0 {
		return k.Name
	}
	texts := lists.Map(k.Args, func(a Arg) string { return a.Param + "=" + a.String() })
	return k.Name + "(" + strings.Join(texts, ", ") + ")"
}

// String prints the number as an argument of a call.
func (a Arg) String() string {
	if a.Fixed() {
		return number(a.Value)
	}
	return a.Free.String()
}

func (k Formula) bind(p *Points) (Kernel, error) {
	if err := k.Validate(p.Dim()); err != nil || k.Meet == nil && k.Resolve == nil {
		return k, err
	}
	if k.Meet != nil {
		return k.Meet(p), nil
	}
	return k.Resolve(p.Columns)
}

// Own returns a variance of each arm of each task that is independent of all others, as far as the terms of a kernel show it: the
// variance of identity() of tasks times identity() of arms; for one task, of identity() of arms. If it is 0, the kernel may still
// have full rank.
func Own(j Joint, tasks int) float64 {
	sum := 0.0
	for _, t := range j.Terms {
		alone, everywhere := shown(t.Task)
		if tasks == 1 {
			alone += everywhere
		}
		own, _ := shown(t.Arm)
		sum += t.Scale * alone * own
	}
	return sum
}

// shown returns numbers a and c such that k - a·identity() - c is still a kernel, as far as its terms show.
func shown(k Kernel) (identity, constant float64) {
	switch k := k.(type) {
	case nil:
		return 0, 1
	case Identity:
		return 1, 0
	case Constant:
		return 0, k.Value
	case Scaled:
		identity, constant = shown(k.Kernel)
		return k.Scale * identity, k.Scale * constant
	case Power:
		identity, constant = shown(k.Kernel)
		whole, flat := math.Pow(identity+constant, float64(k.Exponent)), math.Pow(constant, float64(k.Exponent))
		return whole - flat, flat
	case Sum:
		for _, t := range k.Terms {
			a, c := shown(t)
			identity, constant = identity+a, constant+c
		}
		return identity, constant
	case Product:
		whole, flat := 1.0, 1.0
		for _, f := range k.Factors {
			a, c := shown(f)
			whole, flat = whole*(a+c), flat*c
		}
		return whole - flat, flat
	}
	return 0, 0
}
