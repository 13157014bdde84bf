package kernels

import "github.com/gonb-cope/gonb-cope/internal/base/lists"

// ColumnScale is a length scale of a kernel and the column that it is for.
type ColumnScale struct {
	Kernel string  // as it is called in scripts
	Column int     // number of the column in the points
	Scale  float64 // ℓ, in units of the column
}

// falling is a kernel whose value falls with the distance in one length scale a column.
type falling interface {
	Kernel
	lengthscales() []float64 // ℓ as the kernel has them: one for all columns, or one per column read; none means 1
}

// ColumnScales returns the length scales by which a kernel compares the columns of points, of the
// kernels whose value falls with the distance, wherever they stand in sums and products. Free numbers are
// left out, since they are still to be found, and so is
// what does not fit the points.
func ColumnScales(k Kernel, p *Points) []ColumnScale {
	bound, err := Bind(k, p)
	if err != nil {
		return nil
	}
	return columnScales(bound, p.Dim())
}

func columnScales(k Kernel, dim int) []ColumnScale {
	if k, falls := k.(falling); falls {
		f, scales := formOf(k), k.lengthscales()
		return lists.Make(f.dims.count(dim), func(c int) ColumnScale { return ColumnScale{f.Name, f.dims.at(c), perColumn(scales, c)} })
	}
	return lists.Flat(Parts(k), func(part Kernel) []ColumnScale { return columnScales(part, dim) })
}

// rough is a kernel whose functions need not be twice differentiable.
type rough interface {
	// smooth returns a kernel of the same columns and length scales whose functions are smooth; false where
	// this one's functions are already.
	smooth() (Kernel, bool)
}

// smoother returns what Joint.Smoother makes of one factor; nil stays nil.
func smoother(k Kernel) (Kernel, bool) {
	if k, is := k.(rough); is {
		return k.smooth()
	}
	changed := false
	parts := lists.Map(Parts(k), func(part Kernel) Kernel {
		smooth, other := smoother(part)
		changed = changed || other
		return smooth
	})
	return rebuilt(k, parts), changed
}
