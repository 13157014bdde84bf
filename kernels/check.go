package kernels

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// indefinite is the tolerance for negative eigenvalues, relative to the largest diagonal value: smaller ones are rounding
// errors. Positive semi-definite kernels reach -1e-13; plausible formulas that are not positive semi-definite begin at
// -1e-3.
const indefinite = 1e-8

// asymmetric is the tolerance for the difference of k(x, y) and k(y, x), relative to the larger value.
const asymmetric = 1e-9

// checkedPoints is the largest number of points on which definiteness is tested, at a cost of O(n³).
const checkedPoints = 1000

// Checked describes the result of Check.
type Checked struct {
	// number of points on which definiteness was tested; 0 if the kernel is positive semi-definite by construction
	Points int
	// value that must be added to the diagonal for a Cholesky factorisation to succeed; 0 if none is needed
	Jitter float64
}

// Check tests a kernel on its points. With more than 1000 points, it tests 1000 evenly spread ones.
//
// All values must be finite. Formulas must be symmetric. A kernel with formulas must be positive semi-definite: its Gram matrix has no
// eigenvalue below -1e-8 of the largest diagonal value. Built-in kernels are positive semi-definite by construction (the conformance test
// checks it), so Check reads only their diagonal: |k(x, y)|² ≤ k(x, x) k(y, y), so a finite diagonal makes all values finite.
//
// Errors name the points and the values.
func Check(k Kernel, p *Points) (_ Checked, err error) {
	defer try.Caught(&err)
	k = try.Of(Bind(k, p))
	diagonal := make([]float64, p.Len())
	implicit{k, p}.Diagonal(diagonal)
	for i, v := range diagonal {
		if !isFinite(v) {
			return Checked{}, notFinite(k, v, p.Names[i], p.Names[i])
		}
	}
	found := formulas(nil, k)
	if len(found) == 0 {
		return Checked{}, nil
	}
	if p.Len() > checkedPoints {
		spread := lists.Make(checkedPoints, func(i int) int { return i * p.Len() / checkedPoints })
		p = p.Subset(spread)
	}
	try.To(lists.Each(found, func(f Formula) error { return checkSymmetry(f, p) }))
	gram := Dense(implicit{k, p})
	for i := range p.Len() {
		for j := range i {
			if v := gram.At(i, j); !isFinite(v) {
				return Checked{}, notFinite(k, v, p.Names[j], p.Names[i])
			}
		}
	}
	jitter, err := definiteness(gram)
	if err != nil {
		err = fmt.Errorf("%s: %w", k, err)
	}
	return Checked{p.Len(), jitter}, err
}

func notFinite(k Kernel, v float64, x, y string) error {
	return fmt.Errorf("%[1]s: is %[2]s for the points %[3]s and %[4]s; values must be finite", k, number(v), x, y)
}

// checkSymmetry returns an error if f(x, y) and f(y, x) differ for two of the points, or a value is not finite.
func checkSymmetry(f Formula, p *Points) error {
	n := p.Len()
	all := mat.NewDense(n, n, nil)
	for i := range n {
		f.Row(all.RawRowView(i), p.Point(i), p, 0)
	}
	for i := range n {
		for j := range i {
			a, b := all.At(j, i), all.At(i, j)
			if !isFinite(a) {
				return notFinite(f, a, p.Names[j], p.Names[i])
			}
			if !(math.Abs(a-b) <= asymmetric*max(math.Abs(a), math.Abs(b))) {
				return fmt.Errorf("%[6]s: not symmetric: %[1]s(%[2]s, %[3]s) = %[4]s, but %[1]s(%[3]s, %[2]s) = %[5]s",
					f.Name, p.Names[j], p.Names[i], number(a), number(b), f)
			}
		}
	}
	return nil
}

// definiteness returns an error if the matrix has an eigenvalue below -1e-8 of its largest diagonal value. Otherwise it
// returns the value that must be added to the diagonal for a Cholesky factorisation: 0, or 1e-8 of the largest diagonal
// value. It computes eigenvalues only if a factorisation with this value fails, since they cost many times a
// factorisation.
func definiteness(gram *mat.SymDense) (jitter float64, err error) {
	n := gram.SymmetricDim()
	largest := 0.0
	for i := range n {
		largest = max(largest, gram.At(i, i))
	}
	shifted := mat.NewSymDense(n, nil)
	for _, part := range []float64{negligible * float64(n), indefinite} {
		shifted.CopySym(gram)
		symmetric.Add(shifted, func(int) float64 { return part * largest })
		var cholesky mat.Cholesky
		if cholesky.Factorize(shifted) {
			if part == indefinite {
				jitter = part * largest
			}
			return jitter, nil
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, false) {
		return 0, errors.New("the eigenvalues could not be computed")
	}
	if smallest := eigen.Values(nil)[0]; smallest < -indefinite*largest || largest == 0 && smallest < 0 {
		allowed := ""
		if largest > 0 {
			allowed = fmt.Sprintf(" (down to %.3g counts as rounding)", -indefinite*largest)
		}
		return 0, fmt.Errorf("not positive semi-definite: the smallest eigenvalue is %.3g; it must be at least 0%s", smallest, allowed)
	}
	return indefinite * largest, nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// ParamError is an error about one argument of a kernel.
type ParamError struct {
	Kernel  string // name of the kernel
	Param   string // name of the parameter; "" if the message is about another number, such as a scale
	Index   int    // index of the value in a list, from 0; -1 for the argument as a whole
	Message string // text after the name of the parameter, such as "is -2; it must be at least 0"
}

// Error returns "kernel: param[index] message". It leaves out Param if empty, and Index if negative.
func (e *ParamError) Error() string {
	switch {
	case e.Param == "":
		return e.Kernel + " " + e.Message
	case e.Index < 0:
		return fmt.Sprintf("%s: %s %s", e.Kernel, e.Param, e.Message)
	}
	return fmt.Sprintf("%s: %s[%d] %s", e.Kernel, e.Param, e.Index, e.Message)
}

// wrong returns a ParamError about a whole argument.
func wrong(kernel, param, format string, args ...any) error {
	return &ParamError{kernel, param, -1, fmt.Sprintf(format, args...)}
}

// NearError is an error about a table that is not positive semi-definite. It proposes a similar table that is.
type NearError struct {
	Err  error
	Near string // values of the proposed table, as an expression of the script language
}

// Error returns the message of Err, followed by the proposed table.
func (e *NearError) Error() string {
	return e.Err.Error() + "; a table near this one that is: " + e.Near
}

// Unwrap returns Err.
func (e *NearError) Unwrap() error { return e.Err }
