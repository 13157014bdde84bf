package plan

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Costs and times by hand. Two agents, three rounds:
//
//	round  pulls   batches of 10   agents at work
//	1      25, 4   3, 1            2
//	2      0, 11   -, 2            1
//	3      5, 5    1, 1            2
func TestNeed(t *testing.T) {
	pulls := [][]int{{25, 4}, {0, 11}, {5, 5}}
	o := &engine.Outcome{Rounds: make([]engine.RoundRecord, 3), Answers: []engine.Answer{{Decided: true}, {Decided: true}}}
	prices := Prices{Sample: 2, Round: 7, Parallel: 10, SampleTime: 1.5, RoundTime: 4}
	n := prices.need(o, pulls, true)
	// 50 samples at 2 and 5 times 7; rounds of 3, 2 and 1 batches of 1.5, and 3 times 4.
	if n.samples != 50 || n.rounds != 3 || n.busiest != 30 || n.cost != 50*2+5*7 || n.time != (3+2+1)*1.5+3*4 {
		t.Errorf("%+v", n)
	}
	// Alone: agent 1 takes 3 + 1 batches and two rounds, agent 2 takes 1 + 2 + 1 and three.
	if n := prices.need(o, pulls, false); n.time != 4*1.5+3*4 {
		t.Errorf("agents that share nothing take %g", n.time)
	}
	prices.Parallel = 0 // a round at once
	if n := prices.need(o, pulls, true); n.time != 3*1.5+3*4 {
		t.Errorf("without a limit on a batch: %g", n.time)
	}
	o.Answers[1].Decided = false
	if n := prices.need(o, pulls, true); !math.IsInf(n.cost, 1) || !math.IsInf(n.time, 1) || !math.IsInf(n.samples, 1) || !n.undecided {
		t.Errorf("an undecided run: %+v", n)
	}
}

// At least 90 % of the values are at or below the quantile, and below it fewer are.
func TestQuantile90(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3}, {[]float64{2, 1}, 2}, {[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 9},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 10}, {[]float64{1, math.Inf(1)}, math.Inf(1)},
	} {
		if got := quantile90(c.values); got != c.want {
			t.Errorf("%v: %g, want %g", c.values, got, c.want)
		}
	}
}

// Of methods with equally many rounds the one with fewer samples is the quickest; what is
// infinite is neither.
func TestMark(t *testing.T) {
	rows := []Row{{Rounds: 4, SamplesTotal: 900}, {Rounds: 4, SamplesTotal: 80}, {Rounds: 9, SamplesTotal: 30}, {Rounds: math.Inf(1), SamplesTotal: math.Inf(1)}}
	Prices{}.mark(rows)
	for i, want := range [][2]bool{{}, {false, true}, {true, false}, {}} {
		if got := [2]bool{rows[i].Cheapest, rows[i].Quickest}; got != want {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	rows = []Row{{Rounds: math.Inf(1), SamplesTotal: math.Inf(1)}}
	if (Prices{}).mark(rows); rows[0].Cheapest || rows[0].Quickest {
		t.Error("a method that never ends is marked")
	}
}
