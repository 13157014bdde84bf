package kernels

import "fmt"

// reader is a kernel that reads feature columns: every one that has Dims.
type reader interface {
	Kernel
	form() form
	with(Dims) Kernel // the same kernel, reading these columns
}

// Bind prepares a kernel for the points it is to compare: column names become
// column numbers, names in tables become points, and everything that depends on
// the number of columns is checked. Errors are in terms of the script language.
// Every function of this package that takes a kernel and points binds by itself.
func Bind(k Kernel, p *Points) (Kernel, error) {
	var err error
	switch k := k.(type) {
	case Sum:
		k.Terms, err = bindAll(k.Terms, p)
		return k, err
	case Product:
		k.Factors, err = bindAll(k.Factors, p)
		return k, err
	case Scaled:
		if k.Kernel, err = Bind(k.Kernel, p); err != nil {
			return nil, err
		}
		return k, k.Validate(p.Dim())
	case Power:
		if k.Kernel, err = Bind(k.Kernel, p); err != nil {
			return nil, err
		}
		return k, k.Validate(p.Dim())
	case Open:
		if k.Kernel, err = Bind(k.Kernel, p); err != nil {
			return nil, err
		}
		return k, nil
	case Formula:
		return k.bind(p)
	case Table:
		return k.bind(p)
	case reader:
		d, err := k.form().bind(p)
		return k.with(d), err
	case nil:
		return nil, fmt.Errorf("there is no kernel here")
	}
	return k, k.Validate(p.Dim())
}

func bindAll(ks []Kernel, p *Points) ([]Kernel, error) {
	bound := make([]Kernel, len(ks))
	for i, k := range ks {
		var err error
		if bound[i], err = Bind(k, p); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// unbind takes back from a primitive kernel what Bind added.
func unbind(k Kernel) Kernel {
	switch k := k.(type) {
	case Table:
		k.rows = nil
		return k
	case reader:
		return k.with(k.form().dims.unbind())
	}
	return k
}
