package kernels

import (
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Formula is a user-defined kernel: a formula of a script, or a Go function (see Func). Check tests its symmetry and eigenvalues on the
// given points. A Formula prints as its name only; the caller must also print the definition Name(Params) = Body.
type Formula struct {
	Name   string // must be unique within a kernel
	Params string // "x, y", or "x, y, a=1" with further parameters
	Body   string // text of the formula; empty for a Go function

	// Pair returns k(x, y) for one pair of points.
	Pair func(x, y Point) float64
	// Rows computes a row at once, like Kernel.Row; if nil, Pair is called for each point.
	Rows func(dst []float64, x Point, ys *Points, from int)
	// Resolve returns the formula with its column names replaced by indices into columns. It returns an error if a column
	// is missing. Bind calls it; nil means that the formula reads no columns by name.
	Resolve func(columns []string) (Formula, error)
	// Meet returns the formula prepared for the given points, for example with all values computed. Bind calls it instead
	// of Resolve; it may be nil.
	Meet func(p *Points) Formula

	// Args are the values of the parameters after x and y, in order.
	Args []Arg
	// Call returns the formula with other values of Args; nil if the formula has no Args.
	Call func(args []Free) (Formula, error)

	// Free are the free hyperparameters that the formula uses by name.
	Free []Free
	// At returns the formula with new numbers: first one for each of Free, then one for each of Args that is not Fixed. A
	// new number that is Fixed is written into Body and Args as a plain number.
	At func(free []Free) Formula
}

// Arg is a parameter of a formula after x and y, with its value. A plain number is a Fixed value.
type Arg struct {
	Param string
	Free
}

// Func returns a kernel that is a Go function of two feature vectors.
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

// Validate checks that the formula has a definition. Symmetry and definiteness are tested by Check.
func (k Formula) Validate(dim int) error {
	if k.Pair == nil && k.Resolve == nil {
		return fmt.Errorf("%s: the formula has no definition", k.Name)
	}
	return nil
}

// String prints the name of the formula, followed by all Args in parentheses.
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

// Own returns a lower bound on the variance of each arm of each task that is independent of all other arms. It sums the
// terms with both identity() of tasks and identity() of arms; with one task, identity() of arms suffices. If the kernel
// shows no such term, the bound is 0, even for a kernel of full rank.
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

// shown returns numbers identity and constant such that k - identity·identity() - constant is still positive
// semi-definite. It reads them from the terms of k.
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
