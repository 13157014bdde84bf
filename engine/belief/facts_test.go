package belief

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A failed measurement costs little because it ends early. So options that were not tried cost as much as those with values.
func TestCostsOfFailures(t *testing.T) {
	for _, priced := range []bool{true, false} {
		text := "size,y,hours\n"
		for k := range 8 {
			y, hours := fmt.Sprintf("%d.5", k), 8
			switch {
			case k == 6:
				y, hours = "OOM", 1
			case k == 7:
				text += "7,,\n"
				continue
			case priced:
				hours += k % 2
			}
			text += fmt.Sprintf("%d,%s,%d\n", k, y, hours)
		}
		p := try.Of(problem.Load("runs.csv", kernels.Joint{}, problem.LoadOptions{
			Long: &problem.Long{Arm: []string{"size"}, Reward: "y", Cost: "hours"}, Read: func(string) ([]byte, error) { return []byte(text), nil },
		}))
		q := try.Of(WithCosts(t.Context(), p))
		if c := q.Cost[7]; !q.CostPredicted[7] || c < 7.5 || c > 9.5 {
			t.Errorf("costs 8 to 9, and 1 of a failure: the predicted cost is %g", c)
		}
		if q.Cost[6] != 1 {
			t.Errorf("the cost of the failure is %g, want 1", q.Cost[6])
		}
	}
}

// Costs that the table lacks follow those of similar arms; leaders are the arms that are best in the most draws.
func TestWithCosts(t *testing.T) {
	text := "size,y,hours\n"
	for k := 1; k <= 8; k++ {
		hours := fmt.Sprint(math.Pow(2, float64(k)))
		if k == 6 {
			hours = ""
		}
		text += fmt.Sprintf("%d,%g,%s\n%d,%g,%[3]s\n", k, float64(k)+0.1, hours, k, float64(k)-0.1)
	}
	k, err := kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.Identity{}))
	if err != nil {
		t.Fatal(err)
	}
	p := try.Of(problem.Load("runs.csv", k, problem.LoadOptions{
		Long: &problem.Long{Arm: []string{"size"}, Reward: "y", Cost: "hours"}, Read: func(string) ([]byte, error) { return []byte(text), nil },
	}))
	q, err := WithCosts(t.Context(), p)
	if err != nil || !q.CostPredicted[5] || q.CostPredicted[4] || q.Cost[4] != 32 {
		t.Fatal(err, q.Cost, q.CostPredicted)
	}
	if c := q.Cost[5]; c < 45 || c > 90 {
		t.Errorf("the predicted cost is %g, between 32 and 128, whose geometric mean is 64", c)
	}
	b := try.Of(Of(t.Context(), p, Options{}))
	if leaders := b.Leaders(2); len(leaders) == 0 || leaders[0] != 7 {
		t.Errorf("the leaders are %v", leaders)
	}
}

// Noise that is stated together with bounds is the noise of the posterior: of single measurements, in each unit, and for
// rewards at both bounds, which are then not counts.
func TestNoiseStatedWithBounds(t *testing.T) {
	for _, c := range []struct{ rows, noise, top string }{
		{"a,93\nb,88\nc,97\nd,55\n", "3", "100"}, {"a,0.93\nb,0.88\nc,0.97\nd,0.55\n", "0.03", "1"}, {"a,0\nb,100\nc,0\nd,100\n", "3", "100"},
	} {
		top, noise := try.Of(strconv.ParseFloat(c.top, 64)), try.Of(strconv.ParseFloat(c.noise, 64))
		for _, stated := range []bool{true, false} {
			m := problem.NoiseModel{Bounds: &[2]float64{0, top}}
			if stated {
				m.Scales = []float64{noise}
			}
			p := try.Of(problem.Load("runs.csv", kernels.Joint{}, problem.LoadOptions{Noise: m, Long: &problem.Long{Arm: []string{"x"}, Reward: "y"},
				Read: func(string) ([]byte, error) { return []byte("x,y\n" + c.rows), nil }}))
			b := try.Of(Of(t.Context(), p, Options{}))
			if known := b.Scatter.Kind == ScatterStated && math.Abs(math.Sqrt(b.Noise[0])-noise) < 1e-9*noise; known != stated {
				t.Errorf("%q, stated %t: noise %v, %g", c.rows, stated, b.Scatter, math.Sqrt(b.Noise[0]))
			}
		}
	}
}
