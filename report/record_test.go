package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A record shows its parts, a list of records is a table, and no address of a pointer is shown.
func TestRecords(t *testing.T) {
	right := true
	answers := []engine.Answer{
		{Task: "a", Arm: "x", Decided: true, Leader: "x", Estimate: 1.5, Correct: &right},
		{Task: "b", Leader: "y", Estimate: math.NaN(), Candidates: []string{"x", "y"}},
	}
	var out strings.Builder
	for _, v := range []any{answers[0], answers, map[string]any{"later": 2, "first": answers[1]}} {
		try.To(Text(&out, Document{Displays: []Display{{Value: v}}}, TextOptions{}))
	}
	holds(t, out.String(), "correct     yes", "2 × 9 values", "x, y", "later  2")
	lacks(t, out.String(), "0x", "NaN")
	var csv bytes.Buffer
	if err := CSV(&csv, answers); err != nil || !strings.HasPrefix(csv.String(), "task,arm,decided,leader,estimate,candidates,margin,best,correct\na,x,true,x,1.5,,0,,true\n") {
		t.Errorf("%s, %v", csv.String(), err)
	}
	if TypeName(answers[0]) != "record" {
		t.Error(TypeName(answers[0]))
	}
}

// PartOf reads what JSON has under the same name, of every field of a result and a problem.
func TestPartsEqualJSON(t *testing.T) {
	p := try.Of(problem.PaperCase(2, 0.4))
	r := engine.Result{Mode: "fc", Runs: 3, Epsilon: 1, Bytes: 7, Errors: engine.Rate{Count: 1, Runs: 3}, SamplesPerAgent: engine.Interval{Mean: 4}, Answers: []engine.Answer{{Task: "a"}}, Warnings: []engine.Warning{{Kind: engine.WarnFree}}}
	for _, v := range []any{r, p, &r} {
		text := try.Of(json.Marshal(JSONValue(v)))
		var object map[string]json.RawMessage
		try.To(json.Unmarshal(text, &object))
		for name, want := range object {
			part, ok := PartOf(v, name)
			if !ok {
				t.Errorf("%T has no part %s", v, name)
				continue
			}
			got, err := json.Marshal(jsonValue(reflect.ValueOf(part)))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s is %s, JSON has %s; %v", name, got, want, err)
			}
		}
	}
	if samples, ok := PartOf(r, "samples"); !ok || samples != 4.0 {
		t.Errorf("samples %v", samples)
	}
	if _, ok := PartOf(r, "nonsense"); ok {
		t.Error("a part that is none")
	}
}
