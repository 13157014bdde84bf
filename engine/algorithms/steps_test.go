package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// suited returns an algorithm on a problem that all of them accept, with options that all of them need.
func suited(t *testing.T, entry Entry) (*problem.Problem, engine.Algorithm, engine.Options) {
	t.Helper()
	p, err := problem.Classic([]float64{0, 1, 1.5, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	opt := engine.Options{MaxRounds: 12}
	if entry.Mode == engine.ModeFB {
		opt.Budget = 100
	}
	alg, err := entry.New(plain.ModelOf(t, p), opt)
	if err != nil {
		t.Fatalf("%s: %v", entry.Name, err)
	}
	return p, alg, opt
}

// Steps that request each plan twice make the same run as engine.Run.
func TestStepsAreRun(t *testing.T) {
	for _, entry := range All() {
		p, alg, opt := suited(t, entry)
		rng := rand.New(rand.NewPCG(4, 4))
		want := enginetest.Run(t, alg, opt, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) })
		if d, ok := alg.(engine.Detailed); ok && !reflect.DeepEqual(alg.State(), engine.StateOf(d)) { // not that of an embedded algorithm
			t.Errorf("%s: its state is %+v, its parts are %+v", entry.Name, alg.State(), engine.StateOf(d))
		}

		_, alg, _ = suited(t, entry)
		rng = rand.New(rand.NewPCG(4, 4))
		s := try.Of(engine.Begin(alg, opt))
		for {
			plan, more := try.Two(s.Next(t.Context()))
			if !more {
				break
			}
			if s.Outcome().Status != engine.StatusInterrupted {
				t.Errorf("%s: status %q in an open round", entry.Name, s.Outcome().Status)
			}
			plan.Counts[0] = -7 // a copy
			plan, _, _ = s.Next(t.Context())
			try.To(s.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		}
		if got := s.Outcome(); all(got) != all(want) || len(got.Rounds) == 0 {
			t.Errorf("%s: steps give\n%s\nRun gives\n%s", entry.Name, all(got), all(want))
		}
	}
}

// all returns all numbers of an outcome as text.
func all(out engine.Outcome) string {
	text := ""
	for _, r := range out.Rounds {
		p := math.NaN()
		if r.LackOfFit != nil {
			p = *r.LackOfFit
		}
		r.LackOfFit = nil
		text += fmt.Sprintf("%+v %v\n", r, p)
	}
	out.Rounds = nil
	if out.LackOfFit != nil {
		text += fmt.Sprintf("%+v\n", *out.LackOfFit)
		out.LackOfFit = nil
	}
	return text + fmt.Sprintf("%+v", out)
}

// A sample limit ends a run without an error and is distinct from a failure to plan.
func TestStepsLimits(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.1)
	for want, opt := range map[engine.Status]engine.Options{
		engine.StatusSamples: {MaxSamples: 50},
		engine.StatusRounds:  {MaxRounds: 1},
	} {
		entry, _ := Named(engine.ModeFC, "CoTestFC")
		alg := try.Of(entry.New(plain.ModelOf(t, p), opt))
		s := try.Of(engine.Begin(alg, opt))
		rng := rand.New(rand.NewPCG(1, 1))
		for range 3 {
			plan, more := try.Two(s.Next(t.Context()))
			if more {
				try.To(s.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
			}
		}
		if got := s.Outcome(); got.Status != want || len(got.Rounds) == 0 || got.Samples > 50 && opt.MaxSamples > 0 {
			t.Errorf("%+v: status %q after %d rounds and %d samples, want %q", opt, got.Status, len(got.Rounds), got.Samples, want)
		}
	}
	s := try.Of(engine.Begin(broken{}, engine.Options{}))
	for range 2 {
		if _, more, err := s.Next(t.Context()); more || err == nil || err.Error() != "round 1: planning: broken" {
			t.Errorf("more %v, error %v", more, err)
		}
	}
	if got := s.Outcome().Status; got != engine.StatusInterrupted {
		t.Errorf("status %q", got)
	}
}

// broken cannot plan.
type broken struct{}

func (broken) Plan(context.Context) (engine.Plan, error) {
	return engine.Plan{}, errors.New("broken")
}
func (broken) Learn(context.Context, engine.Batch) error { return nil }
func (broken) Done() bool                                { return false }
func (broken) State() engine.State                       { return engine.State{} }

// Replicas whose rewards differ in the last bit have different digests from the next plan on, even if their counts agree; likewise with
// additional rewards or another order.
func TestDigestsChain(t *testing.T) {
	entry, _ := Named(engine.ModeFC, "CoTestFC")
	second := func(change func(s *engine.Steps, b *engine.Batch)) (counts, digest string) {
		p, alg, opt := suited(t, entry)
		s := try.Of(engine.Begin(alg, opt))
		plan, _, _ := s.Next(t.Context())
		if first := plan.Digest; len(first) != 16 {
			t.Errorf("digest %q", first)
		}
		b := enginetest.Pull(rand.New(rand.NewPCG(1, 1)), p, plan)
		change(s, &b)
		try.To(s.Learn(t.Context(), b))
		plan, _ = try.Two(s.Next(t.Context()))
		return fmt.Sprint(plan.Counts), plan.Digest
	}
	counts, digest := second(func(*engine.Steps, *engine.Batch) {})
	if c, d := second(func(*engine.Steps, *engine.Batch) {}); c != counts || d != digest {
		t.Errorf("replicas that were told the same differ: %s and %s", d, digest)
	}
	c, d := second(func(_ *engine.Steps, b *engine.Batch) { b.Means[1] += 1e-15 })
	if c != counts || d == digest {
		t.Errorf("a reward that differs: the same counts %v, the same digest %v", c == counts, d == digest)
	}
	older := engine.Batch{Counts: make([]int, 12), Means: make([]float64, 12)}
	older.Counts[2], older.Means[2] = 1, 1
	newer := engine.Batch{Counts: slices.Clone(older.Counts), Means: slices.Clone(older.Means)}
	newer.Means[2] = 2
	inform := func(bs ...engine.Batch) func(*engine.Steps, *engine.Batch) {
		return func(s *engine.Steps, _ *engine.Batch) {
			for _, b := range bs {
				try.To(s.AddData(b))
			}
		}
	}
	seen := map[string]bool{digest: true}
	for _, f := range []func(*engine.Steps, *engine.Batch){inform(older), inform(newer), inform(older, newer), inform(newer, older)} {
		_, d := second(f)
		if seen[d] {
			t.Errorf("digest %s twice", d)
		}
		seen[d] = true
	}
}

// Calls out of order return an error and change nothing.
func TestStepsOutOfTurn(t *testing.T) {
	entry, _ := Named(engine.ModeFC, "CoTestFC")
	p, alg, opt := suited(t, entry)
	s := try.Of(engine.Begin(alg, opt))
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	refused(s.Learn(t.Context(), engine.Batch{}), "no round is open")
	refused(s.Amend(nil), "no round is open")
	plan, _, _ := s.Next(t.Context())
	refused(s.Amend(plan.Counts[1:]), "11 counts for 12 arms")
	refused(s.Amend(append([]int{-1}, plan.Counts[1:]...)), "arm 0: the count must be 0 or more, got -1")
	short := engine.Batch{Counts: plan.Counts[1:], Means: p.Mean[1:]}
	refused(s.Learn(t.Context(), short), "11 counts and 11 means for 12 arms")
	refused(s.AddData(short), "11 counts and 11 means for 12 arms")
	if again, more, err := s.Next(t.Context()); err != nil || !more || fmt.Sprint(again) != fmt.Sprint(plan) {
		t.Errorf("the plan is %v, was %v (%v)", again, plan, err)
	}
	if err := s.Learn(t.Context(), engine.Batch{Counts: plan.Counts, Means: p.Mean}); err != nil {
		t.Error(err)
	}
	if _, err := engine.Begin(alg, engine.Options{Delta: 2}); err == nil {
		t.Error("delta = 2 is taken")
	}
}

// A round ends with the context it is planned under, even if its model was made under another one. Other runs on the same model continue,
// and so does a run whose earlier round had a context that has ended since.
func TestRoundEndsWithItsContext(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	m := try.Of(model.New(p, 0))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	ends := 0
	for _, entry := range All() {
		opt := engine.Options{Budget: 400, Norm: 10, Epsilon: 0.1}
		alg, err := entry.New(m, opt)
		if errors.Is(err, engine.ErrUnsuited) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		if _, err := alg.Plan(cancelled); errors.Is(err, context.Canceled) {
			ends++
		} else if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
		}
		if alg, err = entry.New(m, opt); err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		s := try.Of(engine.Begin(alg, opt))
		for range 2 {
			ctx, end := context.WithCancel(t.Context())
			plan, more, err := s.Next(ctx)
			if err == nil && more {
				err = s.Learn(ctx, enginetest.SquaresPull(rand.New(rand.NewPCG(1, 1)), p, p.Noise.Scales, plan))
			}
			end()
			if err != nil {
				t.Errorf("%s: %v", entry.Name, err)
			}
		}
	}
	if ends < 10 {
		t.Errorf("%d algorithms look at the context of a round", ends)
	}
}

// once is an algorithm whose noise check rejects after the first round only.
type once struct{ engine.Detailed }

func (once) NoiseCheck() engine.NoiseCheck { return &onceCheck{} }

type onceCheck struct{ rounds int }

func (c *onceCheck) Learn([]engine.Side, engine.Batch) *engine.Warning {
	if c.rounds++; c.rounds > 1 {
		return nil
	}
	return &engine.Warning{Kind: engine.WarnNoiseAbove}
}

// Data that once contradict the noise model contradict it at the end of the run, too.
func TestContradictionOfNoiseStays(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1, 2}, []float64{2, 1, 0})
	alg := try.Of(Default(engine.ModeFC).New(plain.ModelOf(t, p), engine.Options{}))
	s := try.Of(engine.Begin(once{engine.DetailedOf(alg, nil)}, engine.Options{}))
	rng := rand.New(rand.NewPCG(3, 3))
	out := drive(t, s, func(plan engine.Plan) engine.Batch { return enginetest.Pull(rng, p, plan) }, nil)
	if len(out.Rounds) < 2 || out.Noise == nil {
		t.Errorf("after %d rounds the contradiction is %v", len(out.Rounds), out.Noise)
	}
}
