package engine

import (
	"encoding/json"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A new field that is zero, also in a nested struct, does not change the identity of options; a non-zero field does.
func TestNonZero(t *testing.T) {
	text := func(v any) string {
		b := try.Of(json.Marshal(NonZero(v)))
		return string(b)
	}
	type ridge struct {
		Kind         string
		Value, Later float64
	}
	type options struct {
		Delta  float64
		Ridge  ridge
		Bounds *[2]float64
		Later  []int
	}
	old := Options{Delta: 0.1, Ridge: Ridge{Kind: RidgeValue, Value: 1e-9}}
	grown := options{Delta: 0.1, Ridge: ridge{Kind: RidgeValue, Value: 1e-9}}
	if a, b := text(old), text(grown); a != b || a != `{"Delta":0.1,"Ridge":{"Kind":"value","Value":1e-9}}` {
		t.Errorf("%s and %s", a, b)
	}
	for _, change := range []func(*options){
		func(o *options) { o.Later = []int{0} },
		func(o *options) { o.Ridge.Later = 1 },
		func(o *options) { o.Bounds = new([2]float64) },
	} {
		o := grown
		if change(&o); text(o) == text(grown) {
			t.Errorf("%+v is as %+v", o, grown)
		}
	}
}
