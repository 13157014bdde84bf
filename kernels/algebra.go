package kernels

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Sum is the sum of at least one term. Add constructs it, and merges nested sums into one list.
type Sum struct{ Terms []Kernel }

// Product is the product of at least one factor. It is positive semi-definite by Schur's product theorem. Mul constructs
// it, and merges nested products into one list.
type Product struct{ Factors []Kernel }

// Scaled is Scale·k for Scale ≥ 0. The function Scale constructs it, and multiplies nested scales into one number.
type Scaled struct {
	Scale  float64
	Kernel Kernel
}

// Power is k^Exponent for a whole Exponent ≥ 1. Pow constructs it.
type Power struct {
	Kernel   Kernel
	Exponent int
}

// Parts returns the terms of a Sum, the factors of a Product, or the kernel inside a Scaled or a Power; nil for other kernels.
func Parts(k Kernel) []Kernel {
	switch k := k.(type) {
	case Sum:
		return k.Terms
	case Product:
		return k.Factors
	case Scaled:
		return []Kernel{k.Kernel}
	case Power:
		return []Kernel{k.Kernel}
	}
	return nil
}

// rebuilt returns a copy of k with its parts replaced. parts must have the length of Parts(k). A kernel without parts is
// returned unchanged.
func rebuilt(k Kernel, parts []Kernel) Kernel {
	switch k := k.(type) {
	case Sum:
		return Sum{parts}
	case Product:
		return Product{parts}
	case Scaled:
		return Scaled{k.Scale, parts[0]}
	case Power:
		return Power{parts[0], k.Exponent}
	}
	return k
}

// Add returns a + b. It merges nested sums into one list of terms, and all constant terms into one.
func Add(a, b Kernel) Kernel {
	var sum []Kernel
	constant := -1
	for _, k := range slices.Concat(terms(a), terms(b)) {
		if c, ok := k.(Constant); ok {
			if constant >= 0 {
				sum[constant] = Constant{sum[constant].(Constant).Value + c.Value}
				continue
			}
			constant = len(sum)
		}
		sum = append(sum, k)
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return Sum{sum}
}

func terms(k Kernel) []Kernel {
	if s, ok := k.(Sum); ok {
		return s.Terms
	}
	return []Kernel{k}
}

// Mul returns a·b. It merges nested products into one list of factors, and all numeric factors into one leading factor.
func Mul(a, b Kernel) Kernel {
	ca, a := split(a)
	cb, b := split(b)
	c := ca * cb
	switch {
	case a == nil && b == nil:
		return Constant{c}
	case a == nil:
		return join(c, b)
	case b == nil:
		return join(c, a)
	}
	return join(c, Product{slices.Concat(factors(a), factors(b))})
}

func factors(k Kernel) []Kernel {
	if p, ok := k.(Product); ok {
		return p.Factors
	}
	return []Kernel{k}
}

// split returns c and rest with k = c·rest. rest is nil if k is constant.
func split(k Kernel) (float64, Kernel) {
	switch k := k.(type) {
	case Constant:
		return k.Value, nil
	case Scaled:
		return k.Scale, k.Kernel
	}
	return 1, k
}

// join is the inverse of split: it returns c·k, or the constant c if k is nil.
func join(c float64, k Kernel) Kernel {
	switch {
	case k == nil:
		return Constant{c}
	case c == 1:
		return k
	}
	return Scaled{c, k}
}

// Scale returns c·k. It merges c with a numeric factor of k. It returns an error unless c is finite and ≥ 0.
func Scale(c float64, k Kernel) (Kernel, error) {
	if err := checkScale(c); err != nil {
		return nil, err
	}
	inner, k := split(k)
	return join(c*inner, k), nil
}

func checkScale(c float64) error {
	if !NonNegative.Contains(c) {
		return fmt.Errorf("a kernel cannot be multiplied by %s; the factor must be %v", number(c), NonNegative)
	}
	return nil
}

// Pow returns k^n. A numeric factor of k is raised to the power n, and nested exponents are multiplied. It returns an
// error unless n ≥ 1.
func Pow(k Kernel, n int) (Kernel, error) {
	if err := checkExponent(n); err != nil {
		return nil, err
	}
	c, k := split(k)
	c = wholePower(c, n)
	if k == nil || n == 1 {
		return join(c, k), nil
	}
	if p, ok := k.(Power); ok {
		return join(c, Power{p.Kernel, p.Exponent * n}), nil
	}
	return join(c, Power{k, n}), nil
}

func checkExponent(n int) error {
	if n < 1 {
		return fmt.Errorf("a kernel cannot be raised to the power %d; the exponent must be a whole number from 1", n)
	}
	return nil
}

// Precedence of the operators in printed kernels, from weakest to strongest.
const (
	bindsSum = iota
	bindsProduct
	bindsPower
	bindsAll
)

// enclose prints k, in parentheses if its precedence is lower than that of the surrounding operator.
func enclose(k Kernel, surrounding int) string {
	own := bindsAll
	switch k.(type) {
	case Sum:
		own = bindsSum
	case Product, Scaled:
		own = bindsProduct
	case Power:
		own = bindsPower
	}
	if own < surrounding {
		return "(" + k.String() + ")"
	}
	return k.String()
}

// String prints the sum; a constant is printed as a number.
func (s Sum) String() string {
	texts := make([]string, len(s.Terms))
	for i, t := range s.Terms {
		if c, ok := t.(Constant); ok && len(s.Terms) > 1 {
			texts[i] = number(c.Value)
			continue
		}
		texts[i] = enclose(t, bindsSum)
	}
	return strings.Join(texts, " + ")
}

// String prints the product.
func (p Product) String() string {
	texts := lists.Map(p.Factors, func(f Kernel) string { return enclose(f, bindsProduct) })
	return strings.Join(texts, " * ")
}

// String prints the number times the kernel.
func (s Scaled) String() string { return number(s.Scale) + "*" + enclose(s.Kernel, bindsProduct) }

// String prints the power.
func (p Power) String() string { return fmt.Sprintf("%s^%d", enclose(p.Kernel, bindsAll), p.Exponent) }

// Eval returns the sum of the terms.
func (s Sum) Eval(x, y Point) float64 {
	return lists.Sum(s.Terms, func(t Kernel) float64 { return t.Eval(x, y) })
}

// Row sets dst[j] = k(x, ys[from+j]).
func (s Sum) Row(dst []float64, x Point, ys *Points, from int) {
	rowOf(s.Terms, floats.Add, dst, x, ys, from)
}

// rowOf sets dst to the row of the first kernel, and merges the row of each further kernel into it by combine. combine
// changes its first argument.
func rowOf(ks []Kernel, combine func(dst, row []float64), dst []float64, x Point, ys *Points, from int) {
	ks[0].Row(dst, x, ys, from)
	if len(ks) == 1 {
		return
	}
	row := make([]float64, len(dst))
	for _, k := range ks[1:] {
		k.Row(row, x, ys, from)
		combine(dst, row)
	}
}

// Validate validates each term.
func (s Sum) Validate(dim int) error { return validateAll("a sum", s.Terms, dim) }

// Eval returns the product of the factors.
func (p Product) Eval(x, y Point) float64 {
	product := 1.0
	for _, f := range p.Factors {
		product *= f.Eval(x, y)
	}
	return product
}

// Row sets dst[j] = k(x, ys[from+j]).
func (p Product) Row(dst []float64, x Point, ys *Points, from int) {
	rowOf(p.Factors, floats.Mul, dst, x, ys, from)
}

// Validate validates each factor.
func (p Product) Validate(dim int) error { return validateAll("a product", p.Factors, dim) }

func validateAll(what string, ks []Kernel, dim int) error {
	if len(ks) == 0 {
		return fmt.Errorf("%s has no kernels", what)
	}
	return lists.Each(ks, func(k Kernel) error { return k.Validate(dim) })
}

// Eval returns the number times the kernel.
func (s Scaled) Eval(x, y Point) float64 { return s.Scale * s.Kernel.Eval(x, y) }

// Row sets dst[j] = k(x, ys[from+j]).
func (s Scaled) Row(dst []float64, x Point, ys *Points, from int) {
	s.Kernel.Row(dst, x, ys, from)
	for j := range dst {
		dst[j] *= s.Scale
	}
}

// Validate checks that the number is finite and ≥ 0, and validates the kernel.
func (s Scaled) Validate(dim int) error {
	if err := checkScale(s.Scale); err != nil {
		return err
	}
	return s.Kernel.Validate(dim)
}

// Eval returns the power of the kernel.
func (p Power) Eval(x, y Point) float64 { return wholePower(p.Kernel.Eval(x, y), p.Exponent) }

// Row sets dst[j] = k(x, ys[from+j]).
func (p Power) Row(dst []float64, x Point, ys *Points, from int) {
	p.Kernel.Row(dst, x, ys, from)
	for j, v := range dst {
		dst[j] = wholePower(v, p.Exponent)
	}
}

// Validate checks that the exponent is ≥ 1, and validates the kernel.
func (p Power) Validate(dim int) error {
	if err := checkExponent(p.Exponent); err != nil {
		return err
	}
	return p.Kernel.Validate(dim)
}
