package engine

// ArmEstimates holds the estimates of an algorithm of every arm, N of each, reward units.
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

// A Recalling algorithm can say later what it makes of some arms now, which with many arms is much
// less work than to say it of all of them after every round.
type Recalling interface {
	Estimating
	// Recall returns what ArmEstimates would of some arms, which rise, NaN of others; and the latest
	// estimates of all arms, of each from when it was last compared with others, by which to choose some.
	// Both are nil before any data. The function is to be called before the algorithm's context ends.
	Recall() (later func(arms []int) ArmEstimates, latest []float64)
}

// Estimates holds the estimates of one run of every arm, round by round. Of very many arms it has some: those of
// each task whose last estimates are best, and NaN of others.
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
