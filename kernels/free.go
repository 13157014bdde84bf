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
// Numbers of one name are one number, wherever they stand. A number without a name is
// one of its own in each place.
type Free struct {
	Name     string
	Value    float64 // between Min and Max
	Min, Max float64 // both 0: a thousandth and a thousand times Value, as far as the parameter allows
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

// Fixed tells whether there is nothing to fit, because both limits are the value.
func (f Free) Fixed() bool {
	least, most := f.Limits()
	return least == most
}

// check reports a value outside its limits, and limits outside those of the parameter.
func (f Free) check(kernel string, p Param) error {
	least, most := f.Limits()
	name := kernel
	if p.Name != "" {
		name += ": " + p.Name
	}
	switch {
	case p.Kind == IntegerKind || p.Kind == ChoiceKind:
		return fmt.Errorf("%s is a free number; it must be %v, which is not fitted", name, p.Kind)
	case f.Min == 0 && f.Max == 0 && !(f.Value > 0):
		return fmt.Errorf("%s starts at %s, from which no limits follow; give min= and max=", name, number(f.Value))
	case !isFinite(f.Value) || !isFinite(least) || !isFinite(most) || !(least <= f.Value && f.Value <= most):
		return fmt.Errorf("%s starts at %s; it must lie between min, which is %s, and max, which is %s", name, number(f.Value), number(least), number(most))
	case f.Min == 0 && f.Max == 0: // limits that nobody wrote are narrowed to what the parameter allows
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
func (f Free) Validate(dim int) error { return f.check("free", Param{Range: nonNegative}) }

// String prints the call that makes f.
func (f Free) String() string {
	text := "free(" + number(f.Value)
	if f.Min != 0 || f.Max != 0 {
		text += ", min=" + number(f.Min) + ", max=" + number(f.Max)
	}
	if f.Name != "" {
		text += ", name=" + strconv.Quote(f.Name)
	}
	return text + ")"
}

// Open is a kernel of the catalogue with free numbers among its parameters. It is that
// kernel at their values. Entry.Build makes it of arguments that are free.
type Open struct {
	Kernel Kernel // with the values set
	Slots  []Slot // the numbers that are free; at least one
}

// Slot says which number of a kernel is free.
type Slot struct {
	Param string // name of the parameter
	Index int    // in its list of numbers, from 0
	Free  Free
}

// parametric is a kernel of the catalogue: it prints by its table of parameters.
type parametric interface {
	Kernel
	form() form
}

// Eval returns k(x, y).
func (k Open) Eval(x, y Point) float64 { return k.Kernel.Eval(x, y) }

// Row sets dst[j] = k(x, ys[from+j]).
func (k Open) Row(dst []float64, x Point, ys *Points, from int) { k.Kernel.Row(dst, x, ys, from) }

// Validate is that of the kernel.
func (k Open) Validate(dim int) error { return k.Kernel.Validate(dim) }

// String prints the call that makes k, its free numbers as free(...).
func (k Open) String() string {
	p, ok := k.Kernel.(parametric)
	if !ok {
		return k.Kernel.String()
	}
	f := p.form()
	for i, v := range f.values {
		texts := make([]string, len(v.numbers))
		for j, x := range v.numbers {
			texts[j] = number(x)
		}
		for _, s := range k.Slots {
			if s.Param != v.param.Name {
				continue
			}
			for len(texts) <= s.Index { // a value of 0 is not among the numbers
				texts = append(texts, "0")
			}
			texts[s.Index] = s.Free.String()
			f.values[i].text = "[" + strings.Join(texts, ", ") + "]"
			if len(texts) == 1 {
				f.values[i].text = texts[0]
			}
		}
	}
	return f.String()
}

// open takes the free numbers out of arguments: it returns the arguments at their
// values, and where the free ones stand. A []Free is a list in which a number that is
// not free is Fixed.
func (a Args) open(kernel string, params []Param) (Args, []Slot, error) {
	plain := Args{}
	var slots []Slot
	for name, v := range a {
		plain[name] = v
		var found []Free
		switch v := v.(type) {
		case Free:
			found, plain[name] = []Free{v}, v.Value
		case []Free:
			values := make([]float64, len(v))
			for i, f := range v {
				values[i] = f.Value
			}
			found, plain[name] = v, values
		}
		for i, f := range found {
			if !f.Fixed() {
				slots = append(slots, Slot{name, i, f})
			}
		}
	}
	var ordered []Slot // as the parameters stand
	for _, p := range params {
		for _, s := range slots {
			if s.Param != p.Name {
				continue
			}
			if err := s.Free.check(kernel, p); err != nil {
				return nil, nil, err
			}
			ordered = append(ordered, s)
		}
	}
	return plain, ordered, nil
}

// given returns the arguments that make the kernel again.
func (f form) given() Args {
	a := Args{}
	for _, v := range f.values {
		switch {
		case len(v.numbers) > 1:
			a[v.param.Name] = v.numbers
		case len(v.numbers) == 1:
			a[v.param.Name] = v.numbers[0]
		}
	}
	switch {
	case f.dims == nil:
	case len(f.dims.Names) > 0:
		a["dims"] = f.dims.Names
	case len(f.dims.Index) > 0:
		columns := make([]float64, len(f.dims.Index))
		for i, c := range f.dims.Index {
			columns[i] = float64(c)
		}
		a["dims"] = columns
	}
	return a
}

// at returns the kernel with its free numbers set: free still, or plain ones.
func (k Open) at(set setting, place string) (Kernel, error) {
	p, ok := k.Kernel.(parametric)
	if !ok {
		return nil, fmt.Errorf("%s has no parameters to be free", k.Kernel)
	}
	entry, ok := catalogued(p.form().name)
	if !ok {
		return nil, fmt.Errorf("%s is not in the catalogue", k.Kernel)
	}
	args := p.form().given()
	for _, s := range k.Slots {
		param := entry.param(s.Param)
		where := place + entry.Name + " " + s.Param
		list, isList := args[s.Param].([]float64)
		all, some := args[s.Param].([]Free)
		if isList || some {
			where += fmt.Sprintf("[%d]", s.Index)
		}
		f := set(Parameter{s.Free.within(param.Range), where}, s.Free)
		switch {
		case some:
			all[s.Index] = f
		case isList:
			all = make([]Free, len(list))
			for i, v := range list {
				all[i] = settled(v)
			}
			all[s.Index], args[s.Param] = f, all
		default:
			args[s.Param] = f
		}
	}
	return entry.Build(args)
}

func catalogued(name string) (Entry, bool) {
	for _, e := range Catalogue() {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

func (e Entry) param(name string) Param {
	for _, p := range e.Params {
		if p.Name == name {
			return p
		}
	}
	return Param{}
}

// Logarithmic tells on which scale a free number is fitted: that of its logarithm,
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

// Of is the inverse of To.
func (f Free) Of(u float64) float64 {
	least, most := f.Limits()
	share := 1 / (1 + math.Exp(-u))
	if f.Logarithmic() {
		return min(max(math.Exp(math.Log(least)+share*(math.Log(most)-math.Log(least))), least), most)
	}
	return min(max(least+share*(most-least), least), most)
}
