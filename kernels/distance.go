package kernels

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// squares sets dst[j] = Σ_c w_c (x_c - ys_c[from+j])² over the columns of d. factor·dst[j] is the squared distance in
// units of the length scales. For several length scales, w_c = 1/ℓ_c² and factor is 1; for one, w_c = 1 and factor is
// 1/ℓ².
func (d Dims) squares(dst, x []float64, ys *Points, from int, lengthscale []float64) (factor float64) {
	clear(dst)
	n := d.count(len(x))
	weighted := len(lengthscale) > 1
	c := 0
	for ; c+4 <= n; c += 4 {
		var g group
		for i := range g.x {
			g.set(i, x, ys, d.at(c+i), from, len(dst))
		}
		if weighted {
			g.addWeighted(dst, lengthscale[c:])
		} else {
			g.addSquares(dst)
		}
	}
	for ; c < n; c++ {
		at, w := d.at(c), 1.0
		if weighted {
			w /= lengthscale[c] * lengthscale[c]
		}
		for j, y := range ys.X[at][from : from+len(dst)] {
			diff := x[at] - y
			dst[j] += w * diff * diff
		}
	}
	if len(lengthscale) == 1 {
		return 1 / (lengthscale[0] * lengthscale[0])
	}
	return 1
}

// SquaredDistances sets dst[j] = Σ_c (x_c - ys[c][from+j])².
func SquaredDistances(dst, x []float64, ys [][]float64, from int) {
	Dims{}.squares(dst, x, &Points{X: ys}, from, nil)
}

// group holds the values of x and ys in four columns. Four columns are processed in one pass, so that dst is read and
// written a quarter as often.
type group struct {
	x [4]float64
	y [4][]float64
}

func (g *group) set(i int, x []float64, ys *Points, column, from, n int) {
	g.x[i], g.y[i] = x[column], ys.X[column][from:from+n]
}

// slices returns the four columns of ys. It cuts them to n values so that the compiler can omit bounds checks.
func (g *group) slices(n int) (y0, y1, y2, y3 []float64) {
	return g.y[0][:n], g.y[1][:n], g.y[2][:n], g.y[3][:n]
}

func (g *group) addSquares(dst []float64) {
	x0, x1, x2, x3 := g.x[0], g.x[1], g.x[2], g.x[3]
	y0, y1, y2, y3 := g.slices(len(dst))
	for j := range dst {
		d0, d1, d2, d3 := x0-y0[j], x1-y1[j], x2-y2[j], x3-y3[j]
		dst[j] += (d0*d0 + d1*d1) + (d2*d2 + d3*d3)
	}
}

func (g *group) addWeighted(dst, lengthscale []float64) {
	x0, x1, x2, x3 := g.x[0], g.x[1], g.x[2], g.x[3]
	y0, y1, y2, y3 := g.slices(len(dst))
	s0, s1, s2, s3 := 1/lengthscale[0], 1/lengthscale[1], 1/lengthscale[2], 1/lengthscale[3]
	for j := range dst {
		d0, d1, d2, d3 := s0*(x0-y0[j]), s1*(x1-y1[j]), s2*(x2-y2[j]), s3*(x3-y3[j])
		dst[j] += (d0*d0 + d1*d1) + (d2*d2 + d3*d3)
	}
}

func (g *group) addProducts(dst []float64) {
	x0, x1, x2, x3 := g.x[0], g.x[1], g.x[2], g.x[3]
	y0, y1, y2, y3 := g.slices(len(dst))
	for j := range dst {
		dst[j] += (x0*y0[j] + x1*y1[j]) + (x2*y2[j] + x3*y3[j])
	}
}

// square returns the squared distance of x and y, in units of the length scales.
func (d Dims) square(x, y, lengthscale []float64) float64 {
	sum := 0.0
	for c := range d.count(len(x)) {
		diff := (x[d.at(c)] - y[d.at(c)]) / perColumn(lengthscale, c)
		sum += diff * diff
	}
	return sum
}

// perColumn returns the value of a per-column parameter for the c-th column that a kernel reads: values[c], the only value
// if there is one, or 1 if there are none.
func perColumn(values []float64, c int) float64 {
	switch len(values) {
	case 0:
		return 1
	case 1:
		return values[0]
	}
	return values[c]
}

// products sets dst[j] = Σ_c x_c ys_c[from+j] / ℓ_c² over the columns of d. It skips columns with x_c = 0, which are
// common for indicator columns.
func (d Dims) products(dst, x []float64, ys *Points, from int, lengthscale []float64) {
	clear(dst)
	var g group
	filled := 0
	for c := range d.count(len(x)) {
		if x[d.at(c)] == 0 {
			continue
		}
		ell := perColumn(lengthscale, c)
		g.set(filled, x, ys, d.at(c), from, len(dst))
		g.x[filled] /= ell * ell
		if filled++; filled == len(g.x) {
			g.addProducts(dst)
			filled = 0
		}
	}
	for i, xc := range g.x[:filled] {
		for j, y := range g.y[i] {
			dst[j] += xc * y
		}
	}
}

// product returns Σ_c x_c y_c / ℓ_c² over the columns of d.
func (d Dims) product(x, y, lengthscale []float64) float64 {
	sum := 0.0
	for c := range d.count(len(x)) {
		ell := perColumn(lengthscale, c)
		sum += (x[d.at(c)] / ell) * (y[d.at(c)] / ell)
	}
	return sum
}

// steps is the number of values of 2^x in the table for each octave.
const steps = 128

// octave holds the bits of 2^(i/128) for i from 0 to 127. It is read-only.
var octave = func() (bits [steps]uint64) {
	for i := range bits {
		bits[i] = math.Float64bits(math.Exp2(float64(i) / steps))
	}
	return bits
}()

// ExpScaled replaces each dst[j] by exp(scale·dst[j]), with a relative error below 4e-16. For an argument x, let n be the integer nearest
// to 128 x / ln 2, and r = x - n ln 2 / 128, |r| ≤ 0.0028. Then
//
//	exp(x) = 2^(n/128) (1 + r + r²/2 + r³/6 + r⁴/24 + r⁵/120 + …).
//
// The factor 2^(n/128) is a table value with its exponent increased by ⌊n/128⌋; the omitted terms are below 1e-18. This takes half the time
// of the usual rational approximation, which needs a division.
//
//	P. T. P. Tang, Table-driven implementation of the exponential function in IEEE
//	floating-point arithmetic, ACM Transactions on Mathematical Software 15, 1989.
//
// ExpScaled calls math.Exp for NaN, and if 2^(n/128) is not a normal number.
func ExpScaled(dst []float64, scale float64) {
	const (
		// ends in zero bits, so that n·ln2Hi is exact
		ln2Hi   = 6.93147180369123816490e-01 / steps
		ln2Lo   = 1.90821492927058770002e-10 / steps
		nearest = 1.5 * (1 << 52) // adding it leaves the nearest whole number in the low bits
	)
	for j, v := range dst {
		x := scale * v
		if !(x >= -708 && x <= 709) {
			dst[j] = math.Exp(x)
			continue
		}
		shifted := x*(steps*math.Log2E) + nearest
		n := shifted - nearest
		bits := math.Float64bits(shifted)
		power := math.Float64frombits(octave[bits%steps] + bits/steps<<52)
		r := (x - n*ln2Hi) - n*ln2Lo
		r2 := r * r
		dst[j] = power + power*(r+r2*((0.5+r*(1./6))+r2*(1./24+r*(1./120))))
	}
}

// Dims selects the feature columns that a kernel reads. The zero value selects all columns. Set either Index or Names; for
// Names, Bind sets Index.
type Dims struct {
	Index []int    // 0-based columns, in the order of the per-column parameters
	Names []string // column names; if set, Bind sets Index
}

// count returns the number of selected columns, out of dim columns.
func (d Dims) count(dim int) int {
	switch {
	case len(d.Names) > 0:
		return len(d.Names)
	case len(d.Index) > 0:
		return len(d.Index)
	}
	return dim
}

// at returns the index of the c-th selected column. It panics if the columns are given by Names and not yet bound.
func (d Dims) at(c int) int {
	switch {
	case len(d.Index) > 0:
		return d.Index[c]
	case len(d.Names) > 0:
		panic("kernels: columns are given by name: Bind the kernel to its points first")
	}
	return c
}

// unbind returns the columns as the user stated them, without an Index from Bind.
func (d Dims) unbind() Dims {
	if len(d.Names) > 0 {
		d.Index = nil
	}
	return d
}

// resolve sets Index from Names, or checks a given Index. columns are the column names of the points. Errors begin with
// the name of the kernel.
func (d Dims) resolve(kernel string, columns []string) (Dims, error) {
	if len(d.Names) > 0 {
		d.Index = make([]int, len(d.Names))
		for i, name := range d.Names {
			d.Index[i] = slices.Index(columns, name)
			if d.Index[i] < 0 {
				return d, wrong(kernel, "dims", "has %q, and the columns are %s%s", name, listing(columns), likely(name, columns))
			}
		}
	}
	return d, d.check(kernel, len(columns))
}

// likely returns the end of an error message that proposes a similar column: with the prefix of arm or task features, or
// with other capital letters. It returns "" if there is none.
func likely(name string, columns []string) string {
	for _, c := range columns {
		for _, prefix := range []string{"", "x_", "z_"} {
			if strings.EqualFold(c, prefix+name) {
				return fmt.Sprintf("; did you mean %q?", c)
			}
		}
	}
	return ""
}

// check returns an error if a column index is repeated or not from 0 to dim-1.
func (d Dims) check(kernel string, dim int) error {
	for i, c := range d.Index {
		if c < 0 || c >= dim {
			return wrong(kernel, "dims", "has %d, but there are %d columns, numbered from 0", c, dim)
		}
		if slices.Contains(d.Index[:i], c) {
			return wrong(kernel, "dims", "has column %d twice", c)
		}
	}
	return nil
}

// String prints the columns as a value of the parameter dims.
func (d Dims) String() string {
	if len(d.Names) > 0 {
		return quoted(d.Names)
	}
	return strings.ReplaceAll(fmt.Sprint(d.Index), " ", ", ")
}

// listing returns the first few names, joined by commas, for a message.
func listing(names []string) string {
	const most = 8
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}
