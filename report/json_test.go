package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestJSONReadsBack: a result survives the way through JSON unchanged.
func TestJSONReadsBack(t *testing.T) {
	var b bytes.Buffer
	try.To(JSON(&b, Document{Displays: []Display{{Name: "r", Value: fcResult()}}}))
	var got struct {
		Schema   string
		Displays []struct {
			Name, Type string
			Value      engine.Result
		}
	}
	try.To(json.Unmarshal(b.Bytes(), &got))
	if got.Schema != Schema || len(got.Displays) != 1 || got.Displays[0].Name != "r" || got.Displays[0].Type != "fc" {
		t.Errorf("frame %+v", got)
	}
	if diff := cmp.Diff(fcResult(), got.Displays[0].Value); diff != "" {
		t.Error(diff)
	}
}

// TestNotesReadBack: facts are sentences in JSON, and what reads them has the same sentences.
func TestNotesReadBack(t *testing.T) {
	r := boundsReport()
	r.Notes = []engine.Warning{{Kind: engine.WarnBoundsBudget, Numbers: []float64{10, 82.3}}, {Kind: engine.WarnBoundsNorm}}
	text := try.Of(json.Marshal(JSONValue(r)))
	var got bounds.Report
	try.To(json.Unmarshal(text, &got))
	if len(got.Notes) != 2 || !got.Notes[0].Same(r.Notes[0]) || !got.Notes[1].Same(r.Notes[1]) {
		t.Errorf("%q, want %q", got.Notes, r.Notes)
	}
	holds(t, string(text), `"the budget of 10 per agent is below the minimum of Alg. 2 (82.3). Its error bound does not apply. Give a larger budget"`)
}

// TestJSONIsReproducible: what changes from run to run stays out, and numbers
// that JSON has no word for are null.
func TestJSONIsReproducible(t *testing.T) {
	d := document()
	d.Displays = append(d.Displays, Display{Name: "odd", Value: []any{math.NaN(), math.Inf(-1), 1e300}})
	var a, b bytes.Buffer
	try.To(JSON(&a, d))
	d.Provenance.Started, d.Provenance.Duration, d.Provenance.Workers = time.Now(), time.Second, 64
	try.To(JSON(&b, d))
	if a.String() != b.String() {
		t.Error("time or machine changed the bytes")
	}
	holds(t, a.String(), "null,\n        null,\n        1e+300")
}

func TestTypeNames(t *testing.T) {
	r := fcResult()
	for _, c := range []struct {
		value any
		want  string
	}{
		{&r, "fc"}, {fbResult("", 0, 0), "fb"}, {boundsReport(), "bounds"}, {forecast(), "plan"}, {allocation(1, 2), "design"},
		{spectrum(), "spectrum"}, {hardness(), "hardness"}, {fcSweep(), "sweep"}, {kernel(), "kernel"}, {&kernels.RBF{}, "kernel"}, {kernels.LiftTask(kernels.Identity{}), "kernel"}, {example(), "problem"},
		{1, "number"}, {2.5, "number"}, {float32(2), "number"}, {"a", "text"}, {true, "bool"}, {[]float64{1}, "list"}, {Figure{}, "figure"}, {&Table{}, "table"},
	} {
		if got := TypeName(c.value); got != c.want {
			t.Errorf("TypeName(%T) = %q, want %q", c.value, got, c.want)
		}
		if len(Blocks(c.value)) == 0 {
			t.Errorf("%T has no blocks", c.value)
		}
	}
}

// TestCSVIsExact: every number reads back as the same float64, and every row is
// as long as the header.
func TestCSVIsExact(t *testing.T) {
	s := fcSweep()
	s.Rows[0].Result.SamplesPerAgent.Mean = 1.0 / 3
	var b bytes.Buffer
	try.To(CSV(&b, s))
	records := try.Of(csv.NewReader(&b).ReadAll()) // refuses rows of other lengths
	for j, name := range records[0] {
		if name != "samples" {
			continue
		}
		for i, r := range s.Rows {
			if got, err := strconv.ParseFloat(records[i+1][j], 64); err != nil || got != r.Result.SamplesPerAgent.Mean {
				t.Errorf("row %d: %q, want %v", i, records[i+1][j], r.Result.SamplesPerAgent.Mean)
			}
		}
		return
	}
	t.Error("no column samples")
}
