package bounds

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// The default ξ of very many arms is far above what the theorems allow; the report says so for both a written and an implicit "auto".
func TestManyArmsSayWhichRidge(t *testing.T) {
	p := try.Of(manyarms.Problem(400))
	m := try.Of(model.New(p, 1))
	if !m.Many() {
		t.Fatal("the arms are not many")
	}
	for name, c := range map[string]struct {
		ridge engine.Ridge
		said  bool
	}{
		"left out": {engine.Ridge{}, true},
		"auto":     {engine.Ridge{Kind: engine.RidgeAuto}, true},
		"a number": {engine.Ridge{Kind: engine.RidgeValue, Value: 0.01}, false},
	} {
		var r Report
		try.To((&builder{model: m, opt: model.Terms{Options: engine.Options{Ridge: c.ridge, Epsilon: 0.1}}, r: &r}).scales())
		if said := slices.ContainsFunc(r.Notes, func(w engine.Warning) bool { return w.Kind == engine.WarnBoundsAuto }); said != c.said {
			t.Errorf("%s: said %v, want %v; notes %v", name, said, c.said, r.Notes)
		}
	}
}

// The lower bound of very many arms uses the stated ξ and rises as ξ falls.
func TestManyLowerBoundOfStatedRidge(t *testing.T) {
	if testing.Short() {
		t.Skip("a bound of hundreds of arms")
	}
	p := try.Of(manyarms.Problem(400))
	m := try.Of(model.New(p, 1))
	var last float64
	for _, ridge := range []float64{1e-1, 1e-2} {
		r := Report{Ridge: ridge, Delta: 0.05, Tasks: p.V()}
		b := &builder{model: m, opt: model.Terms{Options: engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}}, r: &r}
		try.To(b.lowerBound())
		if r.CharacteristicTime <= last || r.CharacteristicTimeUpper < r.CharacteristicTime {
			t.Errorf("xi = %g: T* from %g to %g, at the larger xi from %g", ridge, r.CharacteristicTime, r.CharacteristicTimeUpper, last)
		}
		last = r.CharacteristicTime
	}
}
