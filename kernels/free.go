package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Free is an unknown number that a fit estimates. Until then its value is Value. A catalogue kernel with a Free parameter
// is Open. As a factor or a summand, Free is itself a constant kernel.
//
// Free numbers with the same name are the same number. Each Free without a name is a separate number.
type Free struct {
	Name  string
	Value float64 // between Min and Max
	// limits of the value; if both are 0, from Value/1000 to 1000·Value, within the parameter's range
	Min, Max float64
}

// defaultSpan determines the default limits: Value/defaultSpan and Value·defaultSpan.
const defaultSpan = 1000

// Limits returns the smallest and the largest allowed value.
func (f Free) Limits() (least, most float64) {
	if f.Min == 0 && f.Max == 0 {
		return f.Value / defaultSpan, f.Value * defaultSpan
	}
	return f.Min, f.Max
}

// Fixed reports whether both limits are equal, so that there is nothing to fit.
func (f Free) Fixed() bool {
	least, most := f.Limits()
	return least == most
}

// check returns an error if the parameter cannot be fitted, the value is outside the limits, or the limits are outside the
// parameter's range.
func (f Free) check(kernel string, p Param) error {
	least, most := f.Limits()
	switch {
	case p.Kind == IntegerKind || p.Kind == ChoiceKind:
		return wrong(kernel, p.Name, "is a free hyperparameter, but %v cannot be fitted", p.Kind)
	case f.Min == 0 && f.Max == 0 && !(f.Value > 0):
		return wrong(kernel, p.Name, "starts at %s, from which its limits cannot be derived. Give min= and max=", number(f.Value))
	case !isFinite(f.Value) || !isFinite(least) || !isFinite(most) || !(least <= f.Value && f.Value <= most):
		return wrong(kernel, p.Name, "starts at %s; it must lie between min, which is %s, and max, which is %s", number(f.Value),
			number(least), number(most))
	case f.Min == 0 && f.Max == 0:
		// default limits are narrowed to the range of the parameter
		return p.check(kernel, f.Value, 0, 1)
	}
	for _, limit := range []float64{least, most} {
		if err := p.check(kernel, limit, 0, 1); err != nil {
			return fmt.Errorf("%w, and so must the limits of a free hyperparameter", err)
		}
	}
	return nil
}

// within returns f with explicit limits. Default limits are narrowed to the range r of a parameter; limits that the user
// stated stay unchanged.
func (f Free) within(r Range) Free {
	least, most := f.Limits()
	const inside = 1e-6 // distance from an excluded end of the range, as a fraction of the range
	if f.Min == 0 && f.Max == 0 {
		least = max(least, r.Min)
		if most > r.Max || most == r.Max && r.MaxOpen {
			most = r.Max - inside*(r.Max-f.Value)
		}
	}
	f.Min, f.Max = least, most
	return f
}

// Eval returns the value.
func (f Free) Eval(x, y Point) float64 { return f.Value }

// Row sets dst[j] to the value.
func (f Free) Row(dst []float64, x Point, ys *Points, from int) {
	Constant{f.Value}.Row(dst, x, ys, from)
}

// Validate checks that the limits are 0 or more and include the value.
func (f Free) Validate(dim int) error { return f.check("free", Param{Range: NonNegative}) }

// String prints the call that makes f.
func (f Free) String() string {
	text := "free(" + number(f.Value)
	if f.Min != 0 || f.Max != 0 {
		text += ", min=" + number(f.Min) + ", max=" + number(f.Max)
	}
	if f.Name != "" {
		text += ", name=" + Quote(f.Name)
	}
	return text + ")"
}

// Quote returns a text as a string literal of the script language: in quotes, and with braces doubled.
func Quote(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(strconv.Quote(text))
}

// Logarithmic reports whether a fit searches the logarithm of this number. It does so if the lower limit is positive.
func (f Free) Logarithmic() bool {
	least, _ := f.Limits()
	return least > 0
}

// To maps a value within the limits a and b to the real line, for an unconstrained search; Of is the inverse,
//
//	u = log((t - a)/(b - t)),
//
// where t, a and b are the numbers, or their logarithms if Logarithmic. Outside the limits To returns an infinite value.
func (f Free) To(value float64) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		value, least, most = math.Log(value), math.Log(least), math.Log(most)
	}
	return math.Log(value-least) - math.Log(most-value)
}

// Of is the inverse of To.
func (f Free) Of(u float64) float64 {
	least, most := f.Limits()
	share := 1 / (1 + math.Exp(-u))
	if f.Logarithmic() {
		return min(max(math.Exp(math.Log(least)+share*(math.Log(most)-math.Log(least))), least), most)
	}
	return min(max(least+share*(most-least), least), most)
}
