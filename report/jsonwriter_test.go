package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Written piece by piece, JSON has the bytes that encoding/json makes of the whole.
func TestJSONPieces(t *testing.T) {
	d := document()
	d.Displays = append(d.Displays, Display{Name: "odd", Value: []any{math.NaN(), 1e300, 1e-9, "<&>\u2028", map[string]int{"b": 1, "a": 2}, []int(nil), struct{}{}, [][]float64{{}, {1}}}})
	for _, x := range d.Displays {
		want := try.Of(json.MarshalIndent(jsonValue(reflect.ValueOf(writtenValue(x.Value))), "", "  "))
		var got bytes.Buffer
		try.To(writeJSON(&got, writtenValue(x.Value)))
		if got.String() != string(want)+"\n" {
			t.Errorf("%s: got\n%s\nwant\n%s", x.Name, got.String(), want)
		}
	}
}

// trail returns a result with an audit trail of n arms, whose names have the given length.
func trail(n, length int) engine.Result {
	r := fcResult()
	r.Eliminations = nil
	for i := range n {
		r.Eliminations = append(r.Eliminations, engine.Elimination{Round: 1 + i%5, Task: "oslo", Arm: fmt.Sprintf("%0*d", length, i), Rival: strings.Repeat("r", length), Gap: 1 / (3 + float64(i)), Width: math.Pi, Rule: engine.RuleCombination})
	}
	return r
}

// The audit trail of 10⁵ arms is complete in JSON, a line an arm. Of one that would be larger than
// anybody reads, JSON has the beginning and a count.
func TestLongJSON(t *testing.T) {
	type display struct {
		Value struct {
			Eliminations []engine.Elimination
			LeftOut      int `json:"eliminations_left_out"`
		}
	}
	for _, c := range []struct{ arms, length, most int }{
		{1000, 10, 1 << 20},
		{100_000, 10, 20 << 20},
		{100_000, 500, mostJSON + 1<<20},
	} {
		if testing.Short() && c.arms > 1000 {
			t.Skip("JSON of megabytes is for the full run")
		}
		r := trail(c.arms, c.length)
		var b bytes.Buffer
		try.To(JSON(&b, Document{Displays: []Display{{Value: r}}}))
		var got struct{ Displays []display }
		try.To(json.Unmarshal(b.Bytes(), &got))
		v := got.Displays[0].Value
		t.Logf("%d arms of %d letters: %d bytes, %d left out", c.arms, c.length, b.Len(), v.LeftOut)
		if len(v.Eliminations)+v.LeftOut != c.arms || b.Len() > c.most {
			t.Errorf("%d arms of %d letters: %d and %d left out, in %d bytes", c.arms, c.length, len(v.Eliminations), v.LeftOut, b.Len())
		}
		if (v.LeftOut > 0) != (c.length == 500) {
			t.Errorf("%d arms of %d letters: %d are left out", c.arms, c.length, v.LeftOut)
		}
		if last := len(v.Eliminations) - 1; v.Eliminations[last] != r.Eliminations[last] {
			t.Errorf("arm %d reads as %v, want %v", last, v.Eliminations[last], r.Eliminations[last])
		}
	}
}

// MarshalJSON writes the members in order, for jsonValue.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// jsonValue is the plain form of jsonWriter's work: it copies v into what encoding/json can write: numbers that are not
// finite become null (encoding/json refuses them), what prints itself becomes
// its text, structs keep the order and the names of their fields.
func jsonValue(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if text, ok := TextOf(v.Interface()); ok {
		return text
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return jsonValue(v.Elem())
	case reflect.Float32, reflect.Float64:
		if !isFinite(v.Float()) {
			return nil
		}
		return v.Float()
	case reflect.Slice, reflect.Array:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = jsonValue(v.Index(i))
		}
		return out
	case reflect.Map:
		out := jsonMap(v)
		for i := range out {
			out[i].value = jsonValue(reflect.ValueOf(out[i].value))
		}
		return out
	case reflect.Struct:
		return jsonStruct(v)
	}
	return v.Interface()
}

// jsonStruct follows the json tags as encoding/json does: name, "-", omitempty, omitzero.
func jsonStruct(v reflect.Value) object {
	out := object{}
	for _, p := range fields(v.Type()) {
		if f := v.Field(p.field); !p.omitted(f) {
			out = append(out, member{p.Name, jsonValue(f)})
		}
	}
	return out
}
