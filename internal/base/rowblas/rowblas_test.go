package rowblas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/gonb-cope/gonb-cope/internal/base/rowblas"
)

var sizes = []int{0, 1, 2, 3, 5, 13, 31}

func random(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rng.NormFloat64()
	}
	return out
}

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-9*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestAgainstGonum checks all variants of the routines, on matrices that are parts of others.
func TestAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var own rowblas.BLAS
	var theirs gonum.Implementation
	ops := []blas.Transpose{blas.NoTrans, blas.Trans}
	const wide = 37
	for _, m := range sizes {
		for _, n := range sizes {
			for _, alpha := range []float64{0, 1, -0.7} {
				a, b, c := random(rng, wide*wide), random(rng, wide*wide), random(rng, wide*wide)
				for i := range wide {
					a[i*wide+i] += 9
				}
				for _, tA := range ops {
					for _, beta := range []float64{0, 1, 0.3} {
						for _, k := range sizes {
							for _, tB := range ops {
								got, want := append([]float64(nil), c...), append([]float64(nil), c...)
								own.Dgemm(tA, tB, m, n, k, alpha, a, wide, b, wide, beta, got, wide)
								theirs.Dgemm(tA, tB, m, n, k, alpha, a, wide, b, wide, beta, want, wide)
								compare(t, fmt.Sprint("Dgemm ", tA, tB, m, n, k, alpha, beta), got, want)
							}
						}
						for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
							got, want := append([]float64(nil), c...), append([]float64(nil), c...)
							own.Dsyrk(uplo, tA, n, m, alpha, a, wide, beta, got, wide)
							theirs.Dsyrk(uplo, tA, n, m, alpha, a, wide, beta, want, wide)
							compare(t, fmt.Sprint("Dsyrk ", uplo, tA, n, m, alpha, beta), got, want)
						}
					}
					for _, side := range []blas.Side{blas.Left, blas.Right} {
						for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
							for _, diag := range []blas.Diag{blas.NonUnit, blas.Unit} {
								got, want := append([]float64(nil), c...), append([]float64(nil), c...)
								own.Dtrsm(side, uplo, tA, diag, m, n, alpha, a, wide, got, wide)
								theirs.Dtrsm(side, uplo, tA, diag, m, n, alpha, a, wide, want, wide)
								compare(t, fmt.Sprint("Dtrsm ", side, uplo, tA, diag, m, n, alpha), got, want)
							}
						}
					}
				}
			}
		}
	}
}

type level3 interface {
	blas.Float64Level2
	blas.Float64Level3
}

func Benchmark(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 240
	x, y, z := random(rng, n*n), random(rng, n*n), random(rng, n*n)
	for i := range n {
		x[i*n+i] += 20
	}
	for name, l := range map[string]level3{"gonum": gonum.Implementation{}, "rowblas": rowblas.BLAS{}} {
		b.Run(name+"/Dgemm", func(b *testing.B) {
			for b.Loop() {
				l.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, z, n)
			}
		})
		b.Run(name+"/Dsyrk", func(b *testing.B) {
			for b.Loop() {
				l.Dsyrk(blas.Upper, blas.Trans, n, n, 1, x, n, 0, z, n)
			}
		})
		b.Run(name+"/Dtrsm", func(b *testing.B) {
			for b.Loop() {
				copy(z, y)
				l.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, x, n, z, n)
			}
		})
		b.Run(name+"/DtrsmRight", func(b *testing.B) {
			for b.Loop() {
				copy(z, y)
				l.Dtrsm(blas.Right, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, x, n, z, n)
			}
		})
		b.Run(name+"/Dgemv", func(b *testing.B) {
			for b.Loop() {
				l.Dgemv(blas.Trans, n, n, -1, x, n, y[:n], 1, 1, z[:n], 1)
			}
		})
	}
}
