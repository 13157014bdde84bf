package kernels

import (
	"fmt"
	"maps"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Open is a catalogue kernel with some parameters that are free hyperparameters. Eval and Row use their present values.
// Entry.Build returns an Open if it gets Free arguments.
type Open struct {
	Kernel Kernel // the kernel at the present values
	Slots  []Slot // free hyperparameters, at least one
}

// Slot identifies a free hyperparameter of a kernel.
type Slot struct {
	Param string // name of the parameter
	Index int    // index in the parameter's list of numbers, from 0
	Free  Free
}

// Eval returns k(x, y).
func (k Open) Eval(x, y Point) float64 { return k.Kernel.Eval(x, y) }

// Row sets dst[j] = k(x, ys[from+j]).
func (k Open) Row(dst []float64, x Point, ys *Points, from int) { k.Kernel.Row(dst, x, ys, from) }

// Validate checks the kernel.
func (k Open) Validate(dim int) error { return k.Kernel.Validate(dim) }

// String prints the call that constructs k, with free hyperparameters as free(...).
func (k Open) String() string {
	f := formOf(k.Kernel)
	if f.Entry == nil {
		return k.Kernel.String()
	}
	for i, v := range f.values {
		texts := lists.Map(v.numbers, number)
		for _, s := range k.Slots {
			if s.Param != v.param.Name {
				continue
			}
			for len(texts) <= s.Index { // a parameter of value 0 has no numbers yet
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

// open returns the arguments with each Free replaced by its value, and a slot for each Free that is not Fixed.
func (a Args) open(kernel string, params []Param) (Args, []Slot, error) {
	plain := maps.Clone(a)
	var slots []Slot
	for _, p := range params {
		var found []Free
		switch v := a[p.Name].(type) {
		case Free:
			found, plain[p.Name] = []Free{v}, v.Value
		case []Free:
			found, plain[p.Name] = v, lists.Map(v, func(f Free) float64 { return f.Value })
		}
		for i, f := range found {
			if f.Fixed() {
				continue
			}
			if err := f.check(kernel, p); err != nil {
				return nil, nil, err
			}
			slots = append(slots, Slot{p.Name, i, f})
		}
	}
	return plain, slots, nil
}

// given returns the arguments from which Build constructs the same kernel.
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
		columns := lists.Map(f.dims.Index, func(c int) float64 { return float64(c) })
		a["dims"] = columns
	}
	return a
}

// at returns the kernel with each free hyperparameter replaced by the result of set. place is the start of
// Parameter.Where.
func (k Open) at(set setting, place string) (Kernel, error) {
	f := formOf(k.Kernel)
	if f.Entry == nil {
		return nil, fmt.Errorf("%s is not in the catalogue", k.Kernel)
	}
	args := f.given()
	for _, s := range k.Slots {
		param := f.param(s.Param)
		where := place + f.Name + " " + s.Param
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
			all = lists.Map(list, settled)
			all[s.Index], args[s.Param] = f, all
		default:
			args[s.Param] = f
		}
	}
	return f.Build(args)
}

func (e *Entry) param(name string) Param {
	p, _ := lists.First(e.Params, func(p Param) bool { return p.Name == name })
	return p
}
