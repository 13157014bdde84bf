package answer_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// A check speaks against the model where noise or effects break it, and seldom where they do not. TABLES= sets the number of tables.
func TestModelCheck(t *testing.T) {
	tables := 6
	if n, err := strconv.Atoi(os.Getenv("TABLES")); err == nil {
		tables = n
	}
	fine := func(rng *rand.Rand, _, _ int) float64 { return 0.5 * rng.NormFloat64() }
	spoiled := func(spoil func(rng *rand.Rand, y []float64)) func(rng *rand.Rand) known {
		return func(rng *rand.Rand) known {
			t, a := levels(rng, 4, 8, 1, 0.5)
			at := rng.IntN(32)
			return named(4, 8, 0.2, func(v, k int) (float64, []float64) {
				m := t[v] + a[k]
				y := normals(rng, m, 0.5, 4)
				if 8*v+k == at {
					spoil(rng, y)
				}
				return m, y
			})
		}
	}
	for _, k := range []struct {
		name        string
		table       func(rng *rand.Rand) known
		least, most float64 // share of tables
	}{
		{"effects", effects(4, 8, 3, 0.5, fine), 0, 0.1},
		{"one task", effects(1, 20, 3, 0.5, fine), 0, 0.1},
		{"doses", doses(3, 8, 3, 0.2, 0.2, func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() }), 0, 0.1},
		{"one option with wild noise", spoiled(func(rng *rand.Rand, y []float64) {
			for k := range y {
				y[k] += 4 * rng.NormFloat64()
			}
		}), 0.7, 1},
		{"one option far off", spoiled(func(_ *rand.Rand, y []float64) {
			for k := range y {
				y[k] += 8
			}
		}), 0.7, 1},
	} {
		fired := 0.0
		var probabilities []float64
		for seed := range tables {
			a := answered(t, k.table(rand.New(rand.NewPCG(uint64(seed), 31))).p, answer.Options{})
			if a.Check != nil {
				fired += 1 / float64(tables)
				probabilities = append(probabilities, a.Check.Probability)
				if !strings.Contains(a.Basis, "A check speaks against the ") {
					t.Errorf("%s: %q", k.name, a.Basis)
				}
			}
		}
		slices.Sort(probabilities)
		t.Logf("%s: the check speaks against %.3f of the tables", k.name, fired)
		if fired < k.least || fired > k.most+math.Sqrt(0.1/float64(tables)) {
			t.Errorf("%s: want %g to %g", k.name, k.least, k.most)
		}
	}
}
