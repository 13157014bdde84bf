package engine

// ArmEstimates is what an algorithm makes of every arm, N of each, reward units.
type ArmEstimates struct {
	Mean []float64 // NaN where the data say nothing of an arm
	// half of the length of a 95 % interval around Mean, of each arm by itself: the pulls are taken for
	// fixed beforehand, and no answer rests on it
	Half []float64
	// whether the interval is one of a posterior; else it is a confidence interval of the noise, which
	// leaves out what the estimator is off on average
	Posterior bool
}

// An Estimating algorithm is an Algorithm that can say what it makes of every arm. What it says is for
// people and decides nothing.
type Estimating interface {
	// ArmEstimates returns what the data so far say; empty before any.
	ArmEstimates() ArmEstimates
}

// Estimates is what one run made of every arm, round by round.
type Estimates struct {
	Tasks     []string  // V names
	Arms      []string  // N names
	TaskOf    []int     // N: task of each arm
	Truth     []float64 // N expected rewards, nil where they are not known
	Posterior bool      // as ArmEstimates.Posterior
	// in the order of the run; of a very long one not every round, but the last
	Rounds []RoundEstimates
}

// RoundEstimates is Estimates after one round.
type RoundEstimates struct {
	Round      int       // from 1
	Mean, Half []float64 // N, as in ArmEstimates
}
