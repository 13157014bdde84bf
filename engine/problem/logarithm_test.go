package problem

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestLogarithmic: the logarithm of a column goes into the scale that the column has, and leaves the others unchanged;
// values of the data are those that were read.
func TestLogarithmic(t *testing.T) {
	p := try.Of(Load("testdata/tables/excel-sep-line.csv", kernels.Joint{}, LoadOptions{Long: &Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "throughput"}}))
	q := p.Logarithmic([]string{"temp"})
	again := q.Logarithmic([]string{"temp"})
	p.Arms = p.Arms.Standardized(func(string) bool { return false })
	scaled := p.Logarithmic([]string{"temp"})
	for i, want := range []float64{150, 180} {
		if q.Arms.X[0][i] != math.Log10(want) || again.Arms.X[0][i] != q.Arms.X[0][i] || scaled.Arms.X[0][i] != float64(i) {
			t.Errorf("arm %d: %g, twice %g, scaled %g", i, q.Arms.X[0][i], again.Arms.X[0][i], scaled.Arms.X[0][i])
		}
		for _, r := range []*Problem{p, q, scaled} {
			if got := r.Arms.Value(0, i); math.Abs(got-want) > 1e-9 {
				t.Errorf("arm %d reads %g, want %g", i, got, want)
			}
		}
	}
	if p.Arms.X[0][1] != 1 || p.Logarithmic(nil) != p {
		t.Error("the problem itself was changed")
	}
}
