package kernels

import (
	"math"
	"strings"
	"testing"
)

func TestCheckRejects(t *testing.T) {
	p := gaussianPoints(t, 300, 2)
	for _, row := range []struct {
		k    Kernel
		want []string // parts of the message
	}{
		// A tent of the distance is a kernel for d = 1 and none for d = 2.
		{Func("tent", func(x, y []float64) float64 { return max(0, 1-math.Hypot(x[0]-y[0], x[1]-y[1])/3) }),
			[]string{"tent: not positive semi-definite: the smallest eigenvalue is -0.", "it must be at least 0 (down to -1e-08 counts as rounding)"}},
		{Func("ordered", func(x, y []float64) float64 { return 2*x[0] + y[0] }),
			[]string{"ordered: not symmetric: ordered(p0, p1) = ", ", but ordered(p1, p0) = "}},
		{Func("pole", func(x, y []float64) float64 { return 1 / (x[0] - y[0]) }), []string{"pole: is +Inf for the points p0 and p0; values must be finite"}},
		{Func("root", func(x, y []float64) float64 {
			if x[0] == y[0] {
				return 1
			}
			return math.Sqrt(-math.Abs(x[0] - y[0]))
		}), []string{"root: is NaN for the points p0 and p1; values must be finite"}},
		{Add(Linear{}, Func("negative", func(x, y []float64) float64 { return -100 })), []string{"linear() + negative: not positive semi-definite"}},
		{Polynomial{Degree: 5000, Bias: 10}, []string{"polynomial(degree=5000, bias=10): is +Inf for the points p0 and p0"}},
	} {
		_, err := Check(row.k, p)
		for _, part := range row.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: got %v, want %s", row.k, err, part)
			}
		}
	}
}

func TestCheckAccepts(t *testing.T) {
	p := gaussianPoints(t, 60, 2)
	gauss := Func("gauss", func(x, y []float64) float64 { return math.Exp(-(x[0]-y[0])*(x[0]-y[0]) - (x[1]-y[1])*(x[1]-y[1])) })
	for _, row := range []struct {
		k    Kernel
		want Checked
	}{
		{RBF{}, Checked{}},
		{gauss, Checked{Points: 60}},
		// singular by construction: rank 2 of 60
		{Func("dot", func(x, y []float64) float64 { return x[0]*y[0] + x[1]*y[1] }), Checked{Points: 60}},
		// off a kernel by 1e-10, which is not rounding and not 1e-8 either
		{Func("off", func(x, y []float64) float64 {
			if x[0] == y[0] {
				return 1 - 1e-10
			}
			return 1
		}), Checked{Points: 60, Jitter: 1e-8 * (1 - 1e-10)}},
	} {
		got, err := Check(row.k, p)
		if err != nil || got.Points != row.want.Points || !near(got.Jitter, row.want.Jitter, 1e-18) {
			t.Errorf("%s: got %+v, %v; want %+v", row.k, got, err, row.want)
		}
	}
	many := gaussianPoints(t, 1500, 2)
	if got, err := Check(Func("one", func(x, y []float64) float64 { return 1 }), many); err != nil || got.Points != checkedPoints {
		t.Errorf("got %+v, %v", got, err)
	}
	tasks := gaussianPoints(t, 4, 2)
	got, err := Joint{Terms: []Term{{1, RBF{}, gauss}, {1, gauss, nil}}}.Check(tasks, p)
	if err != nil || got.Points != 60 {
		t.Errorf("got %+v, %v", got, err)
	}
	tent := Func("tent", func(x, y []float64) float64 { return -1 })
	if _, err := (Joint{Terms: []Term{{1, tent, nil}}}).Check(tasks, p); err == nil || !strings.HasPrefix(err.Error(), "task kernel: tent: not positive") {
		t.Errorf("got %v", err)
	}
}

// A formula that depends on the columns is resolved for the columns of its points.
func TestFormulaIsResolved(t *testing.T) {
	p := testPoints(t, 3, "random")
	var f Formula
	f = Formula{Name: "f", Params: "x, y", Body: `x["x_2"] * y["x_2"]`, Resolve: func(columns []string) (Formula, error) {
		bound := f
		bound.Pair = func(x, y Point) float64 { return x.X[1] * y.X[1] }
		return bound, nil
	}}
	equalGrams{t, Add(f, Identity{}), p}.want(Add(Linear{Dims: Dims{Names: []string{"x_2"}}}, Identity{}), p)
}
