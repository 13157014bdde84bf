package model_test

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// rounded returns a problem of many arms with means of so many decimals.
func rounded(t *testing.T, arms, decimals int) *problem.Problem {
	t.Helper()
	p := try.Of(manyarms.Problem(arms))
	scale := math.Pow(10, float64(decimals))
	for i, v := range p.Mean {
		p.Mean[i] = math.Round(v*scale) / scale
	}
	return p
}

// Rounded means have a larger norm than their function. A function within the distance that a test may allow for has no larger norm, and
// with fewer decimals it is farther away.
func TestSmooth(t *testing.T) {
	const arms, epsilon = 400, 0.1
	for decimals, most := range map[int]float64{4: epsilon / 100, 3: epsilon / 25, 2: epsilon / 5} {
		if testing.Short() && decimals != 3 {
			continue
		}
		m := plain.ModelOf(t, rounded(t, arms, decimals))
		own, err := m.Truth().Norm()
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := m.Truth().Smooth(plain.TermsOf(t, m, engine.ModeFC, engine.Options{Epsilon: epsilon}), model.PriceOfWalks)
		if err != nil || !found {
			t.Fatalf("%d decimals: none found, error %v", decimals, err)
		}
		if norm := manyarms.Norm / m.Unit; got.Norm > 1.05*norm || got.Norm < norm/4 || got.Norm > own {
			t.Errorf("%d decimals: norm %g; the true one has %g and the means %g", decimals, got.Norm, norm, own)
		}
		if got.Misfit > most || got.Misfit < 0.3*math.Pow(10, -float64(decimals)) {
			t.Errorf("%d decimals: %g off", decimals, got.Misfit)
		}
		bound, err := m.Truth().Bounded(plain.TermsOf(t, m, engine.ModeFC, engine.Options{Epsilon: epsilon}), model.PriceOfWalks)
		if err != nil || bound.Norm != got.Norm || bound.Misfit != got.Misfit/m.Unit {
			t.Errorf("%d decimals: bound %+v in place of %+v, error %v", decimals, bound, got, err)
		}
	}
}

// There is no such function without known means, or if arms with equal features have different means.
func TestSmoothIsNone(t *testing.T) {
	opt := engine.Options{Epsilon: 0.1}
	p := rounded(t, 300, 4)
	for _, column := range p.Arms.X {
		column[1] = column[0]
	}
	for _, apart := range []float64{0, 1e-4} {
		p.Mean[1] = p.Mean[0] + apart
		if _, found, err := plain.ModelOf(t, p).Truth().Smooth(plain.TermsOf(t, plain.ModelOf(t, p), engine.ModeFC, opt), model.PriceOfWalks); found != (apart == 0) || err != nil {
			t.Errorf("copies %g apart: found %v, error %v", apart, found, err)
		}
	}
	p.Mean = nil
	if _, found, err := plain.ModelOf(t, p).Truth().Smooth(plain.TermsOf(t, plain.ModelOf(t, p), engine.ModeFC, opt), model.PriceOfWalks); found || err != nil {
		t.Errorf("without means: found %v, error %v", found, err)
	}
}

// Among functions within a norm the closest is at most as far as one of Smooth with that norm, and in a smaller ball none is as close.
func TestClosest(t *testing.T) {
	m := plain.ModelOf(t, rounded(t, 300, 4))
	near, found, err := m.Truth().Smooth(plain.TermsOf(t, m, engine.ModeFC, engine.Options{Epsilon: 0.1}), model.PriceOfWalks)
	if err != nil || !found {
		t.Fatalf("found %v, error %v", found, err)
	}
	last := math.Inf(1)
	for _, part := range []float64{0.5, 0.9, 1.5} {
		got, found, err := m.Truth().Closest(part * near.Norm)
		if err != nil || !found || got.Norm > part*near.Norm || got.Misfit >= last {
			t.Errorf("%g of the norm: %+v, found %v, error %v", part, got, found, err)
		}
		if last = got.Misfit; (last <= near.Misfit) != (part > 1) {
			t.Errorf("%g of the norm: %g off, and the norm itself %g", part, last, near.Misfit)
		}
	}
}
