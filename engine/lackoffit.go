package engine

// LackLevel is the probability, over all rounds of a run, that a kernel which can
// represent the rewards is said not to fit. Round r is tested at LackLevel/(r(r+1)),
// and these add up to LackLevel without knowing how many rounds there will be.
const LackLevel = 0.01

// LackOfFit is the evidence of a run against its kernel: the arms' means differ
// from the closest function of the kernel's space by more than their pure error does.
type LackOfFit struct {
	Round  int // in which the test rejected first
	PValue float64
	Level  float64 // that PValue is below
	// g of + g*identity(), reward units squared: what explains the excess; by moments
	// [DerSimonian and Kacker 2007]
	Nugget float64
	Worst  []Residual
	Alike  *AlikeArms // that explain most of it; nil where none do
	Robust bool       // whether the run estimates this and allows for it
	Scales bool       // whether it rests on noise scales that the problem states
}

// Residual is an arm that the kernel misses.
type Residual struct {
	Task, Arm    string
	Off          float64 // mean less the closest function of the kernel's space, reward units
	Standardised float64 // Off over its standard deviation
}

// AlikeArms are two arms of a task that have the same features, or nearly, and not the same rewards.
type AlikeArms struct {
	Task, Arm, Other string
	Off              float64 // mean of Other less that of Arm, reward units
	Standardised     float64 // Off over its standard error
}

// A KernelReliant is an Algorithm whose answers rely on a kernel that can represent the rewards.
type KernelReliant interface {
	// FitCheck returns the test of that kernel for one run; nil where no data would speak against
	// it.
	FitCheck() FitCheck
}

// A FitCheck tests a kernel on the data of a run.
type FitCheck interface {
	// Learn takes a round in. It returns the p-value of all data so far, nil where they leave
	// nothing to test, and what speaks against the kernel since the first round that rejected it.
	Learn(round int, b Batch) (p *float64, found *LackOfFit)
}
