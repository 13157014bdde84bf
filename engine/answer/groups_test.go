package answer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// tuning makes a table of models whose best setting of two columns is shifted: by family, and a little by model. Measured are 11 of 36
// settings of each model.
func tuning(models, families int) func(rng *rand.Rand) known {
	return func(rng *rand.Rand) known {
		d := draft{columns: []string{"rate", "decay"}, tasks: numbered("m", models)}
		for v := range models {
			family := 0.5 + 0.25*float64(2*(v%families)-families+1)
			x, y := family+0.03*rng.NormFloat64(), 0.5+0.03*rng.NormFloat64()
			base, measured := 10*rng.NormFloat64(), rng.Perm(36)[:11]
			for i := range 36 {
				a, b := float64(i%6)/5, float64(i/6)/5
				truth := base - 12*(a-x)*(a-x) - 5*(b-y)*(b-y)
				var rewards []float64
				if slices.Contains(measured, i) {
					rewards = normals(rng, truth, 0.3, 1+i%2)
				}
				d.arm(v, fmt.Sprint("s", i), []float64{a, b}, truth, rewards)
			}
		}
		return d.known(0.2, "")
	}
}

// Best finds the families of models from the measurements, and none where there is one family. RUNS is the number of tables.
func TestTaskGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 8 tables")
	}
	runs := 4
	if text := os.Getenv("RUNS"); text != "" {
		runs, _ = strconv.Atoi(text)
	}
	for name, families := range map[string]int{"one family": 1, "two families": 2} {
		t.Run(name, func(t *testing.T) {
			var r record
			for seed := range runs {
				table := tuning(6, families)(rand.New(rand.NewPCG(uint64(seed), 59)))
				a := answered(t, table.p, answer.Options{Epsilon: table.epsilon})
				r.add(table, a)
				said := strings.Contains(a.Basis, "The measurements suggest groups of tasks that are alike: (m0, m2, m4), (m1, m3, m5).")
				if said != (families == 2) {
					t.Errorf("table %d: %+v, %q", seed, a.TaskGroups, a.Basis)
				}
			}
			t.Log(&r)
		})
	}
}
