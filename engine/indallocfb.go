package engine

// NewCoKernelFBIndAlloc is the ablation of Alg. 2 that samples by locally optimal
// allocations [Du23, App. A, CoKernelFB-IndAlloc]: agents pool their data in the
// kernelised estimator and halve the dimension as in Alg. 2, but each pulls by the
// allocation that is optimal for its own candidates' pairs under its own arms alone.
// The tasks with several candidates share a round's pulls equally.
func NewCoKernelFBIndAlloc(m *Model, opt Options) (Algorithm, error) {
	return newHalving(m, opt, localDimension{})
}

// localDimension is the halving of Alg. 2 with the allocation of each agent its own.
type localDimension struct{ dimension }

func (localDimension) allocate(m *Model, ridge float64, alive [][]int, n int) (*stage, bool, error) {
	return m.exactly(separate(), ridge, alive, n)
}

func (localDimension) theorem() string { return "" }
