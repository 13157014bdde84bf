package model

import (
	"math"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Every member of a mixture is universal kriging with its scale and its part, by the textbook, and members are
// weighed by the textbook's likelihoods, at once and when points are kept. Points are kept while there are at most three
// tenths more pulls, in many features, and never in few.
func TestMixture(t *testing.T) {
	few := enginetest.Instances(t)[3] // no two arms of it are one to the kernel
	unrelated := enginetest.Unrelated(t, 2, []float64{0, 0.3, 0.5, 0.9, 1.4, 2})
	for _, p := range []*problem.Problem{few, fine(t), unrelated} {
		m := try.Of(New(p, 0))
		counts, means := pulled(p, 45)
		for i := range counts {
			counts[i] *= 10
		}
		var before *Mixture
		first := slices.IndexFunc(counts, func(c int) bool { return c > 0 })
		for _, row := range []struct {
			more float64
			kept bool
		}{{0, false}, {0.29, p != few && p != unrelated}, {0.31, false}} {
			now := slices.Clone(counts)
			now[first] += int(row.more * float64(engine.PullsOf(counts)))
			got := try.Of(ContinuedMixture(m, Prior{}, before, now, means, nil, 1e-3))
			if before != nil && row.kept != (got.fittedTo == before.fittedTo) {
				t.Errorf("%s, %g more pulls: fitted to %d, before to %d", p.Name, row.more, got.fittedTo, before.fittedTo)
			}
			if before == nil {
				before = got
			}
			sum, constant := 0.0, math.NaN()
			for k, of := range got.Members {
				sum += of.Weight
				checkMember(t, m, of, now, means)
				_, _, likelihood := krigingOf(t, p, engine.Level{}, of.Scale, of.Own, now, means)
				if off := of.at.likelihood - likelihood; math.IsNaN(constant) {
					constant = off
				} else if math.Abs(off-constant) > 1e-6*(1+math.Abs(constant)) {
					t.Errorf("%s: -2 log of the likelihood of member %d is off by %g", p.Name, k, off-constant)
				}
			}
			if math.Abs(sum-1) > 1e-12 || len(got.Members) < 2 {
				t.Errorf("%s: %d members of weight %g", p.Name, len(got.Members), sum)
			}
		}
	}
}

// checkMember compares a member with the textbook.
func checkMember(t *testing.T, m *Model, of Member, counts []int, means []float64) {
	t.Helper()
	mean, covariance, _ := krigingOf(t, m.Problem, engine.Level{}, of.Scale, of.Own, counts, means)
	estimates, between, square := of.Estimates(means), make([]float64, 1), m.Unit*m.Unit
	for i := range mean {
		if math.Abs(estimates[i]*m.Unit-mean[i]) > 1e-6 {
			t.Fatalf("%s, own %g: mean %g of arm %d, want %g", m.Problem.Name, of.Own, estimates[i]*m.Unit, i, mean[i])
		}
		want := covariance.At(i, i) + covariance.At(0, 0) - 2*covariance.At(i, 0)
		if v := of.Variance(i, 0) * square; math.Abs(v-want) > 1e-6*(1+want) {
			t.Fatalf("%s, own %g: variance %g of arms %d and 0, want %g", m.Problem.Name, of.Own, v, i, want)
		}
		of.Covariances(between, []int{i}, 0)
		if want := covariance.At(i, 0); math.Abs(between[0]*square-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("%s, own %g: covariance %g of arms %d and 0, want %g", m.Problem.Name, of.Own, between[0]*square, i, want)
		}
		if want := covariance.At(i, i); math.Abs(of.ArmVariance(i)*square-want) > 1e-6*(1+want) {
			t.Fatalf("%s, own %g: variance %g of arm %d, want %g", m.Problem.Name, of.Own, of.ArmVariance(i)*square, i, want)
		}
	}
}

// Explained equals the leave-one-out predictions of posteriors without each arm.
func TestExplained(t *testing.T) {
	p := fine(t)
	m := try.Of(New(p, 0))
	counts, means := pulled(p, 45)
	prior := Prior{Scale: 1}
	all := try.Of(NewPosterior(m, prior, counts, means))
	left, whole := 0.0, 0.0
	for i, c := range counts {
		if c == 0 {
			continue
		}
		others := slices.Clone(counts)
		others[i] = 0
		post := try.Of(NewPosterior(m, prior, others, means))
		sum, n := 0.0, 0.0
		for j := range others {
			if others[j] > 0 && p.TaskOf[j] == p.TaskOf[i] {
				sum, n = sum+means[j], n+1
			}
		}
		e, b := means[i]-post.Estimates(means)[i]*m.Unit, means[i]-sum/n
		left, whole = left+e*e, whole+b*b
	}
	if got, want := all.Explained(m, means), 1-left/whole; math.Abs(got-want) > 1e-6 {
		t.Errorf("%g is explained, want %g", got, want)
	}
}

// Integral, mean and variance over log s are right for a normal density, however narrow it is and wherever the search begins.
func TestScaleLaw(t *testing.T) {
	for _, sd := range []float64{1, 0.3, 0.05, 1e-3} {
		for _, near := range []float64{1e-2, 3, 1e4} {
			const mean = 1.2345
			s := scaling{near: near}
			log, scales, shares := s.law(1, 10, func(s float64) float64 { return math.Pow((math.Log(s)-mean)/sd, 2) })
			if want := math.Log(sd * math.Sqrt(2*math.Pi)); math.Abs(log-want) > 1e-2 {
				t.Errorf("sd %g from %g: log of the integral %g, want %g", sd, near, log, want)
			}
			at := scales[len(scales)/2]
			if math.Abs(math.Log(at)-mean) > 1e-2*sd || (len(scales) == 3) != (sd >= narrow) || len(shares) != len(scales) {
				t.Errorf("sd %g from %g: scales %g", sd, near, scales)
			}
			if len(scales) == 3 && math.Abs(math.Log(scales[2]/at)/math.Sqrt(3)/sd-1) > 1e-2 {
				t.Errorf("sd %g from %g: scales %g", sd, near, scales)
			}
		}
	}
}
