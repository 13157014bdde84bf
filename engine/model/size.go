package model

// The numbers of arms and of directions at which another form of a computation takes over, as regimes.md shows them.
const (
	// MaxRank is the largest feature dimension a Model keeps. Below it the features
	// are exact to rounding; past it they are truncated, and Truncation bounds what
	// was left out.
	MaxRank = 1024
	// MostLeastSquares is the largest rank up to which tests use least squares of all tasks where nobody stated a norm.
	MostLeastSquares = 256
	// MostDesigned is the largest number of arms that say nothing of each other whose pulls are designed; the means of more
	// are compared in closed form.
	MostDesigned = 64
	// MostLearned is the number of arms up to which a kernel that is learned in the run uses covariances of all arms.
	MostLearned = 512
	// MostTested is the largest rank up to which CoBayesFB tests what is decided.
	MostTested = 100
	// MostOneLeader is the largest number of arms of a task at which one of them leads under a bound on the norm.
	MostOneLeader = 40

	// MostWithin is the largest number of arms whose posterior is formed within blocks.
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
	mostInTree     = 8192
)

// The forms of a computation, as results name them: of CoTestFC and its kind first, then of posteriors, then of least squares.
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
