package dsl

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// constants are the names that stand for numbers.
var constants = map[string]float64{"pi": math.Pi}

var (
	anyNumber  = kernels.Range{Min: math.Inf(-1), Max: math.Inf(1)}
	positive   = kernels.Range{Min: 0, MinOpen: true, Max: math.Inf(1), MaxOpen: true}
	fromZero   = kernels.Range{Min: 0, Max: math.Inf(1), MaxOpen: true}
	insideUnit = kernels.Range{Min: 0, MinOpen: true, Max: 1, MaxOpen: true}
)

// numberFunctions returns the functions of numbers and lists. Formulas have the same names for
// vectors.
func numberFunctions() []Function {
	var all []Function
	for _, f := range formula.Functions() {
		if apply := formula.Elementwise(f.Name); apply != nil {
			all = append(all, Function{
				Name: f.Name, Section: SectionNumbers, Doc: f.Doc,
				Params: []Param{{Name: "x", Types: []Type{Number, List}, Range: anyNumber, Doc: "a number or a list"}},
				Result: Number, Example: f.Name + "(1)", pure: true,
				eval: func(c *call) (any, error) { return c.e.each(c.node, c.args[0].value, apply), nil },
			})
		}
	}
	for _, f := range []struct {
		name, doc string
		f         func([]float64) float64
	}{
		{"min", "smallest", slices.Min[[]float64]},
		{"max", "largest", slices.Max[[]float64]},
		{"sum", "sum", total},
		{"mean", "mean", func(x []float64) float64 { return total(x) / float64(len(x)) }},
	} {
		all = append(all, Function{
			Name: f.name, Section: SectionNumbers, Doc: f.doc + " of the elements of a list, or of several numbers",
			Params:   []Param{{Name: "x", Types: []Type{Number, List}, Range: anyNumber, Doc: "a list, or the first of several numbers"}},
			Variadic: "further numbers", Result: Number, Example: f.name + "([1, 2, 3])", pure: true,
			eval: func(c *call) (any, error) { return c.reduce(f.f) },
		})
	}
	return all
}

// reduce applies f to the numbers of a list, or to several numbers.
func (c *call) reduce(f func([]float64) float64) (any, error) {
	list, ok := c.args[0].Data.([]value)
	if ok && len(c.rest) > 0 {
		return nil, fmt.Errorf("%s takes one list, or several numbers", c.fn.Name)
	}
	if !ok {
		list = append(list, c.args[0].value)
		for _, a := range c.rest {
			list = append(list, a.value)
		}
	}
	numbers, ok := every[float64](list)
	if !ok || len(numbers) == 0 {
		return nil, fmt.Errorf("%s needs numbers, at least one", c.fn.Name)
	}
	y := f(numbers)
	if math.IsInf(y, 0) || math.IsNaN(y) {
		return nil, fmt.Errorf("%s of these numbers is not finite", c.fn.Name)
	}
	return y, nil
}

func total(x []float64) float64 {
	y := 0.0
	for _, v := range x {
		y += v
	}
	return y
}
