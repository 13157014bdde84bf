package kernels

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// form describes a catalogue kernel for printing and checking: its parameter values and the columns that it reads.
type form struct {
	*Entry
	values []value
	dims   *Dims // nil for a kernel that reads no columns
}

// value is a parameter with its value. If both numbers and text are empty, the parameter has its default.
type value struct {
	param   Param
	numbers []float64
	text    string // printed instead of numbers, for free hyperparameters
}

// formOf returns the form of a kernel; its Entry is nil if the kernel is not in the catalogue.
func formOf(k Kernel) form {
	f := form{Entry: entries()[reflect.TypeOf(k)]}
	if f.Entry == nil {
		return f
	}
	fields := reflect.ValueOf(k)
	for i, p := range f.Params {
		v := value{param: p}
		switch x := fields.Field(f.fields[i]).Interface().(type) {
		case Dims:
			f.dims = &x
			continue
		case []float64:
			v.numbers = x
		case int:
			v.numbers = stated(p, float64(x))
		case float64:
			v.numbers = stated(p, x)
		}
		f.values = append(f.values, v)
	}
	return f
}

// stated returns the value of a numeric parameter as a list of one number; nil if v is zero and the parameter has a default.
func stated(p Param, v float64) []float64 {
	if v == 0 && p.Default != "" {
		return nil
	}
	return []float64{v}
}

// with returns a copy of a catalogue kernel with another value of its field Dims.
func with(k Kernel, d Dims) Kernel {
	out := reflect.New(reflect.TypeOf(k)).Elem()
	out.Set(reflect.ValueOf(k))
	out.FieldByName("Dims").Set(reflect.ValueOf(d))
	return out.Interface().(Kernel)
}

// String prints the call that constructs the kernel. It leaves out parameters with default values.
func (f form) String() string {
	var args []string
	for _, v := range f.values {
		text := cmp.Or(v.text, numberOrList(v.numbers))
		switch {
		case len(v.numbers) == 0 && v.text == "":
		case v.param.Default == "": // print only the number, without the name of the parameter
			args = append(args, text)
		default:
			args = append(args, v.param.Name+"="+text)
		}
	}
	if f.dims != nil && f.dims.count(0) > 0 {
		args = append(args, "dims="+f.dims.String())
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

// validate checks the parameters for points with dim columns. columns are the column names for messages; nil if unknown.
func (f form) validate(dim int, columns []string) (err error) {
	defer try.Caught(&err)
	want := 0
	if f.dims != nil {
		try.To(f.dims.check(f.Name, dim))
		if want = f.dims.count(dim); want == 0 {
			return fmt.Errorf("%s: compares features, but the points have no feature columns", f.Name)
		}
	}
	for _, v := range f.values {
		for i, number := range v.numbers {
			try.To(v.param.check(f.Name, number, i, len(v.numbers)))
		}
		if n := len(v.numbers); n > 1 && n != want {
			return wrong(f.Name, v.param.Name, "has %d values for %s%s; give one value, or one per column", n, sentence.Count(want, "column"),
				f.active(columns))
		}
	}
	return nil
}

// active returns the names of the columns that the kernel reads, in parentheses; "" if the names are unknown.
func (f form) active(columns []string) string {
	if columns == nil {
		return ""
	}
	names := lists.Make(f.dims.count(len(columns)), func(c int) string { return columns[f.dims.at(c)] })
	return " (" + listing(names) + ")"
}

// bind resolves column names to indices, validates the parameters, and returns the resolved columns.
func (f form) bind(p *Points) (Dims, error) {
	d, err := f.dims.resolve(f.Name, p.Columns)
	if err != nil {
		return d, err
	}
	f.dims = &d
	return d, f.validate(p.Dim(), p.Columns)
}

// number prints the shortest decimal that parses to the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// numberOrList prints one value as a number, and several as a list.
func numberOrList(values []float64) string {
	if len(values) == 1 {
		return number(values[0])
	}
	return list(values)
}

func list(values []float64) string {
	texts := lists.Map(values, number)
	return "[" + strings.Join(texts, ", ") + "]"
}

func quoted(names []string) string {
	texts := lists.Map(names, Quote)
	return "[" + strings.Join(texts, ", ") + "]"
}
