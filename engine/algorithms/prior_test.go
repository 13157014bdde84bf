package algorithms

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Level and scale are options of methods with a posterior; for others the error names the methods that have them.
func TestTakesPrior(t *testing.T) {
	level, scale := engine.Options{Level: engine.Level{Known: true}}, engine.Options{Scale: 2}
	with := func(o engine.Options, kind string) engine.Options {
		o.Ridge.Kind = kind
		return o
	}
	for _, row := range []struct {
		mode, name string
		opt        engine.Options
		want       string
	}{
		{engine.ModeFC, "CoBayesFC", level, ""},
		{engine.ModeFC, "CoTestFC", engine.Options{}, ""},
		{engine.ModeFC, "CoTestFC", level, "CoTestFC has no parameter level. Methods with a posterior have it: CoBayesFC"},
		{engine.ModeFB, "CoBayesFB", scale, ""},
		{engine.ModeFB, "CoBayesFB", with(scale, engine.RidgeAuto), `CoBayesFB uses scale only with xi="gp"`},
		{engine.ModeFB, "CoKernelFB", with(level, engine.RidgeGP), ""},
		{engine.ModeFB, "CoKernelFB", level, `CoKernelFB uses level only with xi="gp"`},
		{engine.ModeFB, "IndUniformFB", with(scale, engine.RidgeGP), `IndUniformFB has no parameter scale. Methods with a posterior have it: CoKernelFB, CoKernelFB-IndAlloc, IndKernelFB, CoUniformFB, CoBayesFB with xi="gp"`},
	} {
		entry := try.Of(Named(row.mode, row.name))
		got := ""
		if err := entry.TakesPrior(row.opt); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
