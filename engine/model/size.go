package model

// The numbers of arms and of directions at which another form of a computation takes over. Regimes lists them.
const (
	// MaxRank is the largest feature dimension a Model keeps. Below it the features
	// are exact to rounding; past it they are truncated, and Truncation bounds what
	// was left out.
	MaxRank = 1024
	// MostLeastSquares is the largest rank up to which tests go by least squares of all tasks where nobody stated a norm.
	MostLeastSquares = 256
	// MostDesigned is the largest number of arms that say nothing of each other whose pulls are designed; the means of more
	// are compared in closed form.
	MostDesigned = 64
	// MostLearned is the number of arms up to which a kernel that is learned in the run goes by covariances of all arms.
	MostLearned = 512
	// MostTested is the largest rank up to which CoTestFB tests what is decided.
	MostTested = 100

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

// Regime is a size at which another form of a computation takes over.
type Regime struct {
	What   string // what is computed
	Most   int    // up to which size it is as Within says
	Of     string // what is counted: arms of all tasks, or directions: the rank of the kernel on them
	Within string
	Beyond string
	Why    string // what the number rests on
}

// Regimes returns the sizes that decide which form of a computation runs, which docs/architecture.md shows.
func Regimes() []Regime {
	const arms, directions = "arms", "directions"
	return []Regime{
		{"exact features", eagerArms, arms, "made with the model", "made when something needs them",
			"they take no time, and what is wrong with a kernel is said first"},
		{"exact features", MaxRank, directions, "exact to rounding", "cut, with a bound on what is left out", "memory"},
		{"norm of known rewards after a cut", exactNorm, arms, "from the whole Gram matrix", "from the features", "0.1 GB and some seconds"},
		{"CoTestFC without a norm", MostLeastSquares, directions, RegimeTogether, "each agent alone, or each arm by its own mean",
			"a design takes seconds"},
		{"CoTestFC on arms that say nothing of each other", MostDesigned, arms, "designs of each task", RegimeMeans,
			"a closed form takes a millisecond"},
		{"CoTestFB by the posterior", MostTested, directions, "tests what is decided", "decides nothing",
			"a test needs a pull for each direction in every round"},
		{"kernel learned in the run", MostLearned, arms, "covariances of all arms, 12 sets of numbers", "128 features, 2 sets of numbers",
			"time; arms that nothing relates have few features at any number"},
		{"posterior of CoBayesFC, CoKernelFB", mostOwn, arms, "in features of all arms", "on the arms pulled",
			"time; CoTestFB goes by the arms pulled at any size"},
		{"CoBayesFC within blocks", MostWithin, arms, "along the eigenvectors of the information from blocks", "refused",
			"time and memory of the eigenvectors"},
		{"part of arms by themselves, fixed budget", ownUntested, arms, "fitted, but for CoTestFB", "taken where a test asks for it",
			"each arm that is not pulled is then uncertain by itself"},
		{"posterior in features", mostDecomposed, directions, "by eigenvalues", "by a tridiagonal matrix", "time of a fit"},
		{"round 1 of CoBayesFC beyond 256 arms", spanningMost, arms, "as many pivots as leave 5e-4", "no more",
			"mistakes against samples, see measured/many-arms.md"},
		{"designs under a ridge", fewArms, arms, "all arms and pairs in exact features",
			"by exchange where the rank is larger than the next number", "time"},
		{"designs under a ridge", fewDirections, directions, "all arms and pairs in exact features", "by exchange", "time"},
		{"ρ*", exactHardness, arms, "in exact features", "in fewer directions", "seconds"},
		{"posterior of unrelated arms", mostUnrelated, arms, "each arm and the level, by a formula", "as of related ones",
			"N² values of the kernel"},
		{"warnings on unrelated arms", comparedArms, arms, "all pairs are compared", "by rank alone", "N² values of the kernel"},
	}
}
