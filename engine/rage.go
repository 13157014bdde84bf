package engine

// NewIndRAGE is RAGE [Fiez19, Alg. 1] run by each agent on its own task at
// confidence δ/V, so that all answers hold together with probability 1 - δ: rounds
// of a minimax design over the open pairs, least squares on the round's data alone,
// elimination by estimated gaps. That is Alg. 1 of the paper for one agent at ξ = 0,
// whatever ξ the options name: RAGE has no regularisation. It has the schedules of
// CoKernelFC, so that the two differ in what agents share and in nothing else.
func NewIndRAGE(m *Model, opt Options) (Algorithm, error) {
	opt.Ridge = Ridge{Kind: RidgeValue}
	return newIndividualFC(m, opt, func() method { return joint{} })
}
