package report

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Schema identifies the JSON layout. It changes when programs that read the JSON would have to change.
const Schema = "gonb-cope/1"

// JSON writes {"schema", "displays": [{"name", "type", "value"}]} to w. Equal displays give equal bytes, because time,
// machine and run are not included. Numbers have full precision; NaN and infinite numbers are null. A list of more than
// 1000 elements has one element per line. After 64 MiB, JSON cuts long lists of records; for each, a member named after
// the list with the suffix _left_out counts the omitted records. It returns the first error of w.
func JSON(w io.Writer, d Document) error {
	displays := lists.Map(d.Displays, func(x Display) any {
		return object{{"name", x.Name}, {"type", TypeName(x.Value)}, {"value", writtenValue(x.Value)}}
	})
	return writeJSON(w, object{{"schema", Schema}, {"displays", displays}})
}

// JSONValue returns a value that encoding/json writes like the member "value" of a display.
func JSONValue(v any) json.Marshaler { return jsonOf{v} }

// jsonOf makes encoding/json write a value by the rules of JSON.
type jsonOf struct{ value any }

// MarshalJSON returns the complete JSON of the value, without indentation.
func (v jsonOf) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	j := jsonWriter{w: bufio.NewWriter(&b), flat: 1, whole: true}
	j.value(reflect.ValueOf(writtenValue(v.value)))
	err := j.finish()
	return b.Bytes(), err
}

// writtenValue returns the value without the parts that JSON omits.
func writtenValue(v any) any {
	v = plain(v)
	if p, ok := v.(problem.Problem); ok {
		return partsOfProblem(p)
	}
	if s, ok := v.(sim.Sweep); ok && s.Per != sim.PerRun {
		s.Rows = slices.Clone(s.Rows)
		for i := range s.Rows { // omit details of single runs, which can be thousands of numbers per cell
			s.Rows[i].Result.Detail = nil
		}
		return s
	}
	return v
}

// problemParts has the fields of a problem in JSON: its tasks and arms with their data.
type problemParts struct {
	Name        string           `json:"name"`
	Kernel      string           `json:"kernel"`
	Noise       string           `json:"noise"`       // the noise model
	Environment string           `json:"environment"` // distribution of simulated rewards
	Tasks       []taskParts      `json:"tasks"`
	Sources     []problem.Source `json:"sources"` // files that the problem was read from
	Bounds      *[2]float64      `json:"bounds,omitempty"`
	// "min" if the best arm has the lowest expected reward
	Goal string `json:"goal,omitempty"`
	// feature columns scaled to [0, 1], with their original ranges in the units of the data
	Standardized []scaledParts  `json:"standardized,omitempty"`
	Notes        []problem.Note `json:"notes,omitempty"`
}

type taskParts struct {
	Task string     `json:"task"`
	Arms []armParts `json:"arms"`
}

type armParts struct {
	Arm   string   `json:"arm"`
	Noise float64  `json:"noise"`          // noise scale in reward units
	Mean  *float64 `json:"mean,omitempty"` // expected reward; nil if unknown
}

type scaledParts struct {
	Column string  `json:"column"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// partsOfProblem returns the fields of a problem in JSON.
func partsOfProblem(p problem.Problem) problemParts {
	noise, _ := noiseKnown(p)
	out := problemParts{Name: p.Name, Kernel: p.Kernel.String(), Noise: noise, Environment: environmentWords(p),
		Sources: p.Sources, Goal: p.Goal, Bounds: p.TurnedBounds(p.Noise.Bounds),
		Standardized: append(scaledFeatures(p.Tasks), scaledFeatures(p.Arms)...), Notes: slices.Concat(p.Notes, p.KernelNotes)}
	for v, g := range p.Groups() {
		task := taskParts{Task: p.Tasks.Names[v]}
		for _, i := range g {
			arm := armParts{Arm: p.Arms.Names[i], Noise: p.Noise.Scales[i]}
			if means := p.Means(); means != nil && !math.IsNaN(means[i]) {
				mean := p.Turned(means[i])
				arm.Mean = &mean
			}
			task.Arms = append(task.Arms, arm)
		}
		out.Tasks = append(out.Tasks, task)
	}
	return out
}

// scaledFeatures lists the feature columns that were scaled to [0, 1], with their original ranges in the units of the
// data.
func scaledFeatures(points *kernels.Points) []scaledParts {
	var out []scaledParts
	for c, u := range points.Units {
		if u.Scaled() {
			out = append(out, scaledParts{points.Columns[c], u.Data(0), u.Data(1)})
		}
	}
	return out
}

// object is a JSON object with members in a fixed order.
type object []member

type member struct {
	name  string
	value any
}

// IsText reports whether JSON represents values of a Go type as strings, namely the text that they print.
func IsText(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// TextOf returns the string for a value in data files: RFC 3339 for a time, and the printed text for other such types. It
// returns false if JSON does not represent the value as a string.
func TextOf(v any) (string, bool) {
	switch x := v.(type) {
	case time.Time:
		return x.Format(time.RFC3339Nano), true
	case fmt.Stringer:
		return x.String(), true
	case encoding.TextMarshaler:
		if b, err := x.MarshalText(); err == nil {
			return string(b), true
		}
	}
	return "", false
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

// jsonMap returns a map as an object, ordered by key.
func jsonMap(v reflect.Value) object {
	out := object(lists.Map(v.MapKeys(), func(k reflect.Value) member { return member{fmt.Sprint(k.Interface()), v.MapIndex(k).Interface()} }))
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}

// Limits on lists in JSON.
const (
	// a list of more elements has one element per line; in a shorter list, each element is indented
	spacedElements = 1000
	// number of bytes after which long lists of records are cut
	mostJSON = 64 << 20
)

// errTooLong is the error of a jsonWriter that reaches its limit.
var errTooLong = errors.New("the value is too long")

// jsonWriter writes values as JSON. The bytes equal those of encoding/json with an indent of two spaces, except for lists
// of more than spacedElements elements.
type jsonWriter struct {
	w       *bufio.Writer
	written int64
	limit   int64 // maximum number of bytes, after which err is errTooLong; 0 means no limit
	whole   bool  // whether lists of records are complete even beyond mostJSON bytes
	depth   int
	flat    int // number of enclosing long lists; inside them there are no line breaks
	parts   map[reflect.Type][]Part
	err     error
}

// writeJSON writes a value and a line break to w.
func writeJSON(w io.Writer, v any) error {
	j := jsonWriter{w: bufio.NewWriter(w)}
	j.value(reflect.ValueOf(v))
	j.text("\n")
	return j.finish()
}

// finish flushes the buffer, and returns the first error.
func (j *jsonWriter) finish() error {
	if err := j.w.Flush(); j.err == nil && err != nil {
		return err
	}
	if j.err != nil && !errors.Is(j.err, errTooLong) {
		return fmt.Errorf("writing JSON: %w", j.err)
	}
	return j.err
}

func (j *jsonWriter) text(s string) {
	if j.err != nil {
		return
	}
	n, err := j.w.WriteString(s)
	j.written, j.err = j.written+int64(n), err
	if j.err == nil && j.limit > 0 && j.written > j.limit {
		j.err = errTooLong
	}
}

// line starts a new line, indented by the current depth.
func (j *jsonWriter) line() {
	if j.flat == 0 {
		j.text("\n" + strings.Repeat("  ", j.depth))
	}
}

// leaf writes a value in the way of encoding/json.
func (j *jsonWriter) leaf(v any) {
	if s, ok := v.(string); ok && isPlain(s) {
		j.text(`"`)
		j.text(s)
		j.text(`"`)
		return
	}
	b, err := json.Marshal(v)
	if err != nil && j.err == nil {
		j.err = err
	}
	j.text(string(b))
}

// value writes a value. NaN and infinite numbers are null, because encoding/json rejects them. A value with a String
// method is the string it returns. A struct keeps the order and JSON names of its fields.
func (j *jsonWriter) value(v reflect.Value) {
	if j.err != nil {
		return
	}
	if !v.IsValid() {
		j.text("null")
		return
	}
	if x, ok := v.Interface().(object); ok {
		for i, m := range x {
			j.member(i, m.name)
			j.value(reflect.ValueOf(m.value))
		}
		j.end(len(x))
		return
	}
	if text, ok := TextOf(v.Interface()); ok {
		j.leaf(text)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		j.value(v.Elem()) // for nil, Elem is the invalid Value
	case reflect.Float32, reflect.Float64:
		if !isFinite(v.Float()) {
			j.text("null")
			return
		}
		j.leaf(v.Float())
	case reflect.Slice, reflect.Array:
		j.list(v)
	case reflect.Map:
		j.value(reflect.ValueOf(jsonMap(v)))
	case reflect.Struct:
		j.structure(v)
	default:
		j.leaf(v.Interface())
	}
}

// member starts member i of an object; name is its name.
func (j *jsonWriter) member(i int, name string) {
	if i == 0 {
		j.text("{")
		j.depth++
	} else {
		j.text(",")
	}
	j.line()
	j.leaf(name)
	if j.flat > 0 {
		j.text(":")
	} else {
		j.text(": ")
	}
}

// end closes an object of n members.
func (j *jsonWriter) end(n int) {
	if n == 0 {
		j.text("{}")
		return
	}
	j.depth--
	j.line()
	j.text("}")
}

// structure writes a struct. After each list that was cut, it writes the number of omitted records.
func (j *jsonWriter) structure(v reflect.Value) {
	parts, known := j.parts[v.Type()]
	if !known {
		parts = fields(v.Type())
		if j.parts == nil {
			j.parts = map[reflect.Type][]Part{}
		}
		j.parts[v.Type()] = parts
	}
	n := 0
	for _, p := range parts {
		f := v.Field(p.field)
		if p.omitted(f) {
			continue
		}
		j.member(n, p.Name)
		n++
		if omitted := j.list(f); omitted > 0 {
			j.member(n, p.Name+"_left_out")
			j.text(strconv.Itoa(omitted))
		}
	}
	j.end(n)
}

// list writes a list, or any other value. It returns the number of omitted records.
func (j *jsonWriter) list(v reflect.Value) (omitted int) {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array || IsText(v.Type()) || v.Type() == reflect.TypeFor[object]() {
		j.value(v)
		return 0
	}
	n := v.Len()
	if n == 0 {
		j.text("[]")
		return 0
	}
	long := n > spacedElements
	j.text("[")
	j.depth++
	for i := range n {
		if long && v.Type().Elem().Kind() == reflect.Struct && j.written > mostJSON && !j.whole {
			omitted = n - i
			break
		}
		if i > 0 {
			j.text(",")
		}
		j.line()
		if long {
			j.flat++
		}
		j.value(v.Index(i))
		if long {
			j.flat--
		}
	}
	j.depth--
	j.line()
	j.text("]")
	return omitted
}

// isPlain reports whether JSON can contain the text without escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			return false
		}
	}
	return true
}
