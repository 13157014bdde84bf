package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// jsonOf returns a result as JSON, without the numbers that JSON cannot encode, which bits compares.
func jsonOf(t *testing.T, r engine.Result) string {
	t.Helper()
	text := try.Of(json.Marshal(finite(r)))
	return string(text)
}

// finite returns a copy of a result with each non-finite number replaced.
func finite(r engine.Result) engine.Result {
	r.Answers, r.Progress = slices.Clone(r.Answers), slices.Clone(r.Progress)
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64:
			if f := v.Float(); (math.IsNaN(f) || math.IsInf(f, 0)) && v.CanSet() {
				v.SetFloat(-12345)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				visit(v.Field(i))
			}
		case reflect.Slice:
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			if !v.IsNil() && v.CanSet() {
				v.Set(c)
			}
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	visit(reflect.ValueOf(&r).Elem())
	return r
}

// sameBits compares results as JSON and number by number.
func sameBits(t *testing.T, what string, want, got engine.Result) {
	t.Helper()
	if a, b := jsonOf(t, want), jsonOf(t, got); a != b {
		t.Errorf("%s:\n together %s\n in parts %s", what, a, b)
		return
	}
	a, b := bits(reflect.ValueOf(want), nil), bits(reflect.ValueOf(got), nil)
	if !slices.Equal(a, b) {
		t.Errorf("%s: a number differs in its bits", what)
	}
}

// experiments returns one of every algorithm: a problem that decides, one that errs, one with a misspecified kernel, one with unknown
// noise; with and without the data of a sweep.
func experiments(t *testing.T, runs int) []sim.Experiment {
	t.Helper()
	strange := enginetest.Paper(t, 2, 0.4)
	strange.Mean = slices.Clone(strange.Mean)
	strange.Mean[7] += 0.9 // outside of the kernel's space
	unknown := enginetest.Paper(t, 1, 0.6)
	unknown.Noise.UnknownBy = problem.UnknownProblem
	problems := []*problem.Problem{enginetest.Paper(t, 1, 0.5), strange, unknown}
	if testing.Short() {
		problems = problems[1:]
	}
	var out []sim.Experiment
	for k, p := range problems {
		for _, e := range algorithms.All() {
			opt := engine.Options{Delta: 0.3, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}, MaxSamples: 60_000}
			if e.Mode == engine.ModeFB {
				opt = engine.Options{Budget: 60, Ridge: opt.Ridge}
			}
			if e.OneByOne {
				opt.Batch = 20 // one pull at a time takes minutes
			}
			out = append(out, sim.Experiment{
				Problem: p, Mode: e.Mode, Algorithm: e.Name, Options: opt, Runs: runs, Seed: uint64(3 + k),
				Detail: k == 1, Workers: 1, Memory: new(model.Memory),
			})
		}
	}
	return out
}

// For every algorithm, runs cut anywhere merge in any order to the result of Run, bit by bit; without the last runs, to
// the result of fewer runs.
func TestParts(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const runs = 7
	rng := rand.New(rand.NewPCG(1, 2))
	made, warned, undecided := 0, 0, 0
	const divisions = 3
	for _, x := range experiments(t, runs) {
		want, err := sim.Run(context.Background(), x)
		if errors.Is(err, engine.ErrUnsuited) || err != nil && strings.Contains(err.Error(), "is unknown. Write noise=") {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", x.Algorithm, err)
		}
		made++
		warned += len(want.Warnings)
		undecided += want.Undecided.Count
		x.Memory, x.Workers = nil, 2
		there := try.Of(sim.Prepare(context.Background(), x))
		for range divisions {
			var parts []*sim.Part
			for from := 0; from < runs; {
				to := from + 1 + rng.IntN(runs-from)
				p := try.Of(there.RunPart(context.Background(), from, to))
				parts = append(parts, p)
				from = to
			}
			here := try.Of(sim.Prepare(context.Background(), x))
			got := here.Result(context.Background(), shuffled(rng, parts)...)
			sameBits(t, x.Algorithm+" on "+x.Problem.Name, want, got)

			_, last := parts[0].Range()
			some := here.Result(context.Background(), parts[0])
			few := x
			few.Runs = last
			fewer := try.Of(sim.Run(context.Background(), few))
			fewer.Asked = runs
			sameBits(t, x.Algorithm+" with missing parts", fewer, some)
		}
	}
	if made < 20 || warned == 0 || undecided == 0 {
		t.Errorf("%d experiments, %d warnings, %d undecided runs: not enough was tried", made, warned, undecided)
	}
}

func shuffled(rng *rand.Rand, parts []*sim.Part) []*sim.Part {
	parts = slices.Clone(parts)
	rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}

// A part of an interrupted run has its finished runs; if there are none, the result displays the first started run, as Run does.
func TestPartOfInterruptedRun(t *testing.T) {
	for _, after := range []int{3, 0} {
		x := sim.Experiment{Problem: enginetest.Paper(t, 3, 0.1), Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 50, Seed: 4, Workers: 1}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		draw, err := sim.DrawerOf(x.Problem)
		if err != nil {
			t.Fatal(err)
		}
		pulled := 0
		stopping := x
		stopping.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
			if pulled++; after == 0 && pulled == 45 { // within the second round of the first run
				cancel()
			}
			return draw(rng, i, n, squares)
		}
		stopping.Progress = func(s sim.Step) {
			if after > 0 && s.Done == after {
				cancel()
			}
		}
		there := try.Of(sim.Prepare(context.Background(), stopping))
		p, err := there.RunPart(ctx, 0, 50)
		if !errors.Is(err, context.Canceled) || p.Done() != after {
			t.Fatalf("%d runs finished, error %v; want %d and an interrupt", p.Done(), err, after)
		}
		here := try.Of(sim.Prepare(context.Background(), x))
		r := here.Result(context.Background(), p)
		if r.Runs != after || len(r.Trace) == 0 || len(r.Answers) != 5 {
			t.Errorf("a result of %d runs with %d rounds and %d answers; want %d runs, a trace and 5 answers", r.Runs, len(r.Trace), len(r.Answers), after)
		}
	}
}

// Runs outside of an experiment are refused.
func TestPartsThatDoNotFit(t *testing.T) {
	x := sim.Experiment{Problem: enginetest.Paper(t, 1, 0.5), Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 6, Workers: 1}
	ts := try.Of(sim.Prepare(context.Background(), x))
	for _, limits := range [][2]int{{-1, 2}, {2, 2}, {4, 7}} {
		if _, err := ts.RunPart(context.Background(), limits[0], limits[1]); err == nil {
			t.Errorf("a part from %d to %d was run", limits[0], limits[1])
		}
	}
}
