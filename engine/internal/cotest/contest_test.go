package cotest

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Tasks that the kernel barely tells apart are one contest, so that their arms are tested once.
func TestSnapTasks(t *testing.T) {
	p := enginetest.Small(t, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.RBF{}, Arm: kernels.Linear{Bias: 1}}}}, []float64{0, 1, 2}, []float64{0, 1, 2}, []float64{0, 1, 2})
	var err error
	if p.Tasks, err = kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, [][]float64{{0}, {3e-7}, {0.1}}); err != nil {
		t.Fatal(err)
	}
	m := plain.ModelOf(t, p)
	if contests, err := newContests(m, true); err != nil || len(contests) != 2 {
		t.Errorf("%d contests of tasks at 0, 3e-7 and 0.1, want 2 (%v)", len(contests), err)
	}
}
