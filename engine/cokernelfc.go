package engine

// CoKernelFC is [Du23, Alg. 1]: fixed confidence, by elimination in rounds on an
// allocation that is optimal for the open pairs of all tasks together.
type CoKernelFC struct{ *elimination }

var _ Algorithm = CoKernelFC{}

// NewCoKernelFC prepares Algorithm 1 on a model [Du23, Alg. 1, l. 1-2].
func NewCoKernelFC(m *Model, opt Options) (CoKernelFC, error) {
	e, err := newElimination(m, opt, joint{})
	return CoKernelFC{e}, err
}

// joint is the method of Alg. 1 itself.
type joint struct{}

// confidence gives round r the share δ_r = δ/2r² [Du23, Alg. 1, l. 2].
func (joint) confidence(e *elimination) (s int, deltaR float64) {
	r := e.round + 1
	return r, e.opt.Delta / (2 * float64(r) * float64(r))
}

// allocate is the minimax design over all tasks [Du23, Alg. 1, l. 4-6].
func (joint) allocate(e *elimination, samples func(rho float64) (int, error)) (*stage, error) {
	return e.spread(shared(), samples)
}

// cut is line 14 as it is.
func (joint) cut(e *elimination, v int) { e.eliminate(v) }
