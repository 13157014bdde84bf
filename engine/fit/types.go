package fit

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// What the constant level of rewards is of, which the kernel need not explain.
const (
	MeanProblem = "problem" // one level for all arms; the default
	MeanTask    = "task"    // one level for each task
	MeanNone    = "none"    // rewards are around 0 but for the kernel, as the algorithms take them
)

// Options of Of; the zero value fits with the problem's own noise and one level.
type Options struct {
	Kernel kernels.Joint // no terms: the problem's
	Mean   string        // "" means MeanProblem
	// scale σ of one reward, reward units: known when Fixed, else fitted; nil: the problem's scales
	Noise  *kernels.Free
	Starts int // how many searches; 0 means 4
	// told how often the likelihood was evaluated so far, each time; may be nil
	Progress func(evaluations int)
}

// Fit is a kernel with its numbers found, and what is known of it.
type Fit struct {
	// Kernel has plain numbers, and the level as a separate term, since algorithms have none: a
	// constant, or c*task(identity()). Problems take it as it is.
	Kernel kernels.Joint `json:"-"`

	Problem string `json:"problem"`
	Goal    string `json:"goal,omitempty"` // "min" where lower rewards are better
	// what the table of the problem calls tasks, arms and rewards
	Words        problem.Words `json:"columns,omitzero"`
	Tasks        int           `json:"tasks"`
	Arms         int           `json:"arms"`         // n, arms of all tasks together: what is fitted to
	Measurements float64       `json:"measurements"` // Σ n_i
	// degrees of freedom within arms; 0 where the data have none
	Replicates float64 `json:"replicates"`

	Start      string `json:"start"`      // the kernel as it was given
	Expression string `json:"expression"` // the kernel fitted, without the level
	Usable     string `json:"usable"`     // Kernel

	Mean   string    `json:"mean"`
	Levels []float64 `json:"levels,omitempty"` // reward units
	Noise  string    `json:"noise"`            // where the noise is from, in words

	LogLikelihoodStart float64 `json:"log_likelihood_start"` // nats
	LogLikelihood      float64 `json:"log_likelihood"`       // never below that at the start
	// arms along which the covariance of many was factored, and how much larger the log likelihood may
	// be than the one stated, which is a lower bound then, nats; both 0 where it was factored as it is
	Inducing int     `json:"inducing_arms,omitempty"`
	Lost     float64 `json:"log_likelihood_lost,omitempty"`
	// largest derivative by a number on its scale, nats; numbers at a limit are left out
	GradientNorm float64 `json:"gradient_norm"`
	Condition    float64 `json:"condition"` // of the covariance of the data
	// tr K(K+N)⁻¹: how many arms' worth the kernel adapts to
	Effective   float64 `json:"effective_parameters"`
	Evaluations int     `json:"evaluations"`

	Parameters []Parameter `json:"parameters"`

	CrossValidation CrossValidation  `json:"cross_validation"`
	Misfit          Misfit           `json:"misfit"`
	Sharing         Sharing          `json:"sharing"`
	Warnings        []engine.Warning `json:"warnings,omitempty"`
}

// Parameter is a number that was free.
type Parameter struct {
	Name  string  `json:"name"` // its name, or its place in the kernel
	Start float64 `json:"start"`
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// CI95 follows from the curvature of the likelihood on the number's scale; both ends are 0
	// without one: at a limit, and where the data do not determine the number.
	CI95          [2]float64 `json:"ci95"`
	StandardError float64    `json:"standard_error"` // on its scale: relative for a logarithmic one
	Logarithmic   bool       `json:"logarithmic"`
	Limit         string     `json:"limit,omitempty"` // "min" or "max" where it ended there
}

// CrossValidation says how well each arm is predicted from all others, the kernel
// staying as it is.
type CrossValidation struct {
	Arms  int     `json:"arms"`  // predicted; the only arm of a level is not
	Error float64 `json:"error"` // root mean square, reward units
	// the same when predicting by the mean of the task's other arms
	Without    float64 `json:"without"`
	LogDensity float64 `json:"log_density"` // mean log predictive density, nats
	Coverage   float64 `json:"coverage"`    // share of arms within their 95 % interval
}

// Misfit is the test for lack of fit: the means against the kernel, where it says less
// than noise does.
type Misfit struct {
	Test   string `json:"test"`             // "F", "chi-square" or "" without a test
	Reason string `json:"reason,omitempty"` // why no test was made
	// mean square of the directions over that of pure error, 1 on average when the kernel fits
	Statistic float64    `json:"statistic"`
	Freedom   [2]float64 `json:"freedom"` // degrees; the second is 0 for chi-square
	PValue    float64    `json:"p_value"` // of a statistic at least this large
	// exact for a kernel and variance ratios known beforehand
	Exact bool `json:"exact"`
	// g of + g*identity() with the largest likelihood, reward units squared
	Nugget float64 `json:"nugget"`
	// log likelihood that it adds, the other numbers fitted again
	Gain float64 `json:"gain"`
	// of a gain at least this large where g = 0: half of a χ²_1 tail at twice the gain
	GainP float64 `json:"gain_p_value"`
	// "+ g*identity()" where one of the two p-values is below 5 %
	Remedy    string     `json:"remedy,omitempty"`
	Mended    string     `json:"mended,omitempty"`    // the kernel with that term, fitted
	Residuals []Residual `json:"residuals,omitempty"` // largest first
}

// Residual measures how far an arm is from what the others predict.
type Residual struct {
	Task         string  `json:"task"`
	Arm          string  `json:"arm"`
	Mean         float64 `json:"mean"`         // measured, reward units
	Predicted    float64 `json:"predicted"`    // from all other arms
	Standardised float64 `json:"standardised"` // difference over its standard deviation
}

// Verdicts on sharing.
const (
	SharingHelps   = "helps"
	SharingHurts   = "hurts"
	SharingUnclear = "unclear"
	SharingNone    = "" // one task, or a kernel without differences between arms
)

// Sharing says how alike the tasks are under the fitted kernel, and what that is worth.
type Sharing struct {
	Names []string `json:"names,omitempty"`
	// V × V: correlation of the arms' effects, the tasks' levels taken off
	Alike [][]float64 `json:"alike,omitempty"`

	// standard deviation of an arm's effect in a task, reward units
	Signal  float64 `json:"signal"`
	Noise   float64 `json:"noise"`   // standard deviation of a mean of the pilot, reward units
	Speedup float64 `json:"speedup"` // predicted, between 1 and V
	Rank    float64 `json:"rank"`    // V / Speedup
	// the speedup predicted for single measurements in place of the pilot's means
	Single float64 `json:"single"`

	// the kernel under which tasks share nothing, fitted to the same data
	Separate           string  `json:"separate"`
	SeparateLikelihood float64 `json:"separate_likelihood"` // nats
	// difference of log likelihoods less that of the counts of free numbers (half the difference of
	// AIC)
	Support float64 `json:"support"`
	Verdict string  `json:"verdict"`

	Measured *Measured `json:"measured,omitempty"` // nil unless asked for
}
