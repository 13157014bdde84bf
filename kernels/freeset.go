package kernels

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Parameter is a free hyperparameter of a kernel, with explicit limits.
type Parameter struct {
	Free
	// where the number occurs, such as "arm rbf lengthscale"; if it occurs several times, the first place
	Where string
}

// Label returns the name of the number, or Where if it has no name.
func (p Parameter) Label() string { return cmp.Or(p.Name, p.Where) }

// setting returns the new value of a free hyperparameter. p has explicit limits; written has the limits as the user stated
// them. If the result is Fixed, it becomes a plain number.
type setting func(p Parameter, written Free) Free

// Free returns the free hyperparameters of the kernel in order of appearance; each name occurs once. It returns an error
// if two numbers with the same name differ in value. If their limits differ, the result has the limits that satisfy both.
func (j Joint) Free() ([]Parameter, error) {
	var found []Parameter
	var mistake error
	_, err := j.each(func(p Parameter, written Free) Free {
		at := slices.IndexFunc(found, func(q Parameter) bool { return p.Name != "" && q.Name == p.Name })
		switch {
		case at < 0:
			found = append(found, p)
		case found[at].Value != p.Value:
			mistake = fmt.Errorf("the free hyperparameter %s has two definitions, %s and %s. Give them different names", p.Name,
				found[at].Free, p.Free)
		default: // combine default limits that the ranges of two parameters narrowed differently
			found[at].Min, found[at].Max = max(found[at].Min, p.Min), min(found[at].Max, p.Max)
		}
		return written
	})
	err = cmp.Or(err, mistake)
	return found, err
}

// With returns the kernel with new values for its free hyperparameters, in the order of Free. They stay free, with the
// same limits. It panics if the number of values is wrong.
func (j Joint) With(values []float64) (Joint, error) {
	free, err := j.Free()
	if err != nil {
		return j, err
	}
	if len(free) != len(values) {
		panic("kernels: With wants one value for each free hyperparameter")
	}
	next := 0
	return j.each(func(p Parameter, written Free) Free {
		at := slices.IndexFunc(free, func(q Parameter) bool { return p.Name != "" && q.Name == p.Name })
		if p.Name == "" {
			for free[next].Name != "" {
				next++
			}
			at, next = next, next+1
		}
		f := p.Free // p.Free has explicit limits, so that they do not move with the value
		f.Name, f.Value = written.Name, values[at]
		return f
	})
}

// Settled returns the kernel with each free hyperparameter replaced by its value as a plain number.
func (j Joint) Settled() (Joint, error) {
	out, err := j.each(func(_ Parameter, f Free) Free { return settled(f.Value) })
	if err != nil {
		return j, err
	}
	for i, t := range out.Terms {
		out.Terms[i].Scale = readable(t.Scale)
	}
	return out, nil
}

// readable removes the rounding error of a product of two decimal numbers, so that it prints as 3.8616, not
// 3.8615999999999997.
func readable(v float64) float64 {
	if r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64); math.Abs(r-v) <= 1e-15*math.Abs(v) {
		return r
	}
	return v
}

func settled(v float64) Free { return Free{Value: v, Min: v, Max: v} }

// each returns the kernel with every free hyperparameter replaced by the result of set.
func (j Joint) each(set setting) (Joint, error) {
	out := Joint{Fitted: j.Fitted}
	for i, t := range j.Terms {
		place := ""
		if len(j.Terms) > 1 {
			place = fmt.Sprintf("term %d: ", i+1)
		}
		made, err := t.each(func(space string, k Kernel) (Kernel, error) { return each(k, set, place, space+" ") })
		if err != nil {
			return j, err
		}
		out = AddJoint(out, Joint{Terms: []Term{made.normal()}})
	}
	return out, nil
}

// each returns one kernel with every free hyperparameter replaced by the result of set. It rebuilds sums and products by
// Add and Mul, because these merge plain numbers.
func each(k Kernel, set setting, place, side string) (Kernel, error) {
	switch k := k.(type) {
	case Free:
		f := set(Parameter{k.within(NonNegative), place + "scale"}, k)
		if f.Fixed() {
			return Constant{f.Value}, nil
		}
		return f, f.Validate(0)
	case Open:
		return k.at(set, place+side)
	case Formula:
		return k.each(set, place+side), nil
	}
	parts, err := lists.Try(len(Parts(k)), func(i int) (Kernel, error) {
		if _, sum := k.(Sum); sum {
			return each(Parts(k)[i], set, place+side+fmt.Sprintf("part %d: ", i+1), "")
		}
		return each(Parts(k)[i], set, place, side)
	})
	if err != nil {
		return nil, err
	}
	switch k := k.(type) {
	case Sum:
		return combined(parts, Add), nil
	case Product:
		return combined(parts, Mul), nil
	case Scaled:
		return Scale(k.Scale, parts[0])
	case Power:
		return Pow(parts[0], k.Exponent)
	}
	return k, nil
}

// combined merges parts by combine, from left to right. There must be at least one part.
func combined[K any](parts []K, combine func(a, b K) K) K {
	all := parts[0]
	for _, part := range parts[1:] {
		all = combine(all, part)
	}
	return all
}

// each returns the formula with every free hyperparameter replaced by the result of set.
func (k Formula) each(set setting, place string) Kernel {
	if k.At == nil {
		return k
	}
	var free []Free
	take := func(f Free, name string) {
		listed := f
		listed.Min, listed.Max = f.Limits()
		free = append(free, set(Parameter{listed, place + k.Name + " " + name}, f))
	}
	for _, f := range k.Free {
		take(f, f.Name)
	}
	for _, a := range k.Args {
		if !a.Fixed() {
			take(a.Free, a.Param)
		}
	}
	if len(free) == 0 {
		return k
	}
	return k.At(free)
}

// anonymous reports whether a free hyperparameter of the kernel has no name. Copies of such a kernel would not share its
// value. It also returns true if the kernel is invalid.
func (j Joint) anonymous() bool {
	found := false
	_, err := j.each(func(p Parameter, f Free) Free {
		found = found || p.Name == ""
		return f
	})
	return found || err != nil
}

// pull splits a product into its Free factors and the product of the others; rest is nil if there are no others.
func pull(k Kernel) (free []Kernel, rest Kernel) {
	if k == nil {
		return nil, nil
	}
	for _, f := range factors(k) {
		switch _, isFree := f.(Free); {
		case isFree:
			free = append(free, f)
		case rest == nil:
			rest = f
		default:
			rest = Product{append(slices.Clip(factors(rest)), f)}
		}
	}
	return free, rest
}
