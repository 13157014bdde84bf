package algorithms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bayes"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/internal/elimination"
	"github.com/gonb-cope/gonb-cope/engine/internal/published"
	"github.com/gonb-cope/gonb-cope/engine/internal/reference"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Entry is one algorithm of the catalogue. Script functions, help, documents and conformance tests use the catalogue.
type Entry struct {
	Name   string
	Mode   string // ModeFC or ModeFB
	Doc    string // one line
	Source string // citation, or the document with its theory
	// theorem of [Du23] that bounds its samples (literal schedule) or its errors; "" if there is none
	Theorem string
	// for an algorithm of your own: a text that identifies its program, for stores of results; "" if its results must not
	// be stored
	Digest string
	// constructs the algorithm for a model; entries of All check the options first
	New   func(*model.Model, engine.Options) (engine.Algorithm, error)
	begin func(*model.Model, model.Terms) (engine.Algorithm, error)

	Role       Role
	Backing    Backing
	Regression Regression
	Default    bool // whether it is the default of its mode
	Shares     bool // whether agents exchange messages
	Scheduled  bool // whether its rounds follow Options.Schedule
	ByValues   bool // whether New accepts a model without exact features, because it uses kernel values (model.Model.Exact)
	// reports whether its answers are not tested, because there are many arms; nil if they are always tested
	Untested func(*model.Model, model.Terms) (bool, error)
	Priced   bool // whether the costs of a problem influence its pulls
	Prior    bool // whether Options.Ridge determines if it uses least squares or the posterior mean
	OneByOne bool // whether it chooses each pull after the rewards of all earlier pulls
	// whether its number of samples is divided by V, as if agents shared samples without loss
	DividedByV bool
}

// Role is the purpose of an algorithm.
type Role int

// Values of Role.
const (
	RoleCompetitor Role = iota // for use and for comparison
	RoleBaseline               // for comparison: a simple method
	// for comparison only: it knows the truth, or reports fewer samples than it takes
	RoleReference
)

// Backing is the basis of the guarantee of an algorithm's decided answers.
type Backing int

// Values of Backing, weakest first.
const (
	BackingNone Backing = iota // nothing
	// the posterior with the kernel as prior; there is no frequentist guarantee
	BackingPosterior
	BackingNormal      // a theorem for normal rewards with known or unknown scales
	BackingSubGaussian // a theorem for sub-Gaussian rewards with known scales
)

// Regression is the estimator of expected rewards that an algorithm uses.
type Regression int

// Values of Regression.
const (
	// least squares on the kernel's features, regularised by ξ of Options.Ridge
	RegressionRidge Regression = iota
	// least squares on the kernel's features with ξ = 0, ignoring Options.Ridge
	RegressionLeastSquares
	RegressionMeans // sample means of arms, ignoring the kernel
	// the posterior mean of a Gaussian process with the kernel as prior
	RegressionPosterior
)

// Proven reports whether a theorem covers the decided answers.
func (e Entry) Proven() bool { return e.Backing == BackingNormal || e.Backing == BackingSubGaussian }

// EstimatesScales reports whether the algorithm accepts unknown noise scales (NoiseModel.UnknownBy). Only scales of normal
// rewards can be estimated.
func (e Entry) EstimatesScales() bool {
	return e.Backing == BackingNormal || e.Backing == BackingPosterior
}

// Suits returns an error if the algorithm needs known noise scales and the problem has none.
func (e Entry) Suits(p *problem.Problem) error {
	if p.Noise.UnknownBy == "" || e.EstimatesScales() {
		return nil
	}
	able := Having(e.Mode, Entry.EstimatesScales)
	return fmt.Errorf("%s needs a noise scale, but the noise of problem %q is unknown. Write noise= with the standard deviation "+
		"of one reward, or give a column sd. Or choose an algorithm that estimates it: %s", e.Name,
		p.Name, strings.Join(able, ", "))
}

// listed reports whether the algorithm is in the catalogue. Algorithms of users are not.
func (e Entry) listed() bool {
	return slices.ContainsFunc(algorithms, func(x Entry) bool { return x.Mode == e.Mode && x.Name == e.Name })
}

// Regularised reports whether the estimates of the algorithm use ξ of Options.Ridge. It is false for algorithms of users,
// for which this is unknown.
func (e Entry) Regularised() bool { return e.Regression == RegressionRidge && e.listed() }

// All returns a copy of the catalogue. Fixed-confidence algorithms come first, and in each mode those of the paper's
// figures.
func All() []Entry { return slices.Clone(algorithms) }

// Default returns the entry that a mode uses if no algorithm is named.
func Default(mode string) Entry {
	return algorithms[slices.IndexFunc(algorithms, func(e Entry) bool { return e.Mode == mode && e.Default })]
}

// Named returns the entry with this name in a mode. The error for an unknown name lists the known names.
func Named(mode, name string) (Entry, error) {
	if e, there := lists.First(algorithms, func(e Entry) bool { return e.Mode == mode && e.Name == name }); there {
		return e, nil
	}
	known := Having(mode, func(Entry) bool { return true })
	return Entry{}, fmt.Errorf("unknown %s algorithm %q. Choose one of %s", mode, name, strings.Join(known, ", "))
}

var algorithms = onTerms([]Entry{
	{
		Name: "CoKernelFC", Mode: engine.ModeFC, Backing: BackingSubGaussian, Scheduled: true, Shares: true,
		Source: "[Du23, Alg. 1]", Theorem: "Theorem 1", ByValues: true,
		Doc:   "Algorithm 1 of the paper: elimination in rounds on a shared design; error at most delta",
		begin: func(m *model.Model, o model.Terms) (engine.Algorithm, error) { return elimination.NewCoKernelFC(m, o) },
	},
	{
		Name: "CoKernelFC-IndAlloc", Mode: engine.ModeFC, Backing: BackingSubGaussian, Scheduled: true, Shares: true,
		Source: "[Du23, App. A], CoKernel-IndAlloc",
		Doc:    "CoKernelFC with a separate design for each agent",
		begin:  elimination.NewCoKernelFCIndAlloc,
	},
	{
		Name: "IndRAGE", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Scheduled: true,
		Source: "[Fiez19, Alg. 1], RAGE",
		Doc:    "RAGE, each agent alone at delta/V: least squares, no sharing",
		begin:  elimination.NewIndRAGE,
	},
	{
		Name: "IndRAGE/V", Mode: engine.ModeFC, Role: RoleReference, Backing: BackingSubGaussian, Regression: RegressionLeastSquares,
		Scheduled: true, DividedByV: true,
		Source: "[Du23, App. A], IndRAGE/V",
		Doc:    "IndRAGE with its samples divided by V: the samples of perfect sharing",
		begin:  elimination.NewIndRAGE,
	},
	{
		Name: "IndALBA", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Scheduled: true,
		Source: "[Tao18], ALBA",
		Doc:    "ALBA, each agent alone at delta/V: G-optimal designs, arms halved in phases",
		begin:  elimination.NewIndALBA,
	},
	{
		Name: "IndPolyALBA", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Scheduled: true,
		Source: "[Du21], PolyALBA",
		Doc:    "PolyALBA, each agent alone at delta/V: first the d best arms by a static design, then ALBA",
		begin:  elimination.NewIndPolyALBA,
	},
	{
		Name: "IndKernelFC", Mode: engine.ModeFC, Backing: BackingSubGaussian, Scheduled: true,
		Source: "[Du23, eq. (4)], the single-agent sampler",
		Doc:    "CoKernelFC, each agent alone at delta/V: no sharing",
		begin:  elimination.NewIndKernelFC,
	},
	{
		Name: "CoTestFC", Mode: engine.ModeFC, Default: true, Backing: BackingNormal, Regression: RegressionLeastSquares, Shares: true,
		ByValues: true, Priced: true,
		Source: "docs/theory/test.md, after [BauerKoehne94] and [LehmacherWassmer99]",
		Doc:    "adaptive combination test of every arm on a shared design: error at most delta, few samples in few rounds",
		begin:  cotest.NewCoTestFC,
	},
	{
		Name: "IndTestFC", Mode: engine.ModeFC, Backing: BackingNormal, Regression: RegressionLeastSquares, Priced: true,
		Source: "docs/theory/test.md, the single-agent sampler",
		Doc:    "CoTestFC, each agent alone at delta/V: no sharing",
		begin:  cotest.NewIndTestFC,
	},
	{
		Name: "IndUniformFC", Mode: engine.ModeFC, Role: RoleBaseline, Backing: BackingNormal, Regression: RegressionMeans,
		Source: "docs/theory/test.md, on sample means",
		Doc:    "the test of CoTestFC on equal pulls and sample means: no sharing, no design",
		begin:  cotest.NewIndUniformFC,
	},
	{
		Name: "CoBayesFC", Mode: engine.ModeFC, Backing: BackingPosterior, Regression: RegressionPosterior, Shares: true,
		ByValues: true, Priced: true,
		Source: "Gaussian-process posterior, top-two pulls after [Russo20]",
		Doc:    "Bayesian stopping rule under the kernel as prior: few samples if the prior is right, and no guarantee if it is not",
		begin:  bayes.NewCoBayesFC,
	},
	{
		Name: "TrackAndStop", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Shares: true,
		OneByOne: true,
		Source:   "[JP20, Alg. 1], [GK16], Track-and-Stop",
		Doc:      "Track-and-Stop for linear bandits, one pull at a time, on all tasks together: tracks the optimal weights of the estimates",
		begin:    published.NewTrackAndStop,
	},
	{
		Name: "LazyTrackAndStop", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Shares: true,
		OneByOne: true,
		Source:   "[JP20, Alg. 1], lazy updates",
		Doc:      "TrackAndStop that recomputes its weights when the pulls have grown by a tenth",
		begin:    published.NewLazyTrackAndStop,
	},
	{
		Name: "LinGapE", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Shares: true,
		OneByOne: true,
		Source:   "[XHS18, Alg. 1], the greedy rule",
		Doc: "LinGapE, one pull at a time, on all tasks together: pulls the arm that most reduces the uncertainty of the most doubtful " +
			"difference",
		begin: published.NewLinGapE,
	},
	{
		Name: "LinGame", Mode: engine.ModeFC, Backing: BackingSubGaussian, Regression: RegressionLeastSquares, Shares: true,
		OneByOne: true,
		Source:   "[DMSV20, Alg. 2]",
		Doc:      "LinGame, one pull at a time, on all tasks together: weights by a game between AdaHedge and the nearest alternative",
		begin:    published.NewLinGame,
	},
	{
		Name: "Oracle", Mode: engine.ModeFC, Role: RoleReference, Regression: RegressionLeastSquares, Shares: true,
		Source: "T* of the lower bound kl(delta, 1 - delta) T*",
		Doc:    "a reference that knows the rewards: pulls in the proportions of T* until each best arm is confirmed",
		begin:  reference.NewOracleFC,
	},
	{
		Name: "CoKernelFB", Mode: engine.ModeFB, Backing: BackingSubGaussian, Shares: true,
		ByValues: true, Source: "[Du23, Alg. 2]", Theorem: "Theorem 2",
		Doc:   "Algorithm 2 of the paper: halves the dimension of every candidate set in fixed rounds",
		begin: func(m *model.Model, o model.Terms) (engine.Algorithm, error) { return elimination.NewCoKernelFB(m, o) },
	},
	{
		Name: "CoKernelFB-IndAlloc", Mode: engine.ModeFB, Backing: BackingSubGaussian, Shares: true,
		Source: "[Du23, App. A], CoKernelFB-IndAlloc",
		Doc:    "CoKernelFB with a separate design for each agent",
		begin:  elimination.NewCoKernelFBIndAlloc,
	},
	{
		Name: "IndPeaceFB", Mode: engine.ModeFB, Backing: BackingSubGaussian, Regression: RegressionLeastSquares,
		Source: "[KJKJ20], fixed-budget Peace",
		Doc:    "Peace, each agent alone: halves the Gaussian width of the candidates; no sharing",
		begin:  elimination.NewIndPeaceFB,
	},
	{
		Name: "IndUniformFB", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionMeans,
		Source: "[Du23, App. A]",
		Doc:    "equal pulls, sample means: no sharing, no design",
		begin:  reference.NewIndUniformFB,
	},
	{
		Name: "IndKernelFB", Mode: engine.ModeFB, Backing: BackingSubGaussian,
		Source: "[Du23, App. C.4], one agent",
		Doc:    "CoKernelFB, each agent alone: no sharing",
		begin:  elimination.NewIndKernelFB,
	},
	{
		Name: "CoUniformFB", Mode: engine.ModeFB, Role: RoleBaseline, Shares: true,
		Source: "[Du23, eq. (2)]",
		Doc:    "equal pulls, estimator of the joint kernel: sharing without a design",
		begin:  newCoUniformFB, ByValues: true, Untested: uniformByValues,
	},
	{
		Name: "IndPeaceFB-Pooled", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionLeastSquares,
		Source: "[KJKJ20], its public code",
		Doc:    "IndPeaceFB as in its authors' code: data of all rounds pooled, widths over the set; no sharing",
		begin:  elimination.NewIndPeacePooled,
	},
	{
		Name: "IndUniformFB-LS", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionLeastSquares,
		Source: "[KJKJ20], the uniform baseline of its code",
		Doc:    "equal pulls, least squares under each agent's own kernel: no sharing",
		begin:  reference.NewIndUniformLS,
	},
	{
		Name: "CoBayesFB", Mode: engine.ModeFB, Default: true, Backing: BackingNormal, Regression: RegressionLeastSquares,
		Prior: true, Shares: true,
		Source: "docs/theory/budget.md",
		Doc:    "allocates each round by expected simple regret under the posterior; with xi=\"auto\" by least squares, and tests its answers",
		begin:  newCoBayesFB, ByValues: true, Untested: bayes.TakesBudget,
	},
	{
		Name: "GPUCB", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionPosterior, Shares: true, OneByOne: true,
		Source: "[SKKS10, Alg. 1], GP-UCB",
		Doc:    "GP-UCB, one pull of each agent at a time, under one posterior; recommends the largest posterior mean",
		begin:  published.NewGPUCB,
	},
	{
		Name: "TopTwoThompson", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionPosterior, Shares: true, OneByOne: true,
		Source: "[Russo16, Section 3.3], top-two Thompson sampling",
		Doc:    "top-two Thompson sampling, one pull of each agent at a time, under one posterior; recommends the largest posterior mean",
		begin:  published.NewTopTwoThompson,
	},
	{
		Name: "KnowledgeGradient", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionPosterior, Shares: true, OneByOne: true,
		Source: "[FPD09, Section 4], correlated knowledge gradient",
		Doc:    "pulls the arm that most increases the expected largest posterior means of all tasks; recommends the largest posterior mean",
		begin:  published.NewKnowledgeGradient,
	},
	{
		Name: "OCBA", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionMeans, OneByOne: true,
		Source: "[CLYC00, Theorem 1], optimal computing budget allocation",
		Doc:    "optimal computing budget allocation, each agent alone, one pull at a time; recommends the largest sample mean",
		begin:  published.NewOCBA,
	},
	{
		Name: "BestElsewhere", Mode: engine.ModeFB, Role: RoleBaseline, Regression: RegressionMeans, Shares: true,
		Source: "baseline",
		Doc:    "leave-one-task-out best arm: the best on average in the other tasks",
		begin:  reference.NewBestElsewhere,
	},
	{
		Name: "Oracle", Mode: engine.ModeFB, Role: RoleReference, Shares: true,
		Source: "T* of the lower bound",
		Doc:    "a reference that knows the rewards: one round in the proportions of T*, the largest estimate",
		begin:  reference.NewOracleFB,
	},
})

// newCoBayesFB returns CoBayesFB. It uses the form on kernel values if bayes.TakesBudget, for example for many arms.
func newCoBayesFB(m *model.Model, o model.Terms) (engine.Algorithm, error) {
	if k := o.Ridge.Kind; o.KernelIs != "" && o.KernelIs != engine.KernelFixed && k != "" && k != engine.RidgeGP {
		return nil, fmt.Errorf(`kernel_is=%q is for posteriors, but xi is stated. Leave xi out, or give kernel_is=%q`, o.KernelIs, engine.KernelFixed)
	}
	return either(m, o, bayes.TakesBudget, bayes.NewBudgetFB, cotest.NewCoBayesFB)
}

// newCoUniformFB returns CoUniformFB. It uses the form on kernel values if uniformByValues.
func newCoUniformFB(m *model.Model, o model.Terms) (engine.Algorithm, error) {
	return either(m, o, uniformByValues, bayes.NewUniformFB, reference.NewCoUniformFB)
}

type maker = func(*model.Model, model.Terms) (engine.Algorithm, error)

// either calls values if byValues returns true for the model and the options. Otherwise it calls exact, on a model with
// exact features.
func either(m *model.Model, o model.Terms, byValues func(*model.Model, model.Terms) (bool, error), values, exact maker) (engine.Algorithm,
	error) {
	of, err := byValues(m, o)
	switch {
	case err != nil:
		return nil, err
	case of:
		return values(m, o)
	}
	if m, err = m.Exact(); err != nil {
		return nil, err
	}
	return exact(m, o)
}

func uniformByValues(m *model.Model, o model.Terms) (bool, error) {
	if o.Ridge.Kind != engine.RidgeGP {
		return false, nil
	}
	return bayes.TakesBudget(m, o)
}

// onTerms sets New of every entry. New checks the options, computes exact features unless the entry is ByValues, and calls
// begin.
func onTerms(entries []Entry) []Entry {
	for k, e := range entries {
		entries[k].New = func(m *model.Model, o engine.Options) (engine.Algorithm, error) {
			t, err := m.Terms(e.Mode, o)
			if err == nil && !e.ByValues {
				m, err = m.Exact()
			}
			if err != nil {
				return nil, err
			}
			return e.begin(m, t)
		}
	}
	return entries
}
