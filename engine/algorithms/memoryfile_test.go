package algorithms

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A run with a memory from a file equals the run without, bit for bit, and finds its first design there.
func TestMemoryFromFile(t *testing.T) {
	p := enginetest.Instances(t)[3]
	for _, c := range []struct{ mode, name string }{
		{engine.ModeFC, "CoTestFC"}, {engine.ModeFC, "CoKernelFC"}, {engine.ModeFC, "IndRAGE"}, {engine.ModeFB, "CoBayesFB"}, {engine.ModeFB, "CoKernelFB"},
	} {
		entry, err := Named(c.mode, c.name)
		if err != nil {
			t.Fatal(err)
		}
		opt := engine.Options{Epsilon: 0.3}
		if c.mode == engine.ModeFB {
			opt.Budget = 60
		}
		run := func(memory *model.Memory) string {
			alg := try.Of(entry.New(plain.ModelOf(t, p).Share(memory), opt))
			rng := rand.New(rand.NewPCG(5, 6))
			return all(enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }))
		}
		first := new(model.Memory)
		want := run(first)
		var file bytes.Buffer
		try.To(first.Save(&file, "here"))
		second := new(model.Memory)
		taken, err := second.Load(&file, "here")
		if err != nil || taken == 0 && c.name != "CoBayesFB" { // whose stages are small
			t.Fatalf("%s: %d values, error %v", c.name, taken, err)
		}
		if got := run(second); got != want {
			t.Errorf("%s: with a memory from a file\n%s\nwant\n%s", c.name, got, want)
		}
		if got := run(new(model.Memory)); got != want {
			t.Errorf("%s: without a memory\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
