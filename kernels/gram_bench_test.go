package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// gaussianPoints returns n standard normal points in d columns, each with its own name.
func gaussianPoints(tb testing.TB, n, d int) *Points {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	names, rows, columns := make([]string, n), make([][]float64, n), make([]string, d)
	for c := range columns {
		columns[c] = fmt.Sprintf("x_%d", c+1)
	}
	for i := range rows {
		names[i] = fmt.Sprintf("p%d", i)
		rows[i] = make([]float64, d)
		for c := range rows[i] {
			rows[i][c] = rng.NormFloat64()
		}
	}
	return try.Of(NewPoints(columns, names, rows))
}

func BenchmarkGram(b *testing.B) {
	for _, k := range []Kernel{
		RBF{Lengthscale: []float64{5}}, Matern{Nu: 2.5, Lengthscale: []float64{5}}, RQ{Lengthscale: []float64{5}},
		Linear{}, Sum{[]Kernel{Linear{}, RBF{Lengthscale: []float64{5}}}},
	} {
		for _, size := range []struct{ n, d int }{{1000, 4}, {2000, 20}} {
			b.Run(fmt.Sprintf("%s/n=%d/d=%d", k, size.n, size.d), func(b *testing.B) {
				p := gaussianPoints(b, size.n, size.d)
				for b.Loop() {
					try.Of(Gram(k, p))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n*(size.n+1)/2), "ns/pair")
			})
		}
	}
}
