package problem

import "testing"

func TestNoiseText(t *testing.T) {
	for _, c := range []struct {
		m    NoiseModel
		want string
	}{
		{NoiseModel{Scales: []float64{0.5, 0.5}}, "0.5"},
		{NoiseModel{Scales: []float64{3, 1, 2}, Known: NoiseSD}, "sd 1 to 3"},
		{NoiseModel{Scales: []float64{2, 2}, Known: NoiseTask}, "task 2"},
		{NoiseModel{Scales: []float64{1, 1}, UnknownBy: UnknownProblem}, "unknown"},
		{NoiseModel{Scales: []float64{1, 1}, UnknownBy: UnknownArm}, "unknown by arm"},
		{NoiseModel{Scales: []float64{0.5}, Bounds: &[2]float64{0, 1}}, "within [0, 1]"},
	} {
		if got := c.m.Text(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
}
