package cotest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A kernel with nearly as many dimensions as arms leaves each arm to its own mean, unless it treats some arms as equal. One with fewer
// dimensions shares.
func TestNearlyApart(t *testing.T) {
	const arms = 80
	for _, row := range []struct {
		dimension int
		same      bool
		means     bool
	}{{80, false, true}, {65, false, true}, {60, false, false}, {65, true, false}} {
		rng := rand.New(rand.NewPCG(1, uint64(row.dimension)))
		var columns, names []string
		var rows [][]float64
		for j := range row.dimension {
			columns = append(columns, fmt.Sprint("x_", j))
		}
		for i := range arms {
			x := make([]float64, row.dimension)
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			if row.same && i == 1 {
				x = rows[0]
			}
			rows, names = append(rows, x), append(names, fmt.Sprint(i))
		}
		points, err := kernels.NewPoints(columns, names, rows)
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := kernels.NewPoints(nil, []string{"a"}, [][]float64{nil})
		if err != nil {
			t.Fatal(err)
		}
		k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Linear{}}}}
		p, err := problem.New("random", tasks, points, make([]int, arms), k, []float64{1}, make([]float64, arms))
		if err != nil {
			t.Fatal(err)
		}
		m := plain.ModelOf(t, p)
		want := model.RegimeTogether
		if row.means {
			want = model.RegimeMeans
		}
		if got := RegimeOf(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{})); got != want {
			t.Errorf("%d dimensions for %d arms, two equal %v: %q, want %q", row.dimension, arms, row.same, got, want)
		}
	}
}
