package report

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Schema names the JSON layout; it changes when a reader would have to.
const Schema = "gonb-cope/1"

// JSON writes {"schema", "displays": [{"name", "type", "value"}]}. The same
// displays give the same bytes: nothing about time, machine or run is in it.
// Numbers have full precision; those that are not finite are null. It returns
// the error of w.
func JSON(w io.Writer, d Document) error {
	displays := []any{}
	for _, x := range d.Displays {
		displays = append(displays, object{{"name", x.Name}, {"type", TypeName(x.Value)}, {"value", JSONValue(x.Value)}})
	}
	return writeJSON(w, object{{"schema", Schema}, {"displays", displays}})
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// JSONValue returns the plain form of a displayed value, ready for encoding/json: the "value"
// member of its display.
func JSONValue(v any) any {
	v = plain(v)
	if p, ok := v.(problem.Problem); ok {
		return jsonProblem(p)
	}
	if s, ok := v.(sim.Sweep); ok && s.Per != sim.PerRun {
		v = withoutRuns(s)
	}
	return jsonValue(reflect.ValueOf(v))
}

// withoutRuns returns a sweep without the record of every single run: thousands of numbers that a
// reader of its cells did not ask for.
func withoutRuns(s sim.Sweep) sim.Sweep {
	s.Rows = slices.Clone(s.Rows)
	for i := range s.Rows {
		s.Rows[i].Result.Detail = nil
	}
	return s
}

// jsonProblem lists tasks, arms and what is known of each.
func jsonProblem(p problem.Problem) object {
	tasks := []any{}
	for v, g := range p.Groups() {
		arms := []any{}
		for _, i := range g {
			arm := object{{"arm", p.Arms.Names[i]}, {"noise", p.Noise.Scales[i]}}
			if p.Mean != nil {
				arm = append(arm, member{"mean", p.Turned(p.Mean[i])})
			} else if p.Partial != nil && !math.IsNaN(p.Partial[i]) {
				arm = append(arm, member{"mean", p.Turned(p.Partial[i])})
			}
			arms = append(arms, arm)
		}
		tasks = append(tasks, object{{"task", p.Tasks.Names[v]}, {"arms", arms}})
	}
	sources := []any{}
	for _, s := range p.Sources {
		sources = append(sources, s)
	}
	o := object{{"name", p.Name}, {"kernel", p.Kernel.String()}, {"noise", noiseKnown(p)}, {"environment", environmentWords(p)}, {"tasks", tasks}, {"sources", sources}}
	if p.Noise.Bounds != nil {
		o = append(o, member{"bounds", p.TurnedBounds(p.Noise.Bounds)})
	}
	if p.Goal != problem.GoalMax {
		o = append(o, member{"goal", p.Goal})
	}
	if scaled := append(scaledFeatures(p.Tasks), scaledFeatures(p.Arms)...); len(scaled) > 0 {
		o = append(o, member{"standardized", scaled})
	}
	if len(p.Notes) > 0 {
		o = append(o, member{"notes", p.Notes})
	}
	return o
}

// scaledFeatures lists the columns that were scaled to [0, 1], with their ranges in the units of the data.
func scaledFeatures(points *kernels.Points) []any {
	var out []any
	for c, u := range points.Units {
		if u.Scaled() {
			out = append(out, object{{"column", points.Columns[c]}, {"min", u.Offset}, {"max", u.Offset + u.Range}})
		}
	}
	return out
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
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

// jsonValue copies v into what encoding/json can write: numbers that are not
// finite become null (encoding/json refuses them), what prints itself becomes
// its text, structs keep the order and the names of their fields.
func jsonValue(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	switch x := v.Interface().(type) {
	case fmt.Stringer:
		return x.String()
	case encoding.TextMarshaler:
		if b, err := x.MarshalText(); err == nil {
			return string(b)
		}
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
		return jsonMap(v)
	case reflect.Struct:
		return jsonStruct(v)
	}
	return v.Interface()
}

// jsonStruct follows the json tags as encoding/json does: name, "-", omitempty, omitzero.
func jsonStruct(v reflect.Value) object {
	out := object{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		empty := options == "omitempty" && isEmpty(v.Field(i)) || options == "omitzero" && v.Field(i).IsZero()
		if !f.IsExported() || name == "-" || empty {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out = append(out, member{name, jsonValue(v.Field(i))})
	}
	return out
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func jsonMap(v reflect.Value) object {
	out := object{}
	for _, k := range v.MapKeys() {
		out = append(out, member{fmt.Sprint(k.Interface()), jsonValue(v.MapIndex(k))})
	}
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}
