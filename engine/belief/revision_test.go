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
	const revision, tolerance = 23, 1e-6
	recorded := []struct{ mean, sd float64 }{
		{10.00600783, 0.15289439}, {8.95762757, 0.11385122}, {11.21654000, 0.12563799}, {12.75754166, 0.15917754},
		{11.70787431, 0.11356358},
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
