package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// with_kernel keeps all that was stated of the data, and notes of the old kernel go.
func TestWithKernel(t *testing.T) {
	s := NewSession(Options{Folder: "testdata"})
	values := valuesOf(t, s, `
p = problem("small.csv", kernel=task(identity()) * arm(rbf(1e-6)), noise=3, goal="min", name="mine", standardize=true)
q = with_kernel(p, task(identity()) * arm(linear(bias=1)))
p
q
problem("small.csv", kernel=task(identity()) * arm(linear(bias=1)), noise=3, goal="min", name="mine", standardize=true)
`)
	old, got, want := values[0].(*problem.Problem), values[1].(*problem.Problem), values[2].(*problem.Problem)
	if !strings.Contains(fmt.Sprint(old.KernelNotes), "length scale") {
		t.Errorf("a length scale of a millionth is not noted: %q", old.KernelNotes)
	}
	// The problem with the kernel changed is the one that is read with this kernel.
	if a, b := printValue(value{Type: Problem, Data: got}), printValue(value{Type: Problem, Data: want}); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if got.Noise.Scales[0] != 3 || got.Goal != problem.GoalMin || got.Name != "mine" {
		t.Errorf("%+v", got)
	}
}
