package sim_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestEarlierRewards measures the samples saved by rewards from before the run on the coupling data: a posterior uses them fully, while a
// test uses them only to choose pulls, so they replace at most its exploration. GONB_COPE_TABLE=24 writes the numbers of
// docs/theory/changes.md, Rewards of no round.
func TestEarlierRewards(t *testing.T) {
	if testing.Short() {
		t.Skip("runs on the coupling data")
	}
	runs, names, pilots := 4, []string{"CoBayesFC"}, []int{0, 3}
	if n, err := strconv.Atoi(os.Getenv("GONB_COPE_TABLE")); err == nil {
		runs, names, pilots = n, []string{"CoTestFC", "CoBayesFC"}, []int{0, 1, 3}
	}
	p := couplingProblem(t)
	p.Noise.UnknownBy, p.Noise.Known = "", problem.NoiseStated
	p.Noise.Scales = make([]float64, p.N())
	for i := range p.Noise.Scales {
		p.Noise.Scales[i] = 20
	}
	opt := engine.Options{Epsilon: 10}
	memory, samples := new(model.Memory), map[string]float64{}
	for _, name := range names {
		entry := try.Of(algorithms.Named(engine.ModeFC, name))
		m := try.Of(model.New(p, 0))
		m.Share(memory)
		for _, pilot := range pilots {
			for run := range runs {
				alg := try.Of(entry.New(m, opt))
				s := try.Of(engine.Begin(alg, opt))
				env := try.Of(sim.EnvironmentOf(t.Context(), p, 3, run))
				each := engine.Plan{Round: 1000, Counts: make([]int, p.N())}
				for i := range each.Counts {
					each.Counts[i] = pilot
				}
				if pilot > 0 {
					b := try.Of(env.Pull(t.Context(), each))
					try.To(s.AddData(b))
				}
				for {
					plan, more, err := s.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if !more {
						break
					}
					b, err := env.Pull(t.Context(), plan)
					if err == nil {
						err = s.Learn(t.Context(), b)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				samples[name+strconv.Itoa(pilot)] += float64(s.Outcome().Samples) / float64(runs)
			}
			t.Logf("%s, %d earlier rewards of every arm: %.0f samples", name, pilot, samples[name+strconv.Itoa(pilot)])
		}
	}
	if !(samples["CoBayesFC3"] < samples["CoBayesFC0"]*0.95) {
		t.Errorf("the posterior takes %.0f samples with 540 earlier rewards, %.0f without", samples["CoBayesFC3"], samples["CoBayesFC0"])
	}
}
