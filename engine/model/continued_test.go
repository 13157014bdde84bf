package model

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A posterior that goes on keeps what was fitted while there are at most a tenth more pulls, and is
// universal kriging with it on all data, by the textbook; beyond, and in few features at any time, it is
// that of one formed at once.
func TestContinuedPosterior(t *testing.T) {
	few := enginetest.Instances(t)[3] // no two arms of it are one to the kernel
	for _, p := range []*problem.Problem{few, fine(t)} {
		m, err := New(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		counts, means := pulled(p, 45)
		for i := range counts {
			counts[i] *= 10
		}
		before, err := NewPosterior(m, Prior{}, counts, means)
		if err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(counts, func(c int) bool { return c > 0 })
		means[first] += 3
		for _, row := range []struct {
			more float64
			kept bool
		}{{0.09, p.Name != few.Name}, {0.11, false}} {
			now := slices.Clone(counts)
			now[first] += int(row.more * float64(engine.PullsOf(counts)))
			got, err := ContinuedPosterior(m, Prior{}, before, now, means)
			if err != nil {
				t.Fatal(err)
			}
			atOnce, err := NewPosterior(m, Prior{}, now, means)
			if err != nil {
				t.Fatal(err)
			}
			if atOnce.Scale == before.Scale {
				t.Fatalf("%s: the data change nothing", p.Name)
			}
			if row.kept != (got.Scale == before.Scale) || !row.kept && got.Scale != atOnce.Scale {
				t.Errorf("%s, %g more pulls: scale %g, before %g, at once %g", p.Name, row.more, got.Scale, before.Scale, atOnce.Scale)
			}
			mean, covariance, _ := krigingOf(t, p, engine.Level{}, got.Scale, got.Own, now, means)
			estimates := got.Estimates(means)
			for i := range mean {
				if math.Abs(estimates[i]*m.Unit-mean[i]) > 1e-7 {
					t.Fatalf("%s: mean %g of arm %d, want %g", p.Name, estimates[i]*m.Unit, i, mean[i])
				}
				want := covariance.At(i, i) + covariance.At(0, 0) - 2*covariance.At(i, 0)
				if v := got.Variance(i, 0) * m.Unit * m.Unit; math.Abs(v-want) > 1e-7*(1+want) {
					t.Fatalf("%s: variance %g of arms %d and 0, want %g", p.Name, v, i, want)
				}
			}
		}
	}
}
