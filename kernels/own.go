package kernels

import "math"

// Own returns a variance that each arm of each task has by itself under a kernel, as its terms show it: that of identity() of tasks times
// identity() of arms, which of one task is that of arms. Where it is 0 the kernel may have full rank all the same.
func Own(j Joint, tasks int) float64 {
	sum := 0.0
	for _, t := range j.Terms {
		alone, everywhere := shown(t.Task)
		if tasks == 1 {
			alone += everywhere
		}
		own, _ := shown(t.Arm)
		sum += t.Scale * alone * own
	}
	return sum
}

// shown returns numbers a and c with which k - a·identity() - c is still a kernel, as its terms show.
func shown(k Kernel) (identity, constant float64) {
	switch k := k.(type) {
	case nil:
		return 0, 1
	case Identity:
		return 1, 0
	case Constant:
		return 0, k.Value
	case Scaled:
		identity, constant = shown(k.Kernel)
		return k.Scale * identity, k.Scale * constant
	case Power:
		identity, constant = shown(k.Kernel)
		whole, flat := math.Pow(identity+constant, float64(k.Exponent)), math.Pow(constant, float64(k.Exponent))
		return whole - flat, flat
	case Sum:
		for _, t := range k.Terms {
			a, c := shown(t)
			identity, constant = identity+a, constant+c
		}
		return identity, constant
	case Product:
		whole, flat := 1.0, 1.0
		for _, f := range k.Factors {
			a, c := shown(f)
			whole, flat = whole*(a+c), flat*c
		}
		return whole - flat, flat
	}
	return 0, 0
}
