package engine

import (
	"fmt"
	"slices"
	"strings"
)

// AlgorithmEntry is one row of the catalogue of algorithms, which feeds the
// language, the help, the docs and the conformance test.
type AlgorithmEntry struct {
	Name      string
	Mode      string // ModeFC or ModeFB
	Doc       string // one line
	Reference string
	Theorem   string // of [Du23], which bounds its samples (under the literal schedule) or its errors; "" when none does
	New       func(*Model, Options) (Algorithm, error)

	Default bool // the one of its mode that runs when none is named
	Shares  bool // whether agents exchange messages
	Proven  bool // whether its answers carry a guarantee
	Ideal   bool // a reference and never a competitor: it knows the truth, or counts fewer samples than it took
	PerV    bool // its samples count as shared by all agents without loss: they are divided by V once more

	LeastSquares bool // ξ = 0, whatever Options.Ridge says
	Unscheduled  bool // Options.Schedule says nothing to it
	Scaleless    bool // it works with noise scales that are not known (Problem.Unknown)
	Posterior    bool // its answers are as probable as the posterior under the kernel says, which is no guarantee
	Means        bool // it goes by the sample means of arms, whatever the kernel
	Normal       bool // its guarantee is for normal rewards; that of the others is for sub-Gaussian ones
}

// Algorithms is the catalogue: fixed confidence first, and in each mode the default first, then the algorithms of
// the paper's figures before others.
func Algorithms() []AlgorithmEntry {
	return []AlgorithmEntry{
		{
			Name: "CoKernelFC", Mode: ModeFC, Theorem: "Theorem 1", Shares: true, Proven: true, Reference: "[Du23, Alg. 1]",
			Doc: "elimination in rounds on a shared allocation; error at most delta",
			New: func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFC(m, o) },
		},
		{
			Name: "CoKernelFC-IndAlloc", Mode: ModeFC, Shares: true, Proven: true, Reference: "[Du23, App. A], CoKernel-IndAlloc",
			Doc: "CoKernelFC with each agent's own optimal allocation in place of the shared one",
			New: NewCoKernelFCIndAlloc,
		},
		{
			Name: "IndRAGE", Mode: ModeFC, LeastSquares: true, Proven: true, Reference: "[Fiez19, Alg. 1], RAGE",
			Doc: "RAGE by each agent alone at delta/V: least squares, no sharing",
			New: NewIndRAGE,
		},
		{
			Name: "IndRAGE/V", Mode: ModeFC, LeastSquares: true, Proven: true, Ideal: true, PerV: true, Reference: "[Du23, App. A], IndRAGE/V",
			Doc: "the runs of IndRAGE with their samples divided by V: what sharing without any loss would take",
			New: NewIndRAGE,
		},
		{
			Name: "IndALBA", Mode: ModeFC, LeastSquares: true, Proven: true, Reference: "[Tao18], ALBA",
			Doc: "ALBA by each agent alone at delta/V: G-optimal allocations, the number of arms halved in phases",
			New: NewIndALBA,
		},
		{
			Name: "IndPolyALBA", Mode: ModeFC, LeastSquares: true, Proven: true, Reference: "[Du21], PolyALBA",
			Doc: "PolyALBA by each agent alone at delta/V: first the d best arms by a static allocation, then ALBA",
			New: NewIndPolyALBA,
		},
		{
			Name: "IndKernelFC", Mode: ModeFC, Proven: true, Reference: "[Du23, eq. (4)], the single-agent sampler",
			Doc: "CoKernelFC by each agent alone at delta/V: no sharing",
			New: NewIndKernelFC,
		},
		{
			Name: "CoSuccessiveElimination", Mode: ModeFC, LeastSquares: true, Shares: true, Proven: true, Reference: "[Hillel13], the multi-round algorithm",
			Doc: "classic collaborative best arm: equal pulls and sample means over all agents; for tasks that are the same",
			New: NewCoSuccessiveElimination,
		},
		{
			Name: "CoTestFC", Mode: ModeFC, Default: true, Normal: true, LeastSquares: true, Unscheduled: true, Scaleless: true, Shares: true, Proven: true, Reference: "docs/theory.md, after [BauerKoehne94] and [LehmacherWassmer99]",
			Doc: "a sequential test of every arm on a shared allocation: error at most delta, few samples in few rounds",
			New: NewCoTestFC,
		},
		{
			Name: "IndTestFC", Mode: ModeFC, Normal: true, LeastSquares: true, Unscheduled: true, Scaleless: true, Proven: true, Reference: "docs/theory.md, the single-agent sampler",
			Doc: "CoTestFC by each agent alone at delta/V: best-arm identification task by task, no sharing",
			New: NewIndTestFC,
		},
		{
			Name: "IndUniformFC", Mode: ModeFC, Means: true, Normal: true, LeastSquares: true, Unscheduled: true, Scaleless: true, Proven: true, Reference: "docs/theory.md, on sample means",
			Doc: "the tests of CoTestFC on uniform pulls and sample means: neither sharing nor allocation",
			New: NewIndUniformFC,
		},
		{
			Name: "CoBayesFC", Mode: ModeFC, Unscheduled: true, Scaleless: true, Shares: true, Posterior: true, Reference: "Gaussian-process posterior, top-two pulls after [Russo20]",
			Doc: "stops by the posterior with the kernel as prior: no guarantee for a kernel that is wrong, few samples where it is right",
			New: NewCoBayesFC,
		},
		{
			Name: "Oracle", Mode: ModeFC, LeastSquares: true, Unscheduled: true, Shares: true, Ideal: true, Reference: "T* of the lower bound log(1/2.4 delta) T*",
			Doc: "a reference that knows the rewards: pulls in the proportions of T* until each best arm is confirmed",
			New: NewOracleFC,
		},
		{
			Name: "CoKernelFB", Mode: ModeFB, Default: true, Theorem: "Theorem 2", Shares: true, Proven: true, Reference: "[Du23, Alg. 2]",
			Doc: "halves the dimension of every candidate set in fixed rounds",
			New: func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFB(m, o) },
		},
		{
			Name: "CoKernelFB-IndAlloc", Mode: ModeFB, Shares: true, Proven: true, Reference: "[Du23, App. A], CoKernelFB-IndAlloc",
			Doc: "CoKernelFB with each agent's own optimal allocation in place of the shared one",
			New: NewCoKernelFBIndAlloc,
		},
		{
			Name: "IndPeaceFB", Mode: ModeFB, LeastSquares: true, Proven: true, Reference: "[KJKJ20], fixed-budget Peace",
			Doc: "Peace by each agent alone on its own pulls: halves the Gaussian width of the candidates; no sharing",
			New: NewIndPeaceFB,
		},
		{
			Name: "IndUniformFB", Mode: ModeFB, Means: true, LeastSquares: true, Reference: "[Du23, App. A]",
			Doc: "uniform pulls, sample means: neither sharing nor allocation",
			New: NewIndUniformFB,
		},
		{
			Name: "IndKernelFB", Mode: ModeFB, Proven: true, Reference: "[Du23, App. C.4], one agent",
			Doc: "CoKernelFB by each agent alone on its own pulls: no sharing",
			New: NewIndKernelFB,
		},
		{
			Name: "CoUniformFB", Mode: ModeFB, Shares: true, Reference: "[Du23, eq. (2)]",
			Doc: "uniform pulls, kernelised estimator: sharing without adaptive allocation",
			New: NewCoUniformFB,
		},
		{
			Name: "IndPeaceFB-Pooled", Mode: ModeFB, LeastSquares: true, Reference: "[KJKJ20], its public code",
			Doc: "IndPeaceFB as its authors' code has it: data of all rounds pooled, widths over the set; no sharing",
			New: NewIndPeacePooled,
		},
		{
			Name: "IndUniformFB-LS", Mode: ModeFB, LeastSquares: true, Reference: "[KJKJ20], the uniform baseline of its code",
			Doc: "uniform pulls, least squares under each agent's own kernel: no sharing",
			New: NewIndUniformLS,
		},
		{
			Name: "CoTestFB", Mode: ModeFB, Normal: true, LeastSquares: true, Scaleless: true, Shares: true, Proven: true, Reference: "docs/theory.md, The fixed-budget form",
			Doc: "every round's pulls where the largest estimates are least sure; least squares from all data, or xi=\"gp\"",
			New: NewCoTestFB,
		},
		{
			Name: "BestElsewhere", Mode: ModeFB, Means: true, LeastSquares: true, Shares: true, Reference: "baseline",
			Doc: "the arm that is best on average in the other tasks",
			New: NewBestElsewhere,
		},
		{
			Name: "Oracle", Mode: ModeFB, Shares: true, Ideal: true, Reference: "T* of the lower bound",
			Doc: "a reference that knows the rewards: one round in the proportions of T*, the largest estimate",
			New: NewOracleFB,
		},
	}
}

// DefaultAlgorithm is the entry that runs in a mode when none is named.
func DefaultAlgorithm(mode string) AlgorithmEntry {
	entries := Algorithms()
	return entries[slices.IndexFunc(entries, func(e AlgorithmEntry) bool { return e.Mode == mode && e.Default })]
}

// AlgorithmNamed returns the entry of a name within a mode.
func AlgorithmNamed(mode, name string) (AlgorithmEntry, error) {
	var known []string
	for _, e := range Algorithms() {
		if e.Mode != mode {
			continue
		}
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return AlgorithmEntry{}, fmt.Errorf("unknown %s algorithm %q; there are %s", mode, name, strings.Join(known, ", "))
}
