package sim_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// slot is one pull of a run.
type slot struct{ round, arm, number int }

// reward draws the reward of a slot from the measured rewards of its arm, independent of the order of calls.
func (s slot) reward(p *problem.Problem) float64 {
	rng := rand.New(rand.NewPCG(uint64(s.round)<<32|uint64(s.arm), uint64(s.number)))
	raw := p.Rewards[s.arm]
	return raw[rng.IntN(len(raw))]
}

// inOrder sums the rewards of a round slot by slot.
func inOrder(plan engine.Plan, reward func(slot) float64) engine.Batch {
	b := engine.Batch{Counts: plan.Counts, Means: make([]float64, len(plan.Counts))}
	if plan.WantSquares {
		b.Squares = make([]float64, len(plan.Counts))
	}
	for i, n := range plan.Counts {
		for k := range n {
			b.Means[i] += reward(slot{plan.Round, i, k}) / float64(n)
		}
		for k := 0; k < n && b.Squares != nil; k++ {
			d := reward(slot{plan.Round, i, k}) - b.Means[i]
			b.Squares[i] += d * d
		}
	}
	return b
}

// Five campaigns on the coupling data: results that come late, twice and in any order make the same run as engine.Run, bit for bit,
// digests included.
func TestStepsOfCampaigns(t *testing.T) {
	if testing.Short() {
		t.Skip("runs on the coupling data")
	}
	p := couplingProblem(t)
	known, unknown := *p, *p
	known.Noise.Scales, known.Noise.UnknownBy = make([]float64, p.N()), ""
	for i := range known.Noise.Scales {
		known.Noise.Scales[i] = 20
	}
	unknown.Noise.Scales, unknown.Noise.UnknownBy = known.Noise.Scales, problem.UnknownProblem
	xi := engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}
	for _, c := range []struct {
		name, algorithm string
		p               *problem.Problem
		mode            string
		opt             engine.Options
	}{
		{"CoTestFC", "CoTestFC", &known, engine.ModeFC, engine.Options{Epsilon: 10}},
		{"CoTestFC, noise unknown", "CoTestFC", &unknown, engine.ModeFC, engine.Options{Epsilon: 10}},
		{"CoBayesFC", "CoBayesFC", &known, engine.ModeFC, engine.Options{Epsilon: 10}},
		{"CoKernelFC", "CoKernelFC", &known, engine.ModeFC, engine.Options{Epsilon: 10, Ridge: xi, Norm: 5}},
		{"CoKernelFB", "CoKernelFB", &known, engine.ModeFB, engine.Options{Budget: 48, Ridge: xi, Norm: 5}},
	} {
		entry := try.Of(algorithms.Named(c.mode, c.algorithm))
		memory := new(model.Memory)
		create := func() engine.Algorithm {
			m := try.Of(model.New(c.p, 0))
			return try.Of(entry.New(m.Share(memory), c.opt))
		}
		want := try.Of(engine.Run(context.Background(), create(), enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
			return inOrder(plan, func(s slot) float64 { return s.reward(c.p) })
		}), c.opt))

		s := try.Of(engine.Begin(create(), c.opt))
		rng := rand.New(rand.NewPCG(7, 7))
		for {
			plan, more := try.Two(s.Next(t.Context()))
			if !more {
				break
			}
			var todo []slot
			for i, n := range plan.Counts {
				for k := range n {
					todo = append(todo, slot{plan.Round, i, k})
				}
			}
			told := map[slot]float64{}
			for len(told) < len(todo) { // a third arrives each day, some of it again
				rng.Shuffle(len(todo), func(a, b int) { todo[a], todo[b] = todo[b], todo[a] })
				for _, at := range todo[:max(1, len(todo)/3)] {
					told[at] = at.reward(c.p)
				}
				if len(told) > len(todo)*19/20 {
					for _, at := range todo {
						told[at] = at.reward(c.p)
					}
				}
			}
			try.To(s.Learn(t.Context(), inOrder(plan, func(at slot) float64 { return told[at] })))
		}
		got := try.Of(json.Marshal(s.Outcome()))
		expected := try.Of(json.Marshal(want))
		t.Logf("%s: %d rounds, %d samples, %s", c.name, len(want.Rounds), want.Samples, want.Status)
		if string(got) != string(expected) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, expected)
		}
	}
}
