package farm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// A chunk that cannot be made is tried three times, by any worker. Then its error is shown, and the sweep ends with the finished results.
func TestFailingChunk(t *testing.T) {
	const runs = `r = fc(paper(case=1, gap=0.6), runs=30)
sweep(r, gap=[0.6, 0.7, 0.8, 0.9])`
	ex := cluster.NewMemory()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// two workers fail, so that it does not matter who takes a chunk
	fails := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		s, err := dsl.Remake(ctx, r, read)
		return failing{s}, err
	}
	// of another build, so that the key of the experiment, which has none here, is not compared
	a := work(ctx, &farm.Worker{Exchange: ex, Name: "a", Make: fails, Build: other(), Mixed: true})
	b := work(ctx, &farm.Worker{Exchange: ex, Name: "b", Make: fails, Build: other(), Mixed: true})
	_, displays, err := evaluate(t, t.Context(), runs, dsl.Options{Runner: runner(ex)})
	cancel()
	<-a
	<-b
	if err == nil || !strings.Contains(err.Error(), "stopped after 3 failures, the last on worker ") || !strings.Contains(err.Error(), "the arm is broken") || !strings.Contains(err.Error(), "in the sweep with gap=0.8") {
		t.Errorf("error %v, want why runs fail", err)
	}
	if len(displays) == 1 {
		for _, row := range displays[0].Value.(sim.Sweep).Rows {
			if row.Result.Runs != 30 || row.Values[0] == 0.8 {
				t.Errorf("gap %v has %d runs", row.Values[0], row.Result.Runs)
			}
		}
	}
}

// failing is a source whose experiments of gap 0.8 fail after some runs.
type failing struct{ farm.Source }

// Experiment returns the third one with rewards that break off, and others unchanged.
func (s failing) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	x, err := s.Source.Experiment(ctx, cell)
	if err != nil || cell != 2 {
		return x, err
	}
	draw, err := sim.DrawerOf(x.Problem)
	if err != nil {
		return x, err
	}
	x.Options.MaxRounds = 0
	draws := 0
	x.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
		if draws++; draws > 600 && i == 3 {
			return sim.Draw{}, errors.New("the arm is broken")
		}
		return draw(rng, i, n, squares)
	}
	return x, nil
}

// Two workers of one build that make different results are a defect that is reported.
func TestContradiction(t *testing.T) {
	ex := &doubling{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wrong := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		s, err := dsl.Remake(ctx, r, read)
		return drifting{s}, err
	}
	right := work(ctx, &farm.Worker{Exchange: ex, Name: "right", Build: other(), Mixed: true})
	go func() {
		_, _, _ = evaluate(t, ctx, "r = fc(paper(case=1, gap=0.6))\nsweep(r, seed=1..9)", dsl.Options{Runner: runner(ex)})
	}()
	var err error
	select {
	case err = <-work(ctx, &farm.Worker{Exchange: ex, Name: "wrong", Make: wrong, Build: other(), Mixed: true}):
	case err = <-right:
	}
	if err == nil || !strings.Contains(err.Error(), "have the same build but computed different results of the same runs") {
		t.Errorf("error %v", err)
	}
}

// drifting draws other rewards.
type drifting struct{ farm.Source }

// Experiment returns one whose mean rewards are a little higher, as a processor that adds wrongly would have them.
func (s drifting) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	x, err := s.Source.Experiment(ctx, cell)
	if err == nil {
		var draw sim.Drawer
		draw, err = sim.DrawerOf(x.Problem)
		x.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
			d, err := draw(rng, i, n, squares)
			d.Mean += 0.01
			return d, err
		}
	}
	return x, err
}
