package algorithms

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// A level and a scale are of methods that use a posterior, and an error with others, which says
// who has them.
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
		{engine.ModeFC, "CoTestFC", level, "CoTestFC has no level, which is of methods that go by a posterior: CoBayesFC"},
		{engine.ModeFB, "CoBayesFB", scale, ""},
		{engine.ModeFB, "CoBayesFB", with(scale, engine.RidgeAuto), `CoBayesFB goes by scale only with xi="gp"`},
		{engine.ModeFB, "CoKernelFB", with(level, engine.RidgeGP), ""},
		{engine.ModeFB, "CoKernelFB", level, `CoKernelFB goes by level only with xi="gp"`},
		{engine.ModeFB, "IndUniformFB", with(scale, engine.RidgeGP), `IndUniformFB has no scale, which is of methods that go by a posterior: CoKernelFB, CoKernelFB-IndAlloc, IndKernelFB, CoUniformFB, CoBayesFB with xi="gp"`},
	} {
		entry, err := Named(row.mode, row.name)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := entry.TakesPrior(row.opt); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
