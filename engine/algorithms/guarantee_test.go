package algorithms

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestGuarantee checks guarantees without any run. For measurements the truth is unknown: nothing contradicts it, and a condition that a
// simulation would check becomes an assumption.
func TestGuarantee(t *testing.T) {
	truth := &Truth{Drawn: true}
	unequal := append([]float64{0.1}, slices.Repeat([]float64{1}, 29)...)
	for name, c := range map[string]struct {
		algorithm string
		opt       engine.Options
		truth     *Truth
		off       bool // whether Problem.Mean is outside the kernel's space
		rejected  bool
		warnings  []engine.WarningKind
		change    func(*problem.NoiseModel)
		want      string // beginning of the sentence
		because   string
	}{
		"simulated": {algorithm: "CoTestFC", truth: truth, want: "proven: all decided answers are the best of their tasks with probability at least 95 %"},
		"measured":  {algorithm: "CoTestFC", want: "proven: ", because: ". This holds if the measured rewards are independent and normal with the problem's noise scales, and the kernel can represent their expected rewards"},
		"measured, scales unknown": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTask },
			want: "proven: ", because: "independent and normal, with one unknown scale for the arms of each task",
		},
		"measured, nothing stated of scales": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownProblem },
			want: "proven: ", because: "independent and normal, with one unknown scale for all arms",
		},
		"measured, scales not stated": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTested },
			want: "heuristic: ", because: "one unknown scale for all arms that were tested together, and the kernel",
		},
		"measured, scales not stated, one scale at first": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTested },
			warnings: []engine.WarningKind{engine.WarnScalesByArm, engine.WarnScalesLate},
			want:     "heuristic: ", because: "Noise scales were not stated to be equal",
		},
		"measured, scales not stated, but one for each arm": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTested },
			warnings: []engine.WarningKind{engine.WarnScalesByArm},
			want:     "proven: ", because: "independent and normal, with an unknown scale for each arm",
		},
		"simulated, scales not stated and equal": {
			algorithm: "CoTestFC", truth: truth, change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTested }, want: "proven: ",
		},
		"simulated, scales not stated and unequal": {
			algorithm: "CoTestFC", truth: truth, change: func(m *problem.NoiseModel) { m.UnknownBy, m.SD = problem.UnknownTested, unequal },
			want: "heuristic: ", because: "Noise scales differ",
		},
		"simulated, twice the noise stated": {
			algorithm: "CoTestFC", truth: truth, change: func(m *problem.NoiseModel) { m.SD = slices.Repeat([]float64{0.5}, 30) }, want: "proven: ",
		},
		"simulated, too much noise stated for one arm": {
			algorithm: "CoTestFC", truth: truth, change: func(m *problem.NoiseModel) { m.SD = unequal },
			want: "heuristic: ", because: "The noise of some arms is smaller than stated",
		},
		"the same with an upper bound": {
			algorithm: "CoTestFC", truth: truth, opt: engine.Options{Law: engine.LawSubGaussian},
			change: func(m *problem.NoiseModel) { m.SD = unequal }, want: "proven: ",
		},
		"measured, each scale unknown": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownArm; m.Scales[0] = 2 },
			want: "proven: ", because: "independent and normal, with an unknown scale for each arm",
		},
		"measured, guesses that differ": {
			algorithm: "CoTestFC", change: func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownProblem; m.Scales[0] = 2 },
			want: "proven: ", because: "independent and normal, with the guessed scales times one unknown factor for all arms",
		},
		"measured, scales estimated": {
			algorithm: "CoKernelFC", change: func(m *problem.NoiseModel) { m.Known = problem.NoiseTask },
			want: "heuristic: all ", because: "This is approximate, not proven. The noise scales were estimated from the data",
		},
		"measured, the data against the kernel": {algorithm: "CoTestFC", rejected: true, want: "heuristic: all ", because: ". This is approximate, not proven. The data contradict the kernel (see the warning)"},
		"simulated, means off the kernel":       {algorithm: "CoTestFC", truth: truth, off: true, want: "none: the kernel cannot represent the expected rewards"},
		"measured, pilot means off the kernel":  {algorithm: "CoTestFC", off: true, want: "proven: "},
		"a function's rewards off the kernel":   {algorithm: "CoTestFC", truth: &Truth{}, off: true, want: "none: the kernel cannot represent the expected rewards"},
		"xi too large for the literal schedule": {
			algorithm: "CoKernelFC", truth: truth, opt: engine.Options{Schedule: engine.SchedulePaper, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1}},
			want: "none: the value of xi is too large for the theorem of the literal schedule",
		},
		"the same, each agent alone": {
			algorithm: "IndKernelFC", truth: truth, opt: engine.Options{Schedule: engine.SchedulePaper, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1}},
			want: "none: the value of xi is too large for the theorem of the literal schedule",
		},
		"least squares have no xi":          {algorithm: "IndRAGE", truth: truth, opt: engine.Options{Schedule: engine.SchedulePaper, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1}}, want: "proven: "},
		"the largest xi that it allows":     {algorithm: "CoKernelFC", truth: truth, opt: engine.Options{Schedule: engine.SchedulePaper}, want: "proven: "},
		"any xi under the tuned schedule":   {algorithm: "CoKernelFC", truth: truth, opt: engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1}}, want: "proven: "},
		"a posterior":                       {algorithm: "CoBayesFC", want: "heuristic: all decided answers are the best of their tasks with posterior probability at least 95 %. ", because: "It averages over the signal variance, and over a nugget"},
		"a reference that knows the truth":  {algorithm: "Oracle", truth: truth, want: "none: this is a reference, not an algorithm. It knows"},
		"a reference that counts fewer":     {algorithm: "IndRAGE/V", truth: truth, want: "none: this is a reference, not an algorithm. It divides"},
		"a test of sample means, simulated": {algorithm: "IndUniformFC", truth: truth, off: true, want: "proven: "},
	} {
		t.Run(name, func(t *testing.T) {
			p := enginetest.Paper(t, 1, 0.5)
			if c.off {
				p.Mean[3]++
			}
			if c.change != nil {
				c.change(&p.Noise)
			}
			m := plain.ModelOf(t, p)
			entry := try.Of(Named(engine.ModeFC, c.algorithm))
			r := engine.Result{Mode: engine.ModeFC, Delta: 0.05, Tasks: p.V(), Schedule: c.opt.Schedule}
			r.Warnings = lists.Map(c.warnings, func(k engine.WarningKind) engine.Warning { return engine.Warning{Kind: k} })
			standing, sentence := Basis{Model: m, Options: c.opt, Algorithm: entry, Result: r, Rejected: c.rejected, Truth: c.truth}.Guarantee()
			if !strings.HasPrefix(sentence, c.want) || !strings.Contains(sentence, c.because) || !strings.HasPrefix(sentence, standing+": ") {
				t.Errorf("%s, %q; want %q … %q", standing, sentence, c.want, c.because)
			}
		})
	}
}

// The guarantee of a posterior refers to warnings that contradict it.
func TestGuaranteeOfDisbelievedPosterior(t *testing.T) {
	entry := try.Of(Named(engine.ModeFC, "CoBayesFC"))
	m := plain.ModelOf(t, enginetest.Paper(t, 1, 0.4))
	r := engine.Result{Mode: engine.ModeFC, Delta: 0.05, Tasks: 2, Runs: 9, DecidedTasks: 2, Warnings: []engine.Warning{
		{Kind: engine.WarnFewOutcomes, Numbers: []float64{41, 72, 5}},
		{Kind: engine.WarnUnexplained, Numbers: []float64{0.2, 0.5}},
		{Kind: engine.WarnNoiseDiffers, Numbers: []float64{7, 3.5, 1e-4}},
		{Kind: engine.WarnPriorKernel, Numbers: []float64{45, 7.5, 6, 2, 1e-4, 3, 9}},
	}}
	_, sentence := Basis{Model: m, Algorithm: entry, Result: r}.Guarantee()
	if want := "The error rate may be higher: see the warnings"; !strings.HasSuffix(sentence, want) {
		t.Errorf("%q; want %q at the end", sentence, want)
	}
	r.Warnings = nil
	if _, sentence := (Basis{Model: m, Algorithm: entry, Result: r}).Guarantee(); strings.Contains(sentence, "Fewer") {
		t.Errorf("%q", sentence)
	}
}

// Results name the form of their computation: tests, posteriors, least squares and means; algorithms of your own have none.
func TestRegime(t *testing.T) {
	few, many := enginetest.Paper(t, 1, 0.5), enginetest.Linear(t, 3, 100)
	apart := enginetest.Unrelated(t, 2, []float64{0, 1, 2})
	for _, c := range []struct {
		p          *problem.Problem
		mode, name string
		opt        engine.Options
		want       string
	}{
		{few, engine.ModeFC, "CoTestFC", engine.Options{}, model.RegimeTogether},
		{few, engine.ModeFC, "IndTestFC", engine.Options{}, model.RegimeAlone + ": least squares"},
		{few, engine.ModeFC, "CoBayesFC", engine.Options{}, model.RegimeFeatures},
		{many, engine.ModeFC, "CoBayesFC", engine.Options{}, model.RegimePulled},
		{apart, engine.ModeFC, "CoBayesFC", engine.Options{}, model.RegimeFormula},
		{few, engine.ModeFC, "CoKernelFC", engine.Options{}, model.RegimeExact},
		{few, engine.ModeFC, "IndUniformFC", engine.Options{}, model.RegimeMeans},
		{few, engine.ModeFB, "CoBayesFB", engine.Options{}, model.RegimePulled},
		{few, engine.ModeFB, "CoBayesFB", engine.Options{KernelIs: engine.KernelAuto}, model.RegimeLearned},
		{few, engine.ModeFB, "CoBayesFB", engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeAuto}}, model.RegimeExact},
		{few, engine.ModeFB, "CoKernelFB", engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}}, model.RegimeFeatures},
		{few, engine.ModeFB, "BestElsewhere", engine.Options{}, model.RegimeMeans},
	} {
		entry := try.Of(Named(c.mode, c.name))
		if got := (Basis{Model: plain.ModelOf(t, c.p), Options: c.opt, Algorithm: entry}).Regime(); got != c.want {
			t.Errorf("%s with %d arms, %+v: %q, want %q", c.name, c.p.N(), c.opt, got, c.want)
		}
	}
	if got := (Basis{Model: plain.ModelOf(t, few), Algorithm: Entry{Name: "Mine", Mode: engine.ModeFC}}).Regime(); got != "" {
		t.Errorf("an algorithm of one's own: %q, want nothing", got)
	}
}
