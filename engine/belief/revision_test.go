package belief

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Whoever changes results of Of raises Revision, and writes the new numbers here: results that were kept are
// then made again. The numbers are the revision's on a table of 3 tasks of 7 arms (smooth).
func TestRevision(t *testing.T) {
	const revision, tolerance = 21, 1e-6
	recorded := []struct{ mean, sd float64 }{
		{10.00323489, 0.14990385}, {8.95664226, 0.11459534}, {11.22236038, 0.12494031}, {12.75831680, 0.16360547},
		{11.70762916, 0.11712376},
	}
	b := try.Of(Of(t.Context(), smooth(t), Options{}))
	same := Revision == revision
	var got []struct{ mean, sd float64 }
	for i := 0; i < b.Problem.N(); i += 5 {
		mean, sd := stat.MeanStdDev(mat.Col(nil, i, b.Draws), nil)
		got = append(got, struct{ mean, sd float64 }{mean, sd})
	}
	for k, want := range recorded {
		same = same && math.Abs(got[k].mean-want.mean) < tolerance && math.Abs(got[k].sd-want.sd) < tolerance
	}
	if !same || len(recorded) != len(got) {
		t.Errorf("what is believed differs from revision %d: raise Revision (now %d), and record %.8f", revision, Revision, got)
	}
}
