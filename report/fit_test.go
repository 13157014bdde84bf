package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// fitted returns a fit made up by hand in the shape of a real one.
func fitted() fit.Fit {
	return fit.Fit{
		Kernel:  kernels.Joint{Terms: []kernels.Term{{Scale: 2, Arm: kernels.Formula{Name: "wave", Params: "x, y", Body: "exp(-0.2*sum(abs(x-y)))"}}}},
		Problem: "pilot", Tasks: 2, Arms: 12, Measurements: 48, Replicates: 36, Mean: fit.MeanTask, Noise: "fitted",
		Start: "free(1) * arm(wave)", Expression: "2*arm(wave)", Usable: "2*arm(wave) + 3*task(identity())",
		LogLikelihoodStart: -20.5, LogLikelihood: -12.25, Levels: []float64{1, 2},
		Parameters: []fit.Parameter{
			{Name: "scale", Start: 1, Value: 2, Min: 0.001, Max: 1000, CI95: [2]float64{1.1, 3.6}, StandardError: 0.3, Logarithmic: true},
			{Name: "decay", Start: 1, Value: 5, Min: 0.2, Max: 5, Limit: "max"},
		},
		CrossValidation: fit.CrossValidation{Arms: 12, Error: 0.5, Without: 1.5, LogDensity: -1, Coverage: 11. / 12},
		Misfit: fit.Misfit{Test: "F", Statistic: 3.2, Freedom: [2]float64{7, 36}, PValue: 0.009, Exact: true, Nugget: 0.4, Gain: 3.1, GainP: 0.0064,
			Remedy: "+ 0.4*identity()", Residuals: []fit.Residual{{Task: "oslo", Arm: "a", Mean: 3, Predicted: 1, Standardised: 4.1}}},
		Sharing: fit.Sharing{Names: []string{"oslo", "rome"}, Alike: [][]float64{{1, 0.5}, {0.5, 1}}, Signal: 1, Noise: 0.5, Speedup: 1.2, Rank: 1.7, Single: 1.6,
			Separate: "2*task(identity()) * arm(wave)", SeparateLikelihood: -14, Support: 1.75, Verdict: fit.SharingUnclear},
		Warnings: []engine.Warning{{Kind: "decay ended at its limit"}},
	}
}

func TestFitDisplay(t *testing.T) {
	var b bytes.Buffer
	try.To(Text(&b, Document{Displays: []Display{{Name: "f", Value: fitted()}}}, TextOptions{Width: 400}))
	holds(t, b.String(),
		"2 numbers fitted to 12 arm means of pilot (48 measurements): the log marginal likelihood rises from -20.5 to -12.25.",
		"WARNING: Decay ended at its limit.", "free(1) * arm(wave)", "wave(x, y) = exp(-0.2*sum(abs(x-y)))", "pooling the tasks helps: the kernel gains 1.75 nats over one whose tasks share no arm effects",
		"the mean square is 3.2 times the pure error of the replicates (F with 7 and 36 degrees of freedom, p = 0.009)", "with 0.4*identity() added (by 3.1 nats, p = 0.0064)",
		"These data do not show whether pooling the tasks helps", "11 of 12",
	)
	for _, o := range []PlotOptions{{}, {X: "task", Y: []string{"similarity"}}, {X: "arm"}, {X: "arm", Y: []string{"residual"}}} {
		f := try.Of(FigureOf(fitted(), o))
		if err := figure.SVG(&b, f); err != nil {
			t.Error(err)
		}
		if heat := o.X != "arm"; heat != (f.Heat != nil) {
			t.Errorf("%+v draws %+v", o, f)
		}
	}
	if _, err := FigureOf(fitted(), PlotOptions{X: "arm", Y: []string{"similarity"}}); err == nil {
		t.Error("the similarity of arms was drawn")
	}
	single := fitted()
	single.Sharing = fit.Sharing{}
	if f, err := FigureOf(single, PlotOptions{}); err != nil || f.Heat != nil {
		t.Errorf("one task: %+v, %v", f, err)
	}
	b.Reset()
	if err := CSV(&b, fitted()); err != nil || !strings.HasPrefix(b.String(), "number,start,fitted,low,high,min,max,limit\nscale,1,2,1.1,3.6,0.001,1000,\n") {
		t.Errorf("%s, %v", b.String(), err)
	}
	if TypeName(fitted()) != "fit" {
		t.Error(TypeName(fitted()))
	}
}
