package kernels

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Free is a number that one does not know: it may be fitted to data, and is Value
// until then. As a parameter of a kernel of the catalogue it makes that kernel Open; as
// a factor or a summand it is a kernel itself, the constant Value.
//
// Numbers of one name are one number, wherever they stand. A number without a name is a different
// one in each place.
type Free struct {
	Name  string
	Value float64 // between Min and Max
	// both 0: a thousandth and a thousand times Value, as far as the parameter allows
	Min, Max float64
}

// defaultSpan is the factor by which a free number without limits may grow or shrink.
const defaultSpan = 1000

// Limits returns the smallest and the largest value.
func (f Free) Limits() (least, most float64) {
	if f.Min == 0 && f.Max == 0 {
		return f.Value / defaultSpan, f.Value * defaultSpan
	}
	return f.Min, f.Max
}

// Fixed reports whether there is nothing to fit, because both limits are the value.
func (f Free) Fixed() bool {
	least, most := f.Limits()
	return least == most
}

// check reports a value outside its limits, and limits outside the parameter's.
func (f Free) check(kernel string, p Param) error {
	least, most := f.Limits()
	switch {
	case p.Kind == IntegerKind || p.Kind == ChoiceKind:
		return wrong(kernel, p.Name, "is a free number; it must be %v, which is not fitted", p.Kind)
	case f.Min == 0 && f.Max == 0 && !(f.Value > 0):
		return wrong(kernel, p.Name, "starts at %s, from which no limits follow; give min= and max=", number(f.Value))
	case !isFinite(f.Value) || !isFinite(least) || !isFinite(most) || !(least <= f.Value && f.Value <= most):
		return wrong(kernel, p.Name, "starts at %s; it must lie between min, which is %s, and max, which is %s", number(f.Value),
			number(least), number(most))
	case f.Min == 0 && f.Max == 0:
		// limits that nobody wrote are narrowed to what the parameter allows
		return p.check(kernel, f.Value, 0, 1)
	}
	for _, limit := range []float64{least, most} {
		if err := p.check(kernel, limit, 0, 1); err != nil {
			return fmt.Errorf("%w, and so must the limits of a free number", err)
		}
	}
	return nil
}

// within narrows limits that nobody wrote to the range of a parameter.
func (f Free) within(r Range) Free {
	least, most := f.Limits()
	const inside = 1e-6 // of the way to an end that is excluded itself
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

// Validate wants limits of 0 or more with the value between them.
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

// Quote returns a text as the script language reads it: in quotes, with braces doubled.
func Quote(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(strconv.Quote(text))
}

// Logarithmic tells on which scale a free number is fitted: its logarithm's,
// unless 0 is among its values.
func (f Free) Logarithmic() bool {
	least, _ := f.Limits()
	return least > 0
}

// To maps a free number to the real line, from which Of maps back into the limits,
//
//	u = log((t - a)/(b - t)),  t the number or its logarithm, a and b the limits,
//
// so that a search without limits respects them. Beyond the limits To is infinite.
func (f Free) To(value float64) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		value, least, most = math.Log(value), math.Log(least), math.Log(most)
	}
	return math.Log(value-least) - math.Log(most-value)
}

// Of returns the inverse of To.
func (f Free) Of(u float64) float64 {
	least, most := f.Limits()
	share := 1 / (1 + math.Exp(-u))
	if f.Logarithmic() {
		return min(max(math.Exp(math.Log(least)+share*(math.Log(most)-math.Log(least))), least), most)
	}
	return min(max(least+share*(most-least), least), most)
}
