package kernels

// Smoother returns the kernel with an RBF of the same length scales in place of each Matérn kernel
// that is not twice differentiable (ν = 1/2 or 3/2), and without its terms that tell any two arms
// apart (identity() of arms) where others are left. It reports whether that differs from the kernel.
func (j Joint) Smoother() (Joint, bool) {
	out, changed := Joint{Fitted: j.Fitted}, false
	for _, t := range j.Terms {
		if _, alone := t.Arm.(Identity); alone {
			changed = true
			continue
		}
		var task, arm bool
		t.Task, task = smoother(t.Task)
		t.Arm, arm = smoother(t.Arm)
		changed = changed || task || arm
		out.Terms = append(out.Terms, t)
	}
	if len(out.Terms) == 0 || !changed {
		return j, false
	}
	return out, true
}

// smoother returns what Joint.Smoother makes of one factor; nil stays nil.
func smoother(k Kernel) (Kernel, bool) {
	all := func(ks []Kernel) ([]Kernel, bool) {
		out, changed := make([]Kernel, len(ks)), false
		for i, k := range ks {
			s, c := smoother(k)
			out[i], changed = s, changed || c
		}
		return out, changed
	}
	switch k := k.(type) {
	case Matern:
		if k.nu() > 2 {
			return k, false
		}
		return RBF{Lengthscale: k.Lengthscale, Dims: k.Dims}, true
	case Sum:
		terms, changed := all(k.Terms)
		return Sum{terms}, changed
	case Product:
		factors, changed := all(k.Factors)
		return Product{factors}, changed
	case Scaled:
		s, changed := smoother(k.Kernel)
		return Scaled{k.Scale, s}, changed
	case Power:
		s, changed := smoother(k.Kernel)
		return Power{s, k.Exponent}, changed
	}
	return k, false
}
