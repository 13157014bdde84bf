package dsl

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// freeFunction makes a number that may be fitted.
func freeFunction() Function {
	return bound(Function{
		Name: "free", Section: SectionKernels, Synonyms: []string{"hyperparameter", "trainable", "tunable", "unknown"},
		Doc: "an unknown number, for fit: a parameter of a kernel, a factor or summand of kernels, or by its name in a formula; it has its start value until it is fitted",
		Params: []Param{
			{Name: "value", Synonyms: []string{"start", "initial"}, Range: fromZero, Doc: "where the search begins"},
			{Name: "min", Synonyms: []string{"lower", "low"}, Range: fromZero, Default: unset, Doc: "smallest value; a thousandth of the start when not given"},
			{Name: "max", Range: fromZero, Default: unset, Doc: "largest value; a thousand times the start when not given, as far as the parameter allows"},
			{Name: "name", Default: unset, Doc: "free numbers with the same name are one number; the name that it is bound to when not given"},
		},
		Result: Free, Example: "free(0.5, min=0.1, max=10)", pure: true,
	}, nil, evalFree)
}

// evalFree evaluates free(...).
func evalFree(_ *call, a struct {
	Value    float64
	Min, Max *float64
	Name     string
}) (any, error) {
	f := kernels.Free{Name: a.Name, Value: a.Value}
	if a.Min != nil || a.Max != nil {
		f.Min, f.Max = f.Limits()
	}
	if a.Min != nil {
		f.Min = *a.Min
	}
	if a.Max != nil {
		f.Max = *a.Max
	}
	return given(f, f.Validate(0))
}

// named gives a free number the name that it is bound to, unless it has one: the name
// stands for one number wherever it is used. A result has the name that it was bound to last, which
// tables and figures of several results show.
func named(v value, name string) value {
	switch data := v.Data.(type) {
	case kernels.Free:
		if data.Name == "" {
			data.Name = name
			v.Data = data
		}
	case engine.Result:
		data.Name = name
		v.Data = data
	case campaign.Protocol:
		if data.Name == "" {
			data.Name = name
			v.Data = data
		}
	}
	return v
}

// freeKernel takes a free number for the constant kernel that it is.
func freeKernel(v value) value {
	if v.Type == Free {
		v.Type = Kernel
	}
	return v
}

// freeNumbers makes one list of free and of plain numbers; false for anything else.
func freeNumbers(list []any) ([]kernels.Free, bool) {
	out := make([]kernels.Free, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case kernels.Free:
			out[i] = v
		case float64:
			out[i] = kernels.Free{Value: v, Min: v, Max: v}
		default:
			return nil, false
		}
	}
	return out, true
}
