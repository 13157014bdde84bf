package problem

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestShorten: values with many digits are shown with the fewest that distinguish the column's values, also with a decimal comma; other
// numbers stay unchanged.
func TestShorten(t *testing.T) {
	values := [][]float64{{-2.52287874528, 1.0000001}, {-2.522878, 1.0000002}, {-4, 3}}
	arms := try.Of(kernels.NewPoints([]string{"log10(lr)", "x"}, []string{"a", "b", "c"}, values))
	p := &Problem{Arms: arms, TaskOf: []int{0, 0, 0}, Long: &Long{Arm: []string{"log10(lr)", "x"}}}
	words := p.Words()
	const text = "log10(lr)=-2.52287874528, x=1.0000002; log10(lr)=-4, x=3; 0.52287874528"
	if got, want := words.ArmLabel(text), "-2.522879, 1.0000002; -4, 3; 0.52287874528"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	if got, want := words.Shorten("-2,52287874528"), "-2,522879"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	values[1][0] = -3
	p.Arms, _ = kernels.NewPoints(arms.Columns, arms.Names, values)
	if got, want := p.Words().Shorten("-2.52287874528"), "-2.523"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
}
