package algorithms_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Unrelated arms need no pivots, whatever their number: ρ* lies between Σ 1/gap² and four times that, and CoTestFC without a norm uses
// least squares.
func TestManyIndependentArms(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	means := make([]float64, enginetest.Number(260, 205))
	for i := range means {
		means[i] = float64(i) / float64(len(means))
	}
	p, err := problem.Classic(means, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := try.Of(model.New(p, 0))
	if !m.Relations().Unrelated() || m.Many() {
		t.Errorf("unrelated %v, many %v", m.Relations().Unrelated(), m.Many())
	}
	sum, best := 0.0, means[len(means)-1]
	for _, v := range means[:len(means)-1] {
		sum += 1 / ((best - v) * (best - v))
	}
	d, err := m.Truth().Hardness(0, 0)
	if err != nil || d.Value < sum || d.Value > 4*sum {
		t.Errorf("ρ* %g, Σ 1/gap² %g, error %v", d.Value, sum, err)
	}
	entry := try.Of(algorithms.Named(engine.ModeFC, "CoTestFC"))
	alg := try.Of(entry.New(m, engine.Options{Delta: 0.1, Epsilon: 0.2}))
	if plan, err := alg.Plan(t.Context()); err != nil || plan.Pulls() < len(means) {
		t.Errorf("the first round has %d pulls of %d arms, error %v", plan.Pulls(), len(means), err)
	}
}
