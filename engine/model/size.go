package model

// The numbers of arms and directions at which another form of a computation is used; regimes.md lists them.
const (
	// MaxRank is the largest feature dimension of a Model. Below it features are exact to rounding; beyond it they are truncated, and
	// Truncation bounds the omitted part.
	MaxRank = 1024
	// MostLeastSquares is the largest rank up to which tests without a stated norm use least squares over all tasks.
	MostLeastSquares = 256
	// MostDesigned is the largest number of unrelated arms whose pulls are designed; beyond it means are compared in closed form.
	MostDesigned = 64
	// MostLearned is the number of arms up to which a kernel learned in the run uses covariances of all arms.
	MostLearned = 512
	// MostTested is the largest rank up to which CoBayesFB tests its decisions.
	MostTested = 100
	// MostOneLeader is the largest number of arms of a task with a single leader under a bound on the norm.
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

// The forms of a computation, as results name them: CoTestFC and its variants, then posteriors, then least squares.
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
