package algorithms_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// An option that an algorithm has changes its runs on some instance, and one that it does not have changes none. A norm is checked where
// features are regularised; its effect on cut features has its own test.
func TestOptionsOfAlgorithms(t *testing.T) {
	m := plain.ModelOf(t, enginetest.Paper(t, 1, 0.3))
	type settings []func(*engine.Options)
	for _, x := range []struct {
		option string
		settings
	}{
		{"schedule", settings{
			func(o *engine.Options) { o.Schedule = engine.ScheduleTuned },
			func(o *engine.Options) { o.Schedule = engine.SchedulePaper },
		}},
		{"xi", settings{
			func(o *engine.Options) { o.Ridge = engine.Ridge{Kind: engine.RidgeAuto} },
			func(o *engine.Options) { o.Ridge = engine.Ridge{Kind: engine.RidgeValue, Value: 0.3} },
			func(o *engine.Options) { o.Ridge = engine.Ridge{Kind: engine.RidgeGP} },
		}},
		{"gap", settings{
			func(o *engine.Options) { o.Gap = 0.05 },
			func(o *engine.Options) { o.Gap = 0.3 },
		}},
		{"norm", settings{
			func(o *engine.Options) { o.Norm = 3 },
			func(o *engine.Options) { o.Norm = 30 },
		}},
		{"law", settings{
			func(o *engine.Options) { o.Law = engine.LawNormal },
			func(o *engine.Options) { o.Law = engine.LawSubGaussian },
		}},
		{"misfit", settings{
			func(o *engine.Options) {},
			func(o *engine.Options) { o.Misfit = 0.05 },
		}},
	} {
		option := x.option
		for _, e := range algorithms.All() {
			if e.Mode == engine.ModeFB && (option == "schedule" || option == "law" || option == "misfit") {
				continue // fb has no such parameter
			}
			var outcomes []string
			for _, set := range x.settings {
				opt := engine.Options{Delta: 0.1, Budget: 60, MaxSamples: 1e9, MaxRounds: 12}
				set(&opt)
				outcomes = append(outcomes, ending(t, m, e, opt))
			}
			differ := false
			for _, o := range outcomes {
				differ = differ || o != outcomes[0]
			}
			switch {
			case !e.Takes(option) && differ:
				t.Errorf("%s %s has no %s, and it changes the run", e.Mode, e.Name, option)
			case e.Takes(option) && !differ && option != "norm":
				t.Errorf("%s %s has %s, and it changes nothing", e.Mode, e.Name, option)
			}
		}
	}
}

// ending returns the pulls by round and the answers of a run, or that the option is refused; ErrNoMisfit counts as not having the option.
func ending(t *testing.T, m *model.Model, e algorithms.Entry, opt engine.Options) string {
	t.Helper()
	alg, err := e.New(m, opt)
	if errors.Is(err, engine.ErrNoMisfit) {
		opt.Misfit = 0
		alg, err = e.New(m, opt)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	rng := rand.New(rand.NewPCG(1, 9))
	var pulls []string
	out := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch {
		pulls = append(pulls, fmt.Sprint(plan.Counts))
		return enginetest.Pull(rng, m.Problem, plan)
	})
	return fmt.Sprint(pulls, out.Answers)
}

// An unknown option is an error, not an option of all algorithms.
func TestMisspeltOption(t *testing.T) {
	defer func() {
		if said, want := fmt.Sprint(recover()), `engine: no option of algorithms is named "shedule"`; said != want {
			t.Errorf("%s, want %s", said, want)
		}
	}()
	algorithms.Default(engine.ModeFC).Takes("shedule")
}
