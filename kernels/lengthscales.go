package kernels

import "github.com/gonb-cope/gonb-cope/internal/base/lists"

// falling is a kernel that decreases with the distance and has length scales.
type falling interface {
	Kernel
	lengthscales() []float64 // ℓ of each column that the kernel reads, or one ℓ for all of them; empty means 1
}

// rough is a kernel whose functions may not be twice differentiable.
type rough interface {
	// smooth returns a smooth kernel with the same columns and length scales; false if the functions are already smooth.
	smooth() (Kernel, bool)
}

// smoother is Joint.Smoother for one factor; for nil it returns nil.
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
