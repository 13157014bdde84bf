package problem

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const heated = "task,arm,x_temp,x_speed,z_age,mean,sd\na,p,150,10,1,2,1\na,q,180,10,1,3,1\na,r,210,30,1,1,1\nb,p,150,10,5,2,1\nb,q,180,30,5,4,1\n"

// A length scale far from the scale of its column is noted with the column, the length scale and the
// range or step; one in between is not, and neither is a free one, which is still to be found.
func TestLengthscaleNotes(t *testing.T) {
	const (
		short = `the length scale 1 of rbf is less than a twentieth of the smallest step of column "x_temp", 30 (values 150 to 210). The kernel treats its values as unrelated. Check the unit`
		long  = `the length scale 401 of matern is more than 20 times the range of column "x_speed", 20 (10 to 30). The kernel treats all its values as nearly equal. Check the unit`
		age   = `the length scale 81 of rq is more than 20 times the range of column "z_age", 4 (1 to 5). The kernel treats all its values as nearly equal. Check the unit`
	)
	temp, speed := kernels.Dims{Names: []string{"x_temp"}}, kernels.Dims{Index: []int{1}}
	for _, c := range []struct {
		task, arm kernels.Kernel
		want      []string
	}{
		{kernels.RBF{Lengthscale: []float64{3}}, kernels.RBF{Lengthscale: []float64{30, 10}}, nil},
		{nil, kernels.RBF{Dims: temp}, []string{short}},
		{kernels.RQ{Lengthscale: []float64{81}}, kernels.Sum{Terms: []kernels.Kernel{kernels.Constant{Value: 3}, kernels.Scaled{Scale: 2, Kernel: kernels.Matern{Lengthscale: []float64{401}, Dims: speed}}}}, []string{age, long}},
		{kernels.RQ{Lengthscale: []float64{80}}, kernels.Matern{Lengthscale: []float64{400}, Dims: speed}, nil},
		{nil, kernels.RBF{Lengthscale: []float64{1.5}, Dims: temp}, nil},
		{nil, kernels.Product{Factors: []kernels.Kernel{kernels.RBF{Dims: temp}, kernels.RBF{Dims: temp}}}, []string{short}},
		{nil, kernels.Linear{Lengthscale: []float64{1e6}}, nil},
	} {
		k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: c.task, Arm: c.arm}}}
		p := try.Of(Load(written(t, "heated.csv", heated), k, LoadOptions{}))
		if !slices.Equal(sentencesOf(p.KernelNotes), c.want) {
			t.Errorf("%s: notes\n%s\nwant\n%s", k, strings.Join(sentencesOf(p.KernelNotes), "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// The note on a scaled column has the units of the data as well.
func TestLengthscaleNoteOfScaledColumn(t *testing.T) {
	k := kernels.LiftArm(kernels.RBF{Lengthscale: []float64{30}, Dims: kernels.Dims{Names: []string{"x_temp"}}})
	p := try.Of(Load(written(t, "heated.csv", heated), k, LoadOptions{Standardize: true}))
	const want = `the length scale 30 of rbf is more than 20 times the range of column "x_temp", 1 (0 to 1, which are 150 to 210 in the units of the data). The kernel treats all its values as nearly equal. Check the unit`
	if !slices.Contains(sentencesOf(p.KernelNotes), want) {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(sentencesOf(p.KernelNotes), "\n"), want)
	}
}
