package cotest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
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
		points := try.Of(kernels.NewPoints(columns, names, rows))
		tasks := try.Of(kernels.NewPoints(nil, []string{"a"}, [][]float64{nil}))
		k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Linear{}}}}
		p := try.Of(problem.New("random", tasks, points, make([]int, arms), k, []float64{1}, make([]float64, arms)))
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

// Two tasks share one of their directions. With ten directions each, ranks nearly add up (19 of 20) and agents test
// alone; with nine each (17 of 18) or two each they do not.
func TestRanksNearlyAdd(t *testing.T) {
	const arms = 14
	for _, row := range []struct {
		dimension int
		alone     bool
	}{{10, true}, {9, false}, {2, false}} {
		rng := rand.New(rand.NewPCG(2, uint64(row.dimension)))
		columns := []string{"x_0"}
		for j := 1; j < row.dimension; j++ {
			columns = append(columns, fmt.Sprint("x_", j))
		}
		var names []string
		var rows [][]float64
		var taskOf []int
		for i := range 2 * arms {
			x := make([]float64, row.dimension)
			for j := range x {
				x[j] = rng.NormFloat64()
			}
			rows, names, taskOf = append(rows, x), append(names, fmt.Sprint(i)), append(taskOf, i/arms)
		}
		points := try.Of(kernels.NewPoints(columns, names, rows))
		tasks := try.Of(kernels.NewPoints(nil, []string{"a", "b"}, nil))
		k := kernels.AddJoint(product(nil, kernels.Linear{Dims: kernels.Dims{Names: columns[:1]}}),
			product(kernels.Identity{}, kernels.Linear{Dims: kernels.Dims{Names: columns[1:]}}))
		p := try.Of(problem.New("random", tasks, points, taskOf, k, []float64{1}, make([]float64, 2*arms)))
		m := plain.ModelOf(t, p)
		want := model.RegimeTogether
		if row.alone {
			want = model.RegimeAlone
		}
		if got := RegimeOf(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{})); got != want {
			t.Errorf("%d directions per task: %q, want %q", row.dimension, got, want)
		}
	}
}
