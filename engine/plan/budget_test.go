package plan

import (
	"context"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestBudget checks that the curve starts at the present answer, falls, and reaches the answer's expectation for as many further
// measurements; costs and days count whole batches.
func TestBudget(t *testing.T) {
	const text = "site,arm,y\nX,a,5\nX,a,7\nX,b,7\nX,b,6\nX,c,1\nX,c,3\nY,a,4\nY,a,6\nY,b,6\nY,b,5\nY,c,2\nY,c,0\n"
	p := try.Of(problem.Load("t.csv", kernels.Joint{}, problem.LoadOptions{
		Read: func(string) ([]byte, error) { return []byte(text), nil },
		Long: &problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"},
	}))
	ctx := context.Background()
	b := try.Of(belief.Of(ctx, p, belief.Options{}))
	a := try.Of(answer.Of(ctx, b, answer.Options{Epsilon: 0.3, Next: 40}))
	got := try.Of(OfBudget(ctx, b, 0.3, 40, Prices{Sample: 3, Capacity: 12, SampleTime: 2, TimeUnit: "days"}))
	first, last := got.Points[0], got.Points[len(got.Points)-1]
	within := (a.Picks[0].Within + a.Picks[1].Within) / 2
	if math.Abs(first.Loss-a.LossNow) > 1e-12 || math.Abs(first.Within-within) > 1e-12 {
		t.Errorf("today loss %v and probability %v, best says %v and %v", first.Loss, first.Within, a.LossNow, within)
	}
	// measurements are the same except for the horizon by which each is chosen
	if math.Abs(last.Loss-a.LossAfter) > 0.1*(a.LossNow-a.LossAfter) {
		t.Errorf("after 40 measurements loss %v, best expects %v (%v now)", last.Loss, a.LossAfter, a.LossNow)
	}
	for k := 1; k < len(got.Points); k++ {
		if q, p := got.Points[k], got.Points[k-1]; q.Loss > p.Loss || q.Within < p.Within || q.Cost != 3*q.Samples || q.Time != 2*math.Ceil(q.Samples/12) {
			t.Errorf("%+v after %+v", q, p)
		}
	}
	if got.Knee < 1 || got.Knee > len(got.Points)/2 {
		t.Errorf("the knee is point %d of %d", got.Knee, len(got.Points))
	}
	if _, err := OfBudget(ctx, b, 0.3, 0, Prices{}); err == nil {
		t.Error("no measurements are a budget")
	}
}

// TestKnee checks that a straight line has no knee and that a broken line has it at its break.
func TestKnee(t *testing.T) {
	along := func(p Point) float64 { return p.Samples }
	if k := knee([]Point{{Loss: 4}, {Samples: 1, Loss: 3}, {Samples: 2, Loss: 2}, {Samples: 3, Loss: 1}}, along); k != -1 {
		t.Errorf("a straight line has a knee at %d", k)
	}
	if k := knee([]Point{{Loss: 4}, {Samples: 1, Loss: 1}, {Samples: 2, Loss: 0.9}, {Samples: 3, Loss: 0.8}}, along); k != 1 {
		t.Errorf("the knee is at %d, want 1", k)
	}
}
