package campaign

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
)

// 20 pulls of two arms, 10 each; 4 are lost, all of one arm: C(10,4)/C(20,4) = 210/4845, twice
// for two arms.
func TestLossTest(t *testing.T) {
	p := Protocol{Problem: enginetest.Small(t, enginetest.Identity, []float64{0, 0})}
	value, worst := LossTest(p, []int{10, 10}, []int{4, 0})
	if want := 2 * 210. / 4845; value == nil || math.Abs(*value-want) > 1e-12 || len(worst) != 0 {
		t.Errorf("p = %v, worst %v; want %g", value, worst, want)
	}
	value, worst = LossTest(p, []int{10, 10}, []int{6, 0}) // 2·C(10,6)/C(20,6) = 420/38760
	if want := 420. / 38760; value == nil || math.Abs(*value-want) > 1e-12 || len(worst) != 1 || worst[0].Lost != 6 {
		t.Errorf("p = %v, worst %v; want %g", value, worst, want)
	}
	if value, worst := LossTest(p, []int{10, 10}, []int{0, 0}); value != nil || worst != nil {
		t.Errorf("nothing lost: %v, %v", value, worst)
	}
	// if all are lost they cannot crowd
	if value, _ := LossTest(p, []int{10, 10}, []int{10, 10}); *value != 1 {
		t.Errorf("all lost: %v", *value)
	}
}
