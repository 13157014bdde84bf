package model

// The numbers of arms and directions at which the method of a computation changes. regimes.md lists them.
const (
	// MaxRank is the largest number of features of a Model. Kernels of smaller rank have features that are exact up to
	// rounding. For others the features are truncated, and Truncation bounds the omitted part.
	MaxRank = 1024
	// MostLeastSquares is the largest rank for which tests without a stated norm use least squares over all tasks.
	MostLeastSquares = 256
	// MostDesigned is the largest number of unrelated arms for which the allocation is computed as a design. For more
	// arms, means are compared in closed form.
	MostDesigned = 64
	// MostLearned is the largest number of arms for which a kernel learned in the run uses covariances of all arms.
	MostLearned = 512
	// MostTested is the largest rank for which CoBayesFB tests its decisions.
	MostTested = 100
	// MostOneLeader is the largest number of arms of a task for which a test with a bound on the norm has a single leader.
	MostOneLeader = 40

	// MostWithin is the largest number of arms of a posterior within blocks.
	MostWithin = 256

	eagerArms      = 256
	exactNorm      = 3000
	mostOwn        = 256
	ownUntested    = 256
	mostDecomposed = 64
	spanningMost   = 256
	fewArms        = 200
	countedRank    = 128
	fewDirections  = countedRank - 1
	exactHardness  = 464
	comparedArms   = 400
	mostUnrelated  = 20000
	mostGrouped    = 64
	mostShared     = 256
)

// The methods of a computation, as results name them: first CoTestFC and its variants, then posteriors, then least
// squares.
const (
	RegimeTogether = "least squares of all tasks"
	RegimeAlone    = "each agent alone"
	RegimeMeans    = "each arm by its own mean"
	RegimeNorm     = "a bound on the norm"
	RegimeBlocks   = "within blocks"

	RegimeFormula         = "posterior of each arm and the level, by a formula"
	RegimePulled          = "posterior on the arms pulled"
	RegimeFeatures        = "posterior in features of all arms"
	RegimePosteriorBlocks = "posterior within blocks"

	RegimeLearned     = "posterior, the kernel learned in the run"
	RegimeLearnedMany = "posterior in 128 features, the kernel learned in the run"

	RegimeExact = "least squares in exact features"
	RegimeCut   = "least squares in features that were cut"
)
