package kernels

// rough is a kernel whose functions need not be twice differentiable.
type rough interface {
	// smooth returns a kernel of the same columns and length scales whose functions are; false where
	// those of this one are already.
	smooth() (Kernel, bool)
}

// Smoother returns the kernel with a smooth one of the same length scales in place of each kernel
// whose functions are not twice differentiable, and without its terms that tell any two arms
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
	case rough:
		return k.smooth()
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
