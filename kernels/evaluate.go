package kernels

import "fmt"

// Eval returns the sum of the terms.
func (s Sum) Eval(x, y Point) float64 {
	sum := 0.0
	for _, t := range s.Terms {
		sum += t.Eval(x, y)
	}
	return sum
}

// Row sets dst[j] = k(x, ys[from+j]).
func (s Sum) Row(dst []float64, x Point, ys *Points, from int) {
	s.Terms[0].Row(dst, x, ys, from)
	if len(s.Terms) == 1 {
		return
	}
	term := make([]float64, len(dst))
	for _, t := range s.Terms[1:] {
		t.Row(term, x, ys, from)
		for j, v := range term {
			dst[j] += v
		}
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
	p.Factors[0].Row(dst, x, ys, from)
	if len(p.Factors) == 1 {
		return
	}
	factor := make([]float64, len(dst))
	for _, f := range p.Factors[1:] {
		f.Row(factor, x, ys, from)
		for j, v := range factor {
			dst[j] *= v
		}
	}
}

// Validate validates each factor.
func (p Product) Validate(dim int) error { return validateAll("a product", p.Factors, dim) }

func validateAll(what string, ks []Kernel, dim int) error {
	if len(ks) == 0 {
		return fmt.Errorf("%s has no kernels", what)
	}
	for _, k := range ks {
		if err := k.Validate(dim); err != nil {
			return err
		}
	}
	return nil
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

// Validate wants a finite number ≥ 0, and validates the kernel.
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

// Validate wants an exponent ≥ 1, and validates the kernel.
func (p Power) Validate(dim int) error {
	if err := checkExponent(p.Exponent); err != nil {
		return err
	}
	return p.Kernel.Validate(dim)
}
