package answer_test

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestRough compares rough recommendations with full ones on ten field trials: the rough ones lose about as much of the true
// reward (0.0472 and 0.0473 on 30 of them).
func TestRough(t *testing.T) {
	if testing.Short() {
		t.Skip("answers 20 tables")
	}
	rough, full := 0.0, 0.0
	for seed := range uint64(10) {
		k := table(t, "field trial", seed)
		for _, is := range []bool{false, true} {
			b := try.Of(belief.Of(context.Background(), k.p, belief.Options{Rough: is}))
			a := try.Of(answer.Of(context.Background(), b, answer.Options{Epsilon: k.epsilon}))
			if is {
				rough += loss(k, a) / 10
			} else {
				full += loss(k, a) / 10
			}
		}
	}
	t.Logf("mean loss: rough %.4f, full %.4f", rough, full)
	if rough > 1.25*full {
		t.Errorf("rough recommendations lose %.4f on average, full ones %.4f", rough, full)
	}
}
