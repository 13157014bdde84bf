package kernels

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// form holds what a primitive kernel says about itself once, for printing and for checking: its
// name, the values of its parameters, the columns it reads.
type form struct {
	name   string
	values []value
	dims   *Dims // nil for a kernel that reads no columns
}

// value is a parameter with what it is set to; no numbers when left at its default.
type value struct {
	param   Param
	numbers []float64
	bare    bool   // printed without its name
	text    string // printed in place of the numbers, for free ones
}

// scalar returns the value of a parameter whose zero means the default.
func scalar(p Param, v float64) value {
	if v == 0 {
		return value{param: p}
	}
	return value{param: p, numbers: []float64{v}}
}

// String prints the call; a parameter left at its default is not printed.
func (f form) String() string {
	var args []string
	for _, v := range f.values {
		text := cmp.Or(v.text, numberOrList(v.numbers))
		switch {
		case len(v.numbers) == 0 && v.text == "":
		case v.bare:
			args = append(args, text)
		default:
			args = append(args, v.param.Name+"="+text)
		}
	}
	if f.dims != nil && f.dims.count(0) > 0 {
		args = append(args, "dims="+f.dims.String())
	}
	return f.name + "(" + strings.Join(args, ", ") + ")"
}

// validate checks the parameters for a space of dim columns; columns are their
// names for messages, nil where only the number is known.
func (f form) validate(dim int, columns []string) error {
	want := 0
	if f.dims != nil {
		if err := f.dims.check(f.name, dim); err != nil {
			return err
		}
		if want = f.dims.count(dim); want == 0 {
			return fmt.Errorf("%s: compares features, but there are no feature columns", f.name)
		}
	}
	for _, v := range f.values {
		for i, number := range v.numbers {
			if err := v.param.check(f.name, number, i, len(v.numbers)); err != nil {
				return err
			}
		}
		if n := len(v.numbers); n > 1 && n != want {
			return wrong(f.name, v.param.Name, "has %d values for %s%s; give one value, or one per column", n, sentence.Count(want, "column"),
				f.active(columns))
		}
	}
	return nil
}

// active lists the columns that are read, in parentheses, where they have names.
func (f form) active(columns []string) string {
	if columns == nil {
		return ""
	}
	names := lists.Make(f.dims.count(len(columns)), func(c int) string { return columns[f.dims.at(c)] })
	return " (" + listing(names) + ")"
}

// bind resolves the columns that are given by name, and validates.
func (f form) bind(p *Points) (Dims, error) {
	d, err := f.dims.resolve(f.name, p.Columns)
	if err != nil {
		return d, err
	}
	f.dims = &d
	return d, f.validate(p.Dim(), p.Columns)
}

// number prints the shortest decimal that reads back as the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// numberOrList prints one value as a number and several as a list.
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
