package question_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// An algorithm of your own accepts measurements as it accepts simulated rewards, and its name is part of the question's identity.
func TestOwn(t *testing.T) {
	ctx, p := context.Background(), yields()
	own := &algorithms.Entry{Name: "Largest", New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
		return &largest{p: m.Problem}, nil
	}}
	q := question.Question{Problem: p, Mode: engine.ModeFC, Own: own}
	run, err := q.Begin(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, more, err := run.Next(ctx)
	if err != nil || !more {
		t.Fatalf("no first round: %v", err)
	}
	try.To(run.Learn(ctx, measured(p, plan)))
	r, err := run.Result()
	if err != nil || r.Algorithm != "Largest" || r.Answers[0].Arm != "warm" || r.Answers[1].Arm != "cold" {
		t.Errorf("%s answers %v, %v", r.Algorithm, r.Answers, err)
	}
	if id, err := q.Identity(); err != nil || id.Algorithm != "Largest" {
		t.Errorf("the algorithm's name is %q, %v", id.Algorithm, err)
	}
	q.Algorithm = "CoTestFC"
	if _, err := q.Begin(ctx, nil); err == nil || !strings.Contains(err.Error(), `Algorithm must be empty or "Largest"`) {
		t.Errorf("two algorithms are %v", err)
	}
}

// Simulations with many runs do not look up the name for each run: that took as long as a short run.
func TestOwnOn(t *testing.T) {
	own := &algorithms.Entry{Name: "Largest", New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
		return &largest{p: m.Problem}, nil
	}}
	q := question.Question{Problem: yields(), Mode: engine.ModeFC, Own: own, Simulated: true}
	m, err := q.Model(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	begun := testing.AllocsPerRun(100, func() { _, err = q.On(m) })
	if err != nil || begun > 5 {
		t.Errorf("%g allocations to begin a run, %v", begun, err)
	}
}
