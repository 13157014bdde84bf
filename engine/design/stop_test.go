package design

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/ending"
)

// Every solver stops soon after its context ends and returns the context's error.
func TestSolversStop(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 450 // more arms than are processed at once
	m := sized(30, 8)
	x := mat.NewDense(n, m, nil)
	for i := range n {
		for k := range m {
			x.Set(i, k, rng.NormFloat64())
		}
	}
	s := Space{Features: x, Ridge: 1e-3}
	half := make([]int, n/2)
	var pairs []Pair
	for i := range half {
		half[i] = i
		pairs = append(pairs, Pair{I: 0, J: i + 1, Weight: 1})
	}
	flat := uniform(n)
	for name, solve := range map[string]func(ctx context.Context) error{
		"Minimax over all pairs": func(ctx context.Context) error {
			_, err := Minimax(s, Contrasts{Groups: [][]int{half}}, Options{Tolerance: 1e-2, Context: ctx})
			return err
		},
		"Minimax over a list": func(ctx context.Context) error {
			_, err := Minimax(s, Contrasts{Pairs: pairs}, Options{Tolerance: 1e-2, Context: ctx})
			return err
		},
		"InformationGain": func(ctx context.Context) error {
			_, err := InformationGain(s, Options{Tolerance: 1e-2, Context: ctx})
			return err
		},
		"Width": func(ctx context.Context) error {
			_, err := Width(s, half[:20], Options{Tolerance: 0.1, Context: ctx})
			return err
		},
		"Round": func(ctx context.Context) error {
			_, err := Round(ctx, s, Contrasts{Pairs: pairs}, flat, n+n/4, 0.1)
			if few := (*RatioError)(nil); errors.As(err, &few) {
				err = nil
			}
			return err
		},
		"EffectiveRank": func(ctx context.Context) error {
			_, err := EffectiveRank(ctx, s, flat)
			return err
		},
	} {
		ending.Check(t, name, 1, solve)
	}
}

// The inner products of a large matrix equal those computed at once.
func TestSetGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	x := reshape(blas64.General{}, 70, 9000)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	whole, part := reshape(blas64.General{}, 70, 70), reshape(blas64.General{}, 60, 60)
	setGram(stopper{}, x, whole)
	setGram(stopper{}, block(x, 0, 60), part)
	for i := range part.Rows {
		for j := range i + 1 {
			if a, b := row(whole, i)[j], row(part, i)[j]; a != b {
				t.Fatalf("%d, %d: %v row by row, %v at once", i, j, a, b)
			}
		}
	}
}
