package sim_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

func openStore(t *testing.T, path string) *sim.Store {
	t.Helper()
	s := try.Of(sim.OpenStore(path))
	t.Cleanup(func() { s.Close() })
	return s
}

// bits returns the floats below v as bits, which distinguish -0 from 0.
func bits(v reflect.Value, out []uint64) []uint64 {
	switch v.Kind() {
	case reflect.Float64:
		return append(out, math.Float64bits(v.Float()))
	case reflect.Pointer:
		if !v.IsNil() {
			out = bits(v.Elem(), out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = bits(v.Field(i), out)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			out = bits(v.Index(i), out)
		}
	}
	return out
}

func sameResult(t *testing.T, want, got engine.Result) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s: what comes from the store differs (-fresh +stored):\n%s", want.Algorithm, d)
	} else if !reflect.DeepEqual(bits(reflect.ValueOf(want), nil), bits(reflect.ValueOf(got), nil)) {
		t.Errorf("%s: what comes from the store differs in the bits of a number", want.Algorithm)
	}
}

// For every algorithm, a second program reads from the store what the first wrote, bit by bit, including wrong answers, NaN and infinite
// margins.
func TestStoreIsLossless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	p := enginetest.Paper(t, 1, 0.4)
	s := openStore(t, path)
	var fresh []engine.Result
	var asked []sim.Experiment
	strange := false
	for _, e := range algorithms.All() {
		x := sim.Experiment{Problem: p, Mode: e.Mode, Algorithm: e.Name, Runs: 3, Seed: 1<<63 + 3, Detail: true}
		if e.Mode == engine.ModeFB {
			x.Options.Budget = 40
		}
		// stopped before anything is sampled
		for _, x.Options.MaxSamples = range []int{0, 1} {
			r, stored, err := s.Run(context.Background(), x)
			if err != nil || stored {
				t.Fatalf("%s: stored before it was run %t, error %v", e.Name, stored, err)
			}
			fresh, asked = append(fresh, r), append(asked, x)
			for _, v := range bits(reflect.ValueOf(r), nil) {
				f := math.Float64frombits(v)
				strange = strange || math.IsNaN(f) || math.IsInf(f, 0)
			}
		}
	}
	if !strange {
		t.Errorf("no number among %d results is NaN or infinite: nothing was tried", len(fresh))
	}
	try.To(s.Close())
	s = openStore(t, path)
	for i, x := range asked {
		x.Workers, x.Progress = 1, func(sim.Step) { t.Errorf("%s is run again", x.Algorithm) }
		r, stored, err := s.Run(context.Background(), x)
		if err != nil || !stored {
			t.Fatalf("%s: stored %t, error %v", x.Algorithm, stored, err)
		}
		sameResult(t, fresh[i], r)
	}
}

// Everything a result depends on changes the key, and nothing else does.
func TestStoreKeys(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "cells.jsonl"))
	formula := func(scale float64) kernels.Joint {
		return kernels.LiftArm(kernels.Func("mine", func(x, y []float64) float64 {
			sum := 0.0
			for i := range x {
				sum += scale * x[i] * y[i]
			}
			return sum
		}))
	}
	base := func() (sim.Experiment, *problem.Problem) {
		p := enginetest.Paper(t, 1, 0.5)
		p.Noise.SD = append([]float64{}, p.Noise.Scales...)
		return sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 2, Options: engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-9}}}, p
	}
	for _, c := range []struct {
		name   string
		change func(*sim.Experiment, *problem.Problem)
		stored bool
	}{
		{"base", func(*sim.Experiment, *problem.Problem) {}, false},
		{"again", func(*sim.Experiment, *problem.Problem) {}, true},
		{"workers", func(x *sim.Experiment, _ *problem.Problem) { x.Workers, x.Memory = 7, new(model.Memory) }, true},
		{"seed", func(x *sim.Experiment, _ *problem.Problem) { x.Seed = 5 }, false},
		{"runs", func(x *sim.Experiment, _ *problem.Problem) { x.Runs = 3 }, false},
		{"detail", func(x *sim.Experiment, _ *problem.Problem) { x.Detail = true }, false},
		{"delta", func(x *sim.Experiment, _ *problem.Problem) { x.Options.Delta = 0.01 }, false},
		{"xi", func(x *sim.Experiment, _ *problem.Problem) { x.Options.Ridge.Value = 1e-8 }, false},
		{"algorithm", func(x *sim.Experiment, _ *problem.Problem) { x.Algorithm = "IndKernelFC" }, false},
		{"mean", func(_ *sim.Experiment, p *problem.Problem) { p.Mean[3] = math.Nextafter(p.Mean[3], 9) }, false},
		{"noise", func(_ *sim.Experiment, p *problem.Problem) { p.Noise.Scales[29] = 0.9 }, false},
		{"sd", func(_ *sim.Experiment, p *problem.Problem) { p.Noise.SD[0] = 0.9 }, false},
		{"name", func(_ *sim.Experiment, p *problem.Problem) { p.Name = "other" }, false},
		{"formula", func(_ *sim.Experiment, p *problem.Problem) { p.Kernel = formula(1) }, false},
		{"formula of the same name", func(_ *sim.Experiment, p *problem.Problem) { p.Kernel = formula(4) }, false},
		{"that formula again", func(_ *sim.Experiment, p *problem.Problem) { p.Kernel = formula(4) }, true},
	} {
		x, p := base()
		c.change(&x, p)
		if _, stored, err := s.Run(context.Background(), x); err != nil || stored != c.stored {
			t.Errorf("%s: stored %t, error %v; want %t", c.name, stored, err, c.stored)
		}
	}
	x, _ := base()
	x.Draw = func(*rand.Rand, int, int, bool) (sim.Draw, error) { return sim.Draw{}, nil }
	if _, _, err := s.Run(context.Background(), x); err == nil || !strings.Contains(err.Error(), "your own reward function cannot be stored") {
		t.Errorf("a draw of its own: error %v", err)
	}
}

// Interrupted and failed cells are run again.
func TestStoreKeepsFinishedCells(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "cells.jsonl"))
	p := enginetest.Paper(t, 1, 0.5)
	ctx, cancel := context.WithCancel(context.Background())
	x := sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 50, Workers: 1, Progress: func(s sim.Step) {
		if s.Done == 5 {
			cancel()
		}
	}}
	if r, _, err := s.Run(ctx, x); !errors.Is(err, context.Canceled) || r.Runs != 5 {
		t.Fatalf("%d runs, error %v", r.Runs, err)
	}
	x.Progress = nil
	if r, stored, err := s.Run(context.Background(), x); err != nil || stored || r.Runs != 50 {
		t.Errorf("after the interrupt: stored %t, %d runs, error %v", stored, r.Runs, err)
	}
}

// After a kill while writing, the last line is dropped and the file is used further. Other damage is reported with its place, and a file
// of another kind is not changed.
func TestStoreDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	p := enginetest.Paper(t, 1, 0.5)
	run := func(s *sim.Store, seed uint64) bool {
		t.Helper()
		_, stored := try.Two(s.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoKernelFC", Runs: 1, Seed: seed}))
		return stored
	}
	s := openStore(t, path)
	run(s, 1)
	run(s, 2)
	s.Close()
	whole := try.Of(os.ReadFile(path))
	first := strings.IndexByte(string(whole), '\n') + 1
	for _, cut := range []int{first + 1, first + 8, first + 300, len(whole) - 1} {
		try.To(os.WriteFile(path, whole[:cut], 0o600))
		s := openStore(t, path)
		if !run(s, 1) || run(s, 2) {
			t.Errorf("cut at byte %d: want the first cell stored and the second not", cut)
		}
		s.Close()
		if again, err := os.ReadFile(path); err != nil || string(again) != string(whole) {
			t.Errorf("cut at byte %d: the file is not what it was before, error %v", cut, err)
		}
	}
	zeros := strings.Repeat("\x00", 5000)
	for what, tail := range map[string]string{
		"nothing but zeros": zeros, "a line that goes on in zeros": string(whole[first:first+300]) + zeros,
		"zeros before the end of a line": zeros + string(whole[len(whole)-20:]), "zeros and a line end": zeros + "\n",
	} {
		try.To(os.WriteFile(path, []byte(string(whole[:first])+tail), 0o600))
		s, err := sim.OpenStore(path)
		if err != nil {
			t.Errorf("%s after a power cut: %v", what, err)
			continue
		}
		if !run(s, 1) || run(s, 2) {
			t.Errorf("%s after a power cut: want the first cell stored and the second not", what)
		}
		s.Close()
		if again, err := os.ReadFile(path); err != nil || string(again) != string(whole) {
			t.Errorf("%s after a power cut: the file is not what it was before, error %v", what, err)
		}
	}
	for want, text := range map[string]string{
		":2: this line is not a stored result: invalid character '\\x00'":            string(whole[:first]) + zeros + "\n" + string(whole[first:]),
		":2: this line is not a stored result: invalid character":                    string(whole[:first]) + "?\n" + string(whole[first:]),
		":1: this line is not a stored result: its key must have 64 hexadecimal":     "{}\n",
		`is not a store of results. Its last line begins with "task,arm"`:            "task,arm,mean",
		":2: this line is not a stored result: its special number at 9999 is out of": string(whole[:first]) + strings.TrimSuffix(string(whole[first:]), "}\n") + `,"special":[{"at":9999,"bits":"1"}]}` + "\n",
	} {
		try.To(os.WriteFile(path, []byte(text), 0o600))
		if _, err := sim.OpenStore(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\n want %s", err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != text {
			t.Errorf("%s: the file was changed", want)
		}
	}
}

// A file with results of an earlier revision can be opened; its results, with warnings as sentences, are recomputed.
func TestStoreOfAnEarlierRevision(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	line := `{"key":"` + strings.Repeat("0", 64) + `","problem":"p","algorithm":"CoTestFC","result":{"warnings":["few runs"]}}` + "\n"
	try.To(os.WriteFile(path, []byte(line), 0o600))
	s := openStore(t, path)
	p := enginetest.Paper(t, 1, 0.5)
	if _, stored, err := s.Run(context.Background(), sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1}); stored || err != nil {
		t.Errorf("stored %t, error %v; want a run", stored, err)
	}
	if after, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(after), line) {
		t.Errorf("the line of the earlier revision is gone, error %v", err)
	}
}

// A file belongs to one store at a time, until it is closed.
func TestStoreIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	s := openStore(t, path)
	if _, err := sim.OpenStore(path); err == nil || !strings.Contains(err.Error(), "in use by another sweep or program") {
		t.Errorf("opened twice: error %v", err)
	}
	s.Close()
	openStore(t, path)
	if _, err := sim.OpenStore(filepath.Join(path, "cells.jsonl")); err == nil {
		t.Error("a store below a file was opened")
	}
}

// Problems that differ in any part of the noise model have different keys, including fields added later.
func TestStoreKeyOfNoise(t *testing.T) {
	changes := map[string]func(*problem.NoiseModel){
		"Scales":      func(m *problem.NoiseModel) { m.Scales[7] = math.Nextafter(1, 2) },
		"Known":       func(m *problem.NoiseModel) { m.Known = problem.NoiseSD },
		"UnknownBy":   func(m *problem.NoiseModel) { m.UnknownBy = problem.UnknownTask },
		"Bounds":      func(m *problem.NoiseModel) { m.Bounds = &[2]float64{0, 2} },
		"Scatter":     func(m *problem.NoiseModel) { m.Scatter = 0.1 },
		"SD":          func(m *problem.NoiseModel) { m.SD = slices.Clone(m.Scales) },
		"Environment": func(m *problem.NoiseModel) { m.Environment = problem.EnvironmentPrior },
	}
	key := func(change func(*problem.NoiseModel)) string {
		p := enginetest.Paper(t, 1, 0.1)
		change(&p.Noise)
		return try.Of(sim.KeyOf(sim.Experiment{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Runs: 1}))
	}
	base := key(func(*problem.NoiseModel) {})
	for i := range reflect.TypeFor[problem.NoiseModel]().NumField() {
		name := reflect.TypeFor[problem.NoiseModel]().Field(i).Name
		if changes[name] == nil {
			t.Fatalf("no change of %s to test", name)
		}
		if key(changes[name]) == base {
			t.Errorf("the key does not tell problems apart that differ in %s", name)
		}
	}
}
