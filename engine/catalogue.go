package engine

import (
	"fmt"
	"strings"
)

// AlgorithmEntry is one row of the catalogue of algorithms, which feeds the
// language, the help, the docs and the conformance test.
type AlgorithmEntry struct {
	Name      string
	Mode      string // ModeFC or ModeFB
	Shares    bool   // whether agents exchange messages
	Proven    bool   // whether its answers carry a guarantee
	Ideal     bool   // a reference and never a competitor: it knows the truth, or counts fewer samples than it took
	PerV      bool   // its samples count as shared by all agents without loss: they are divided by V once more
	Doc       string // one line
	Reference string
	New       func(*Model, Options) (Algorithm, error)
}

// Algorithms is the catalogue, fixed confidence first.
func Algorithms() []AlgorithmEntry {
	return []AlgorithmEntry{
		{
			Name: "CoKernelFC", Mode: ModeFC, Shares: true, Proven: true, Reference: "[Du23, Alg. 1]",
			Doc: "elimination in rounds on a shared allocation; error at most delta",
			New: func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFC(m, o) },
		},
		{
			Name: "IndKernelFC", Mode: ModeFC, Proven: true, Reference: "[Du23, eq. (4)], the single-agent sampler",
			Doc: "CoKernelFC by each agent alone at delta/V: no sharing",
			New: NewIndKernelFC,
		},
		{
			Name: "CoKernelFB", Mode: ModeFB, Shares: true, Proven: true, Reference: "[Du23, Alg. 2]",
			Doc: "halves the dimension of every candidate set in fixed rounds",
			New: func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFB(m, o) },
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
			Name: "IndUniformFB", Mode: ModeFB, Reference: "[Du23, App. A]",
			Doc: "uniform pulls, sample means: neither sharing nor allocation",
			New: NewIndUniformFB,
		},
		{
			Name: "BestElsewhere", Mode: ModeFB, Shares: true, Reference: "baseline",
			Doc: "the arm that is best on average in the other tasks",
			New: NewBestElsewhere,
		},
	}
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
