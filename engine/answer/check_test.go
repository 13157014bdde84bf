package answer_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
)

// A check speaks against the model where noise or effects break it, and seldom where they do not. TABLES= sets the number of tables.
func TestModelCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("answers dozens of tables")
	}
	tables := 5
	if n, err := strconv.Atoi(os.Getenv("TABLES")); err == nil {
		tables = n
	}
	fine := func(rng *rand.Rand, _, _ int) float64 { return 0.5 * rng.NormFloat64() }
	normal := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	// table has a law of the noise, and one option that is better by so much
	table := func(tasks, arms, reps int, noise func(rng *rand.Rand) float64, off float64) func(rng *rand.Rand) known {
		return func(rng *rand.Rand) known {
			t, a := levels(rng, tasks, arms, 1, 0.5)
			at := rng.IntN(tasks * arms)
			return named(tasks, arms, 0.2, func(v, k int) (float64, []float64) {
				m, rewards := t[v]+a[k], make([]float64, reps)
				if arms*v+k == at {
					m += off
				}
				for j := range rewards {
					rewards[j] = m + 0.5*noise(rng)
				}
				return m, rewards
			})
		}
	}
	for _, k := range []struct {
		name        string
		table       func(rng *rand.Rand) known
		least, most float64 // share of tables
		want        string
	}{
		{"effects", effects(4, 8, 3, 0.5, fine), 0, 0.05, ""},
		{"one task", effects(1, 20, 3, 0.5, fine), 0, 0.05, ""},
		{"doses", doses(3, 8, 3, 0.2, 0.2, func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() }), 0, 0.05, ""},
		{"two tasks", table(2, 8, 3, normal, 0), 0, 0.05, ""},
		{"skewed noise", table(4, 8, 4, func(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) }, 0), 0.6, 1, "further upwards than downwards"},
		{"one option far off", table(2, 8, 3, normal, 8), 0.6, 1, "off what the other options predict"},
	} {
		fired, said := 0.0, 0
		for seed := range tables {
			a := answered(t, k.table(rand.New(rand.NewPCG(uint64(seed), 31))).p, answer.Options{})
			if a.Check != nil {
				fired += 1 / float64(tables)
			}
			if n := strings.Count(a.Basis, "The model may be wrong: "); (a.Check != nil) != (n == 1) {
				t.Errorf("%s: %+v, %q", k.name, a.Check, a.Basis)
			}
			if k.want != "" && strings.Contains(a.Basis, k.want) {
				said++
			}
		}
		t.Logf("%s: the check speaks against %.3f of the tables", k.name, fired)
		if fired < k.least || fired > k.most+3*math.Sqrt(0.05/float64(tables)) || k.want != "" && said == 0 {
			t.Errorf("%s: want %g to %g, %q %d times", k.name, k.least, k.most, k.want, said)
		}
	}
}
