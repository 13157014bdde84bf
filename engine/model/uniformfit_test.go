package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The straight line that is uniformly closest to known values: by hand, and by equioscillation.
func TestUniformMisfit(t *testing.T) {
	line := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Constant{Value: 1}, Arm: kernels.Linear{Bias: 1}}}}
	for name, c := range map[string]struct {
		means       []float64
		uniform     float64
		squaresMore bool // whether least squares are farther off
	}{
		// x² on 0, …, 4: the line 4x - 2 is off by ±2, at 0, 2 and 4 [Chebyshev].
		"parabola": {[]float64{0, 1, 4, 9, 16}, 2, false},
		// 0.1x ± 0.3 in turn: no line is closer than 0.3, and least squares are not closest.
		"alternating": {[]float64{0.3, -0.2, 0.5, 0, 0.7, 0.2}, 0.3, true},
		"on a line":   {[]float64{1, 2, 3, 4}, 0, false},
		// Off by e, -e and e at 0, 3 and 4: l(0) = -e, l(3) = e and l(4) = 5e/3 = 8 - e.
		"an outlier": {[]float64{0, 0, 0, 0, 8}, 3, true},
	} {
		rows := make([][]float64, len(c.means))
		for i := range rows {
			rows[i] = []float64{float64(i)}
		}
		p := onFeatures(t, line, rows, c.means)
		m := model(t, p)
		got, _ := try.Two(m.Truth().UniformMisfit())
		squares, _ := try.Two(m.Truth().Misfit())
		if math.Abs(got-c.uniform) > 1e-9 || got > squares*(1+1e-9)+1e-12 || c.squaresMore && squares < got*1.05 {
			t.Errorf("%s: %.12g, want %g; least squares %g", name, got, c.uniform, squares)
		}
	}
}

// onFeatures returns a problem of one task whose arms have these features.
func onFeatures(t *testing.T, k kernels.Joint, rows [][]float64, means []float64) *problem.Problem {
	t.Helper()
	tasks := try.Of(kernels.NewPoints(nil, []string{"t"}, [][]float64{{}}))
	names := make([]string, len(rows))
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	columns := make([]string, len(rows[0]))
	for k := range columns {
		columns[k] = fmt.Sprint("x_", k+1)
	}
	arms := try.Of(kernels.NewPoints(columns, names, rows))
	return try.Of(problem.New("features", tasks, arms, make([]int, len(rows)), k, []float64{1}, means))
}
