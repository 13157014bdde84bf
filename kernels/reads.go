package kernels

// Read says that a kernel of the catalogue, which may be part of another, reads a column.
type Read struct {
	Kernel string // as it is called in scripts
	Column int    // number of the column in the points
}

// Reads returns which parts of a kernel read which columns of points, in the order in which they
// are written. What formulas read, and what does not fit the points, is left out.
func Reads(k Kernel, p *Points) []Read {
	bound, err := Bind(k, p)
	if err != nil {
		return nil
	}
	return reads(bound, p.Dim())
}

func reads(k Kernel, dim int) []Read {
	var out []Read
	switch k := k.(type) {
	case Sum:
		for _, term := range k.Terms {
			out = append(out, reads(term, dim)...)
		}
	case Product:
		for _, factor := range k.Factors {
			out = append(out, reads(factor, dim)...)
		}
	case Scaled:
		return reads(k.Kernel, dim)
	case Power:
		return reads(k.Kernel, dim)
	case Open:
		return reads(k.Kernel, dim)
	case reader:
		f := k.form()
		for c := range f.dims.count(dim) {
			out = append(out, Read{f.name, f.dims.at(c)})
		}
	}
	return out
}
