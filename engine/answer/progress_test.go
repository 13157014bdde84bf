package answer_test

import (
	"context"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestProgress checks that progress rises from 0 to 1, continues after the posterior, and that a context that ends there ends Best.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	k := table(t, "field trial", 1)
	var told []float64
	tell := func(share float64) { told = append(told, share) }
	try.Of(answer.Best(context.Background(), k.p, answer.Options{Next: 20, Progress: tell}))
	late := 0
	for i, share := range told {
		if share < 0 || share > 1 || i > 0 && share < told[i-1] {
			t.Fatalf("told %v", told[:i+1])
		}
		if share > 0.75 {
			late++
		}
	}
	if told[0] != 0 || late < 20 || told[len(told)-1] < 0.95 {
		t.Errorf("%d steps, %d of them after the belief: %v", len(told), late, told)
	}
	b := try.Of(belief.Of(context.Background(), k.p, belief.Options{}))
	ctx, cancel := context.WithCancel(context.Background())
	stop := func(share float64) {
		if share > 0.7 {
			cancel()
		}
	}
	if _, err := answer.Of(ctx, b, answer.Options{Next: answer.MaxNext, Progress: stop}); err == nil {
		t.Error("a context that ended did not end the answer")
	}
}
