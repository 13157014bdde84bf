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
	Doc       string // one line
	Reference string
	New       func(*Model, Options) (Algorithm, error)
}

// Algorithms is the catalogue, fixed confidence first.
func Algorithms() []AlgorithmEntry {
	return []AlgorithmEntry{
		{"CoKernelFC", ModeFC, true, true, "elimination in rounds on a shared allocation; error at most delta", "[Du23, Alg. 1]",
			func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFC(m, o) }},
		{"IndKernelFC", ModeFC, false, true, "CoKernelFC by each agent alone at delta/V: no sharing", "[Du23, eq. (4)], the single-agent sampler", NewIndKernelFC},
		{"CoKernelFB", ModeFB, true, true, "halves the dimension of every candidate set in fixed rounds", "[Du23, Alg. 2]",
			func(m *Model, o Options) (Algorithm, error) { return NewCoKernelFB(m, o) }},
		{"IndKernelFB", ModeFB, false, true, "CoKernelFB by each agent alone on its own pulls: no sharing", "[Du23, App. C.4], one agent", NewIndKernelFB},
		{"CoUniformFB", ModeFB, true, false, "uniform pulls, kernelised estimator: sharing without adaptive allocation", "[Du23, eq. (2)]", NewCoUniformFB},
		{"IndUniformFB", ModeFB, false, false, "uniform pulls, sample means: neither sharing nor allocation", "[Du23, App. A]", NewIndUniformFB},
		{"BestElsewhere", ModeFB, true, false, "the arm that is best on average in the other tasks", "baseline", NewBestElsewhere},
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
