package bayes

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
)

// A round has at most half as many pulls of a task as it has had, and a quarter from 20 pulls an arm on unless rounds run out.
func TestSizesOfRounds(t *testing.T) {
	alg, err := plain.On(engine.ModeFC, NewCoBayesFC)(plain.ModelOf(t, enginetest.Paper(t, 1, 0.4)), engine.Options{MaxRounds: 30})
	if err != nil {
		t.Fatal(err)
	}
	a := alg.(*coBayes)
	arms := len(a.Sets[0])
	for _, row := range []struct{ taken, round, want int }{
		{1, 1, 1},
		{arms, 1, (arms + 1) / 2},
		{20*arms - 1, 8, 10 * arms},
		{20 * arms, 8, 5 * arms},
		{100 * arms, 20, 25 * arms},
		{100 * arms, 21, 50 * arms},
	} {
		a.taken[0], a.round = row.taken, row.round
		if got := a.allowance(0); got != row.want {
			t.Errorf("%d pulls of %d arms in %d rounds: at most %d more, want %d", row.taken, arms, row.round, got, row.want)
		}
	}
}
