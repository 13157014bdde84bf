package engine

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Schedules of elimination algorithms, which determine the pulls of a round and the elimination rule.
const (
	// SchedulePaper follows [Du23, Alg. 1] literally: a round has 32·4^r(1+ε)²ρ_r log(2n²V/δ_r) pulls and eliminates at an
	// estimated gap of 2^-r. Theorem 1 proves it.
	SchedulePaper = "paper"
	// ScheduleTuned makes 2·4^r(1+ε)ρ_r log(2n²V/δ_r) pulls and eliminates when the estimated gap reaches its own confidence
	// width. This is valid for any number of pulls, because the design of a round is fixed before its data.
	ScheduleTuned = "tuned"
)

// Thresholds of the generalised likelihood ratio test, for methods that choose one pull at a time.
const (
	// log(1/δ) + ½ log det(I + V/λ): proven for sub-Gaussian noise, by the method of mixtures
	ThresholdMixture = "mixture"
	// log((1 + log t)/δ) after t pulls: used in the experiments of most papers, without proof
	ThresholdHeuristic = "heuristic"
)

// RoundingEpsilon is ε of ROUND [Du23, Alg. 1, l. 1].
const RoundingEpsilon = 0.1

// Ways to choose the regularisation parameter ξ.
const (
	RidgeAuto  = "auto"  // the largest ξ that satisfies the condition of Theorem 1 (fc) or Theorem 2 (fb)
	RidgeGP    = "gp"    // Nξ = Unit² for a round of N pulls; the estimate is then a Gaussian-process posterior mean
	RidgeValue = "value" // the number in Ridge.Value
)

// Noise distributions that tests support.
const (
	LawNormal = "normal"
	// E exp(h·noise) ≤ exp(h²σ²/2) for all h. Rewards within bounds satisfy it, with σ half the width of the bounds
	LawSubGaussian = "subgaussian"
	// The difference of two arms within a block is distributed symmetrically around its mean. Only for arms measured in blocks
	// (problem.Block). It holds if the noise of all arms has the same distribution, of any shape
	LawSymmetric = "symmetric"
)

// How a method that computes a posterior uses the kernel of its problem.
const (
	KernelFixed = "fixed" // the kernel is the prior; at most its scale is fitted
	// the kernel is one component of a mixture prior; its weight, the other components and all hyperparameters are learned during
	// the run
	KernelMember = "member"
	KernelAuto   = "auto" // no kernel is stated; all components of the prior are learned during the run
)

// LearnsKernel reports whether methods that can learn the kernel during a run do so on p.
func (o Options) LearnsKernel(p *problem.Problem) bool {
	if o.KernelIs == "" {
		return p.KernelFound && !o.Level.Known && o.Scale == 0
	}
	return o.KernelIs != KernelFixed
}

// Ridge is the choice of the regularisation parameter ξ; the zero value is auto.
type Ridge struct {
	Kind  string
	Value float64 // ξ ≥ 0, normalised; used if Kind is RidgeValue
}

// Level is the prior mean of all rewards; the zero value means unknown.
type Level struct {
	Known bool
	Value float64 // reward units
}

// Options of an algorithm. The zero value of each field means the default that its comment states.
type Options struct {
	Delta float64 // error probability, in (0, 1); 0 means 0.05
	// PAC accuracy: an arm within Epsilon of the best is a correct answer; reward units; 0 means only the best arm is
	Epsilon float64
	Budget  int // T, pulls per agent; with a fixed budget, either it or Total is required
	Total   int // pulls summed over all agents, for a fixed budget; instead of Budget
	// For fixed-budget methods that plan again after each round: Rounds is the number of rounds (0: the method chooses), and the
	// pulls of each round are a multiple of Batch (0: any number). For methods that choose one pull at a time: Batch is the
	// number of pulls that they choose before they learn the rewards (0: 1).
	Rounds, Batch int
	// ThresholdMixture (default) or ThresholdHeuristic, for methods that choose one pull at a time
	Threshold string
	Schedule  string  // "tuned" (default) or "paper"
	Ridge     Ridge   // ξ
	Norm      float64 // upper bound on ‖θ*‖, normalised; 0 means the norm of the known expected rewards
	// lower bound on the smallest gap, in reward units; 0 means the gap of the known expected rewards
	Gap  float64
	Unit float64 // number of reward units in one normalised unit; 0 means the largest noise scale

	// prior mean of every reward, for methods that compute a posterior; if unknown, it has a flat prior [RW06, sec. 2.7]
	Level Level
	// signal variance, the factor on the kernel, in reward units²; for methods that compute a posterior. 0 means that it is
	// fitted to the data of the run by restricted likelihood, together with a term g*identity() for deviations from the kernel
	// (docs/theory/posterior.md)
	Scale float64

	// KernelFixed, KernelMember or KernelAuto, for CoBayesFB with a posterior; "" means KernelAuto if neither kernel, Level nor
	// Scale is stated, otherwise KernelFixed
	KernelIs string

	// noise distribution that tests assume: LawNormal, LawSubGaussian or LawSymmetric. "" means LawNormal for rewards without
	// bounds, and any distribution for rewards with bounds, see Bets
	Law string
	// misspecification bound: largest distance of any expected reward from a function of the kernel's space, in reward units; 0
	// means that the kernel represents all expected rewards
	Misfit float64

	// for CoTestFC: test all tasks together even if independent tests need no more samples; used in comparisons
	Together bool

	MaxRounds  int // 0 means 30
	MaxSamples int // summed over all agents; 0 means 10^12
}

// DefaultDelta is the error probability if none is stated.
const DefaultDelta = 0.05

// An Option describes a field of Options for scripts, commands and results. Name is the name of the field in snake case, such as
// max_rounds for MaxRounds.
type Option struct {
	Name     string
	Synonyms []string           // names in other tools; a script that uses one gets a hint
	Mode     string             // ModeFC or ModeFB if scripts can set it only in that mode; "" for both
	Range    kernels.Range      // allowed numbers
	Choices  []string           // allowed words
	Planned  string             // for RidgeGP in Choices: the message if fc is asked for it, because it needs pulls that are fixed in advance
	Of       Methods            // algorithms that have the option
	Default  string             // default as a script writes it; "" if it has no such default
	Held     bool               // whether Result has a numeric field for it
	Doc      string             // description; "" if scripts cannot set it
	At       func(*Options) any // returns a pointer to the field
}

// Methods is a set of algorithms that have an option in common.
type Methods int

const (
	// a new constant also needs a line in algorithms.Entry.Takes
	MethodsAll       Methods = iota
	MethodsSchedules         // elimination in rounds of a schedule
	// regularised least squares. Methods with a prior only choose between two estimators and do not accept a number
	MethodsRidge
	MethodsPlannedGap  // regularised least squares with fixed confidence
	MethodsNorm        // least-squares methods; with truncated features they need the norm
	MethodsPlanBudgets // fixed budget, with a prior
	MethodsTests       // tests of normal rewards, fixed confidence
	MethodsMisfit      // such tests by least squares; tests by sample means need no misspecification bound
	MethodsPosterior   // methods that compute a posterior
	MethodsOneByOne    // methods that choose one pull at a time
	MethodsThresholds  // methods that choose one pull at a time, fixed confidence
)

// AllOptions yields the options in the order of results.
func AllOptions() iter.Seq[Option] { return slices.Values(options) }

// OptionNamed returns the option with this name. It panics if there is none.
func OptionNamed(name string) Option {
	i := slices.IndexFunc(options, func(x Option) bool { return x.Name == name })
	if i < 0 {
		panic(fmt.Sprintf("engine: no option of algorithms is named %q", name))
	}
	return options[i]
}

var options = []Option{
	{Name: "delta", At: func(o *Options) any { return &o.Delta },
		Synonyms: []string{"confidence", "alpha"}, Range: kernels.InsideUnit, Default: "0.05", Held: true,
		Doc: "error probability"},
	{Name: "epsilon", At: func(o *Options) any { return &o.Epsilon },
		Synonyms: []string{"eps"}, Range: kernels.NonNegative, Default: "0", Held: true,
		Doc: "an arm this close to the best is good enough, in reward units"},
	{Name: "budget", At: func(o *Options) any { return &o.Budget },
		Synonyms: []string{"t", "horizon", "pulls"}, Mode: ModeFB, Range: kernels.Range{Min: 1, Max: 1e12}, Held: true,
		Doc: "pulls per agent, on average over the agents; the most of each agent in a campaign, and for CoBayesFB with its " +
			"posterior"},
	{Name: "schedule", At: func(o *Options) any { return &o.Schedule }, Of: MethodsSchedules,
		Mode: ModeFC, Choices: []string{ScheduleTuned, SchedulePaper}, Default: `"tuned"`, Held: true,
		Doc: "pulls per round: small constants, or the constants of [Du23, Alg. 1]"},
	{Name: "xi", At: func(o *Options) any { return &o.Ridge }, Of: MethodsRidge,
		Synonyms: []string{"ridge", "lambda", "regularization", "ξ"}, Range: kernels.NonNegative,
		Choices: []string{RidgeAuto, RidgeGP}, Default: `"auto"`, Planned: `"gp" is for fb, whose pulls are fixed beforehand`,
		Doc: `regularisation ξ: a number, or "auto", the largest that the theorems allow`},
	{Name: "level", At: func(o *Options) any { return &o.Level }, Of: MethodsPosterior,
		Synonyms: []string{"mean", "offset", "intercept"}, Range: kernels.AnyNumber, Choices: []string{"unknown"},
		Default: `"unknown"`,
		Doc: `prior mean of posterior methods: a constant for all tasks and arms, in reward units; "unknown" gives it a flat ` +
			`prior`},
	{Name: "scale", At: func(o *Options) any { return &o.Scale }, Of: MethodsPosterior,
		Synonyms: []string{"outputscale", "amplitude", "signal_variance"}, Range: kernels.Positive, Choices: []string{"fit"},
		Default: `"fit"`,
		Doc: `signal variance of posterior methods: a factor on the kernel; "fit" fits it to the data of the run after each ` +
			`round, together with a nugget g*identity()`},
	{Name: "kernel_is", At: func(o *Options) any { return &o.KernelIs }, Of: MethodsPlanBudgets,
		Synonyms: []string{"trust_kernel", "kernel_role"}, Mode: ModeFB,
		Choices: []string{KernelFixed, KernelMember, KernelAuto},
		Doc: `role of the kernel in a posterior: "fixed", it is the prior, up to its scale; "member", a mixture component ` +
			`beside kernels that are learned in the run; "auto", all are learned; by default "auto" if the problem has ` +
			`kernel="auto", and else "fixed"`},
	{Name: "law", At: func(o *Options) any { return &o.Law }, Of: MethodsTests,
		Synonyms: []string{"distribution", "tails"}, Mode: ModeFC, Choices: []string{LawNormal, LawSubGaussian, LawSymmetric},
		Doc: "noise distribution that a test assumes: normal; subgaussian (tails no heavier than normal, takes more " +
			"samples); symmetric (within blocks, symmetric differences); by default normal, and with bounded= any " +
			"distribution within the limits: CoTestFC tests by betting, others assume subgaussian"},
	{Name: "norm", At: func(o *Options) any { return &o.Norm }, Of: MethodsNorm, Range: kernels.Positive,
		Doc: "bound on ‖θ*‖, the norm of the reward function, in units of the largest noise or of `unit` (`reward_norm` " +
			"states it in reward units); with it CoTestFC takes few samples under a smooth kernel; others use the norm of " +
			"the known means by default"},
	{Name: "gap", At: func(o *Options) any { return &o.Gap }, Of: MethodsPlannedGap, Mode: ModeFC, Range: kernels.Positive,
		Doc: "lower bound on the smallest gap, in reward units; by default from the known means"},
	{Name: "unit", At: func(o *Options) any { return &o.Unit },
		Range: kernels.Positive, Doc: "normalisation: reward units of one normalised unit; by default the largest noise"},
	{Name: "misfit", At: func(o *Options) any { return &o.Misfit }, Of: MethodsMisfit, Mode: ModeFC, Range: kernels.NonNegative, Default: "0",
		Doc: "bound on the misspecification: how far any expected reward may be from what the kernel can represent, in " +
			"reward units"},
	{Name: "together", At: func(o *Options) any { return &o.Together }},
	{Name: "total", At: func(o *Options) any { return &o.Total }, Of: MethodsPlanBudgets,
		Synonyms: []string{"total_budget", "samples"}, Mode: ModeFB, Range: kernels.Range{Min: 1, Max: 1e12},
		Doc: "pulls of all agents together, instead of budget; they go to the tasks that need them most"},
	{Name: "rounds", At: func(o *Options) any { return &o.Rounds }, Of: MethodsPlanBudgets,
		Synonyms: []string{"looks", "stages"}, Mode: ModeFB, Range: kernels.WholeFrom(1),
		Doc: "number of rounds of a budget; by default up to 6"},
	{Name: "batch", At: func(o *Options) any { return &o.Batch }, Of: MethodsOneByOne,
		Synonyms: []string{"batch_size"}, Range: kernels.WholeFrom(1), Default: "1",
		Doc: "pulls of a round, for methods that choose one pull at a time (fb: of each agent)"},
	{Name: "threshold", At: func(o *Options) any { return &o.Threshold }, Of: MethodsThresholds,
		Synonyms: []string{"stopping_rule", "beta"}, Mode: ModeFC, Choices: []string{ThresholdMixture, ThresholdHeuristic},
		Default: `"mixture"`,
		Doc: `threshold of the likelihood ratio test of methods that choose one pull at a time: "mixture" is proven, ` +
			`"heuristic" is log((1 + log t)/δ), as in most experiments, without proof`},
	{Name: "max_rounds", At: func(o *Options) any { return &o.MaxRounds },
		Mode: ModeFC, Range: kernels.WholeFrom(1), Doc: "stop after this many rounds; by default 30"},
	{Name: "max_samples", At: func(o *Options) any { return &o.MaxSamples },
		Mode: ModeFC, Range: kernels.WholeFrom(1), Doc: "stop before more samples than this, all agents together"},
}

// stated returns the value of an option as a number or as a word. The word is "" if the option has its default.
func (x *Option) stated(o *Options) (number float64, isNumber bool, word string) {
	switch v := x.At(o).(type) {
	case *float64:
		return *v, *v != 0, ""
	case *int:
		return float64(*v), *v != 0, ""
	case *string:
		return 0, false, *v
	case *bool:
		if *v {
			return 0, false, "true"
		}
	case *Ridge:
		if v.Kind != RidgeValue {
			return 0, false, v.Kind
		}
		return v.Value, true, ""
	case *Level:
		return v.Value, v.Known, ""
	}
	return 0, false, ""
}

// Checked sets zero fields to their defaults and returns an error for a value out of range.
func (o Options) Checked(mode string) (Options, error) {
	o.Delta = cmp.Or(o.Delta, DefaultDelta)
	o.Schedule = cmp.Or(o.Schedule, ScheduleTuned)
	o.Ridge.Kind = cmp.Or(o.Ridge.Kind, RidgeAuto)
	o.MaxRounds = cmp.Or(o.MaxRounds, 30)
	o.MaxSamples = cmp.Or(o.MaxSamples, 1e12)
	return o, o.check(mode)
}

func (o Options) check(mode string) error {
	for i := range options {
		x := &options[i]
		number, isNumber, word := x.stated(&o)
		if isNumber && (!x.Range.Contains(number) || math.IsInf(number, 0)) {
			return fmt.Errorf("%s must be %v, got %g", x.Name, x.Range, number)
		}
		if word != "" && x.Choices != nil && !slices.Contains(x.Choices, word) {
			choices := strings.ReplaceAll(fmt.Sprintf("%q", x.Choices), `" "`, `" or "`)
			return fmt.Errorf("%s must be %s, got %q", x.Name, strings.Trim(choices, "[]"), word)
		}
	}
	switch {
	case o.Batch < 0:
		return fmt.Errorf("the pulls of a batch must not be negative, got %d", o.Batch)
	case mode == ModeFB && o.Total > 0 && o.Budget > 0:
		return fmt.Errorf("budget counts the pulls of each agent, total the pulls of all agents. Give one of them, got %d and %d",
			o.Budget, o.Total)
	case mode == ModeFB && o.Budget < 1 && o.Total == 0:
		return fmt.Errorf("budget must be at least 1 pull per agent, got %d", o.Budget)
	case o.KernelIs != "" && o.KernelIs != KernelFixed && (o.Scale > 0 || o.Level.Known):
		return fmt.Errorf("with kernel_is=%q level and scale are learned with the kernel. Leave them out, or give kernel_is=%q",
			o.KernelIs, KernelFixed)
	}
	return nil
}

// LawFor returns the noise distribution that tests assume: Options.Law if set; otherwise sub-Gaussian for rewards with bounds,
// and normal for others.
func (o Options) LawFor(p *problem.Problem) string {
	switch {
	case o.Law != "":
		return o.Law
	case p.Noise.Bounds != nil:
		return LawSubGaussian
	}
	return LawNormal
}

// Bets reports whether tests use testing by betting, which is valid for any distribution within the rewards' bounds. They do if
// the rewards have bounds and Options.Law is not set.
func (o Options) Bets(p *problem.Problem) bool { return o.Law == "" && p.Noise.Bounds != nil }

// Setting is an option and its value in a result, as a script writes them.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SettingAgents is the name of the setting that holds the name of a cluster run, in results that its agents measured. Scripts
// cannot set it.
const SettingAgents = "agents"

// Stated returns the options that differ from their defaults, by script name and in a fixed order. It leaves out options that are
// numeric fields of Result (Delta, Epsilon, Budget), and Schedule.
func (o Options) Stated() []Setting {
	var out []Setting
	for _, x := range options {
		number, isNumber, word := x.stated(&o)
		if isNumber {
			word = strconv.FormatFloat(number, 'g', -1, 64)
		}
		if !x.Held && word != "" && word != KernelFixed && strconv.Quote(word) != x.Default {
			out = append(out, Setting{x.Name, word})
		}
	}
	return out
}

// NonZero returns the non-zero fields of a struct by name, recursively; other values are returned unchanged. Its JSON can
// serve as a key of the options: a field that a later version adds does not change it if it is zero.
func NonZero(v any) any {
	s := reflect.ValueOf(v)
	if s.Kind() != reflect.Struct {
		return v
	}
	out := map[string]any{}
	for i := range s.NumField() {
		if f := s.Type().Field(i); f.IsExported() && !s.Field(i).IsZero() {
			out[f.Name] = NonZero(s.Field(i).Interface())
		}
	}
	return out
}

// Pulls returns the budget as a number of pulls, summed over all agents.
func (o Options) Pulls(agents int) int {
	if o.Total > 0 {
		return o.Total
	}
	return o.Budget * agents
}

// Parts returns the number of rounds over which a budget of pulls is spread: Options.Rounds if set, else usual, but then
// at most the number of batches. It is at most Options.MaxRounds.
func (o Options) Parts(pulls, usual int) int {
	if o.Rounds > 0 {
		usual = o.Rounds
	} else if o.Batch > 0 {
		usual = min(usual, (pulls+o.Batch-1)/o.Batch)
	}
	return min(usual, o.MaxRounds)
}

// Part returns the number of pulls of a round that should have about n. remaining is the rest of the budget, and later the
// number of rounds after this one. The result is a multiple of Batch and leaves at least one batch for each later round.
// Only the last batch of a budget may be smaller.
func (o Options) Part(n, remaining, later int) int {
	if o.Batch > 0 {
		if batches := (remaining + o.Batch - 1) / o.Batch; batches > later {
			n = min((n+o.Batch-1)/o.Batch, batches-later) * o.Batch
		}
	}
	return min(n, remaining)
}
