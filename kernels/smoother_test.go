package kernels

import "testing"

// Rough parts become smooth, terms that tell any two arms apart go, and all else stays.
func TestSmoother(t *testing.T) {
	rough := Matern{Nu: 0.5, Lengthscale: []float64{2}, Dims: Dims{Names: []string{"x_1"}}}
	tasks := Identity{}
	for _, c := range []struct {
		joint Joint
		want  string // "" if nothing is smoother
	}{
		{Joint{Terms: []Term{{1, tasks, rough}}}, `task(identity()) * arm(rbf(lengthscale=2, dims=["x_1"]))`},
		{Joint{Terms: []Term{{1, tasks, Sum{[]Kernel{Linear{}, Scaled{3, rough}}}}}}, `task(identity()) * arm(linear() + 3*rbf(lengthscale=2, dims=["x_1"]))`},
		{Joint{Terms: []Term{{1, tasks, Product{[]Kernel{Linear{}, Power{Matern{Nu: 1.5}, 2}}}}}}, "task(identity()) * arm(linear() * rbf()^2)"},
		{Joint{Terms: []Term{{1, tasks, RBF{}}, {0.1, Identity{}, Identity{}}}}, "task(identity()) * arm(rbf())"},
		{Joint{Terms: []Term{{1, tasks, Matern{Nu: 2.5}}}}, ""},
		{Joint{Terms: []Term{{1, tasks, Identity{}}}}, ""},
	} {
		got, differs := c.joint.Smoother()
		if differs != (c.want != "") || differs && got.String() != c.want || !differs && !got.Equal(c.joint) {
			t.Errorf("%s: %v, %s; want %s", c.joint, differs, got, c.want)
		}
	}
}
