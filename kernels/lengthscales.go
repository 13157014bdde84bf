package kernels

import "github.com/gonb-cope/gonb-cope/internal/base/lists"

// falling is a kernel whose value falls with the distance in one length scale a column.
type falling interface {
	Kernel
	lengthscales() []float64 // ℓ as the kernel has them: one for all columns, or one per column read; none means 1
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
