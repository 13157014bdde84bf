package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// scripted plans and answers what a test says.
type scripted struct {
	counts  []int
	answers []engine.Answer
	learned int
}

func (s *scripted) Plan(context.Context) (engine.Plan, error) {
	return engine.Plan{Round: 1, Counts: s.counts, WantSquares: true}, nil
}
func (s *scripted) Learn(context.Context, engine.Batch) error { s.learned++; return nil }
func (s *scripted) Done() bool                                { return s.learned > 0 }
func (s *scripted) State() engine.State                       { return engine.State{Answers: s.answers} }

// A plan or an answer that does not fit the problem ends the run with an error that says what to change.
func TestStateChecked(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{0, 1})
	first := p.Arms.Names[0]
	good := []engine.Answer{{Leader: first, Decided: true}, {Arm: p.Arms.Names[2]}}
	for _, c := range []struct {
		name    string
		counts  []int
		answers []engine.Answer
		want    string // part of the error; "" for none
	}{
		{"good", []int{2, 1, 1, 1}, good, ""},
		{"short plan", []int{1, 1, 1}, good, "3 counts for 4 arms"},
		{"negative", []int{1, -1, 1, 1}, good, "-1 pulls of arm 1"},
		{"nothing", []int{0, 0, 0, 0}, good, "no pulls"},
		{"one answer", []int{1, 1, 1, 1}, good[:1], "1 answers for 2 tasks"},
		{"another task's arm", []int{1, 1, 1, 1}, []engine.Answer{{Leader: first}, {Leader: "nowhere"}}, `arm "nowhere" of task`},
	} {
		s, err := engine.Begin(engine.DetailedOf(&scripted{counts: c.counts, answers: c.answers}, p), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plan, _, err := s.Next(t.Context())
		if err == nil {
			rewards := make([][]float64, p.N())
			for i, n := range plan.Counts {
				for range n {
					rewards[i] = append(rewards[i], float64(i))
				}
			}
			err = s.Learn(t.Context(), engine.BatchOf(plan, rewards))
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if c.want == "" {
			want := []engine.Answer{{Task: p.Tasks.Names[0], Arm: first, Leader: first, Decided: true},
				{Task: p.Tasks.Names[1], Leader: p.Arms.Names[2]}}
			if got := s.Outcome(); !cmp.Equal(got.Answers, want) || got.Samples != 5 {
				t.Errorf("%s: %+v", c.name, got)
			}
		}
	}
}

// An algorithm that eliminates arms has plans and states from its sets of arms.
func TestSets(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1}, []float64{0, 1})
	sets, names := [][]int{{0, 1}, {3}}, p.Arms.Names
	if got := engine.PlanOfSets(p, sets, 5).Counts; !cmp.Equal(got, []int{5, 5, 0, 0}) {
		t.Errorf("counts %v", got)
	}
	want := engine.State{Estimates: []float64{2, 4, 6, 8}, Alive: 3, Answers: []engine.Answer{
		{Task: p.Tasks.Names[0], Leader: names[1], Estimate: 4, Candidates: names[:2]},
		{Task: p.Tasks.Names[1], Leader: names[3], Arm: names[3], Decided: true, Estimate: 8},
	}}
	if got := engine.StateOfSets(p, sets, []float64{1, 2, 3, 4}, 2); !cmp.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := engine.StateOfSets(p, sets, nil, 2); got.Estimates != nil || got.Answers[0].Leader != names[0] {
		t.Errorf("before any data: %+v", got)
	}
}

// A batch has what the plan wants: counts and means, and with squares also the extremes.
func TestBatchOf(t *testing.T) {
	rewards := [][]float64{{1, 3}, nil, {5}}
	p := engine.Plan{Round: 1, Counts: []int{2, 0, 1}}
	want := engine.Batch{Counts: p.Counts, Means: []float64{2, 0, 5}}
	if got := engine.BatchOf(p, rewards); !cmp.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	p.WantSquares = true
	want.Squares, want.Ranges = []float64{2, 0, 0}, [][2]float64{{1, 3}, {}, {5, 5}}
	got := engine.BatchOf(p, rewards)
	if !cmp.Equal(got, want) {
		t.Errorf("with squares: %+v", got)
	}
	if err := engine.CheckBatch(p, got); err != nil {
		t.Error(err)
	}
}
