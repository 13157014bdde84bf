package campaign

import (
	"slices"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

// A late result of a pull that was measured again in time makes up for no other pull that is lost.
func TestLateResultsMakeUpForTheirOwnPulls(t *testing.T) {
	p, _, _ := couplingDays(t, "CoTestFC", 40)
	p.Problem, p.Lease, p.TimeUnit = p.Problem.Only(0, 1), 1, "days"
	x := &inMemory{t: t, p: p, s: NewState(), now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), memory: new(model.Memory)}
	x.add([]Event{NewEvent(KindStart, x.now, "", StartBody{Name: "days", Revision: Revision})}, nil)
	x.advance()
	ask := func(by string) List {
		list, made, err := x.s.Under(p, x.now).Ask(Request{By: by, Count: 1000})
		x.add(made, err)
		return list
	}
	do := func(act Act) {
		done, err := act.Do(t.Context(), Doing{Moment: x.s.Under(p, x.now)})
		x.add(done.Events, err)
	}
	tell := func(id string, reward float64, by string) {
		do(&TellOne{ID: id, Reward: reward, TellOptions: TellOptions{By: by, Sure: true}})
	}
	lost := func() (numbers []float64) {
		_, doubts := review{x.s.Under(p, x.now), x.run}.selection()
		for _, d := range doubts {
			if d.Kind == NoteManyLost {
				numbers = d.Numbers
			}
		}
		return numbers
	}
	// Ann's pulls are overdue, and handed out again: Ben records half of them, and gives the other half back
	ask("Ann")
	x.now = x.now.AddDate(0, 0, 2)
	again := ask("Ben").Rows
	half := len(again) / 2
	for i, row := range again[:half] {
		tell(row.ID, float64(i%7), "Ben")
	}
	for _, row := range again[half:] {
		do(&Fail{IDs: []string{row.ID}, Reason: "the vial broke", By: "Ben"})
	}
	do(&Close{Reason: "the oven broke"})
	want := []float64{float64(len(again) - half), float64(len(again))}
	if got := lost(); half == 0 || !slices.Equal(got, want) {
		t.Fatalf("lost %g, want %g", got, want)
	}
	// Ann had measured the first half as well
	for i, row := range again[:half] {
		for id, it := range x.s.items {
			if it.replaced == row.ID {
				tell(id, float64((i+3)%7)+0.01, "Ann")
			}
		}
	}
	if n := len(x.s.guides); n != half {
		t.Fatalf("%d came late, want %d", n, half)
	}
	if got := lost(); !slices.Equal(got, want) {
		t.Errorf("with what came late, lost %g, want %g", got, want)
	}
}
