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

// Schema names the JSON layout; it changes when a reader would have to.
const Schema = "gonb-cope/1"

// JSON writes {"schema", "displays": [{"name", "type", "value"}]}. The same
// displays give the same bytes: nothing about time, machine or run is in it.
// Numbers have full precision; those that are not finite are null. Elements of lists
// of more than 1000 are on one line each. A document ends its long lists of records
// at 64 MiB: then a member of a list's name and _left_out counts those that are not
// there. It returns the error of w.
func JSON(w io.Writer, d Document) error {
	displays := lists.Map(d.Displays, func(x Display) any {
		return object{{"name", x.Name}, {"type", TypeName(x.Value)}, {"value", writtenValue(x.Value)}}
	})
	return writeJSON(w, object{{"schema", Schema}, {"displays", displays}})
}

// JSONValue returns a displayed value as encoding/json writes it: the "value" member of its display.
func JSONValue(v any) json.Marshaler { return jsonOf{v} }

// jsonOf is a value that is written as JSON.
type jsonOf struct{ value any }

// MarshalJSON writes the value whole, without spaces.
func (v jsonOf) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	j := jsonWriter{w: bufio.NewWriter(&b), flat: 1, whole: true}
	j.value(reflect.ValueOf(writtenValue(v.value)))
	err := j.finish()
	return b.Bytes(), err
}

// writtenValue returns the parts of a value that are written.
func writtenValue(v any) any {
	v = plain(v)
	if p, ok := v.(problem.Problem); ok {
		return partsOfProblem(p)
	}
	if s, ok := v.(sim.Sweep); ok && s.Per != sim.PerRun {
		s.Rows = slices.Clone(s.Rows)
		for i := range s.Rows { // thousands of numbers that a reader of its cells did not ask for
			s.Rows[i].Result.Detail = nil
		}
		return s
	}
	return v
}

// problemParts are the parts of a problem: its tasks and arms with their data.
type problemParts struct {
	Name        string           `json:"name"`
	Kernel      string           `json:"kernel"`
	Noise       string           `json:"noise"`       // the noise model
	Environment string           `json:"environment"` // reward model of simulated rewards
	Tasks       []taskParts      `json:"tasks"`
	Sources     []problem.Source `json:"sources"` // files that the problem was read from
	Bounds      *[2]float64      `json:"bounds,omitempty"`
	// "min" where the best arm has the lowest expected reward
	Goal string `json:"goal,omitempty"`
	// feature columns that were scaled to [0, 1], with their ranges in the units of the data
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

// partsOfProblem lists the tasks and arms with their data.
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

// scaledFeatures lists the columns that were scaled to [0, 1], with their ranges in the units of the data.
func scaledFeatures(points *kernels.Points) []scaledParts {
	var out []scaledParts
	for c, u := range points.Units {
		if u.Scaled() {
			out = append(out, scaledParts{points.Columns[c], u.Data(0), u.Data(1)})
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

// IsText reports whether values of a type are written as the text that they print as.
func IsText(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// TextOf returns the text of a value in files: times by RFC 3339, other values as they print.
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

// jsonMap returns a map as an object, in the order of its keys.
func jsonMap(v reflect.Value) object {
	out := object(lists.Map(v.MapKeys(), func(k reflect.Value) member { return member{fmt.Sprint(k.Interface()), v.MapIndex(k).Interface()} }))
	slices.SortFunc(out, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return out
}

// What JSON writes of long lists.
const (
	// elements of a list that are on a line of their own; elements of a longer list are on one line each
	spacedElements = 1000
	// bytes of a document after which long lists of records end; the number of omitted records is
	// beside them
	mostJSON = 64 << 20
)

// errTooLong ends a jsonWriter at its limit.
var errTooLong = errors.New("the value is too long")

// jsonWriter writes values as JSON while it walks them: the bytes equal encoding/json's with two
// spaces of indent, except for lists of more than spacedElements.
type jsonWriter struct {
	w       *bufio.Writer
	written int64
	limit   int64 // largest number of bytes, after which err is errTooLong; 0 means no limit
	whole   bool  // lists of records are written in full, even beyond mostJSON bytes
	depth   int
	flat    int // number of long lists around the current place; there are no line breaks inside them
	parts   map[reflect.Type][]Part
	err     error
}

// writeJSON writes a value and a line break.
func writeJSON(w io.Writer, v any) error {
	j := jsonWriter{w: bufio.NewWriter(w)}
	j.value(reflect.ValueOf(v))
	j.text("\n")
	return j.finish()
}

// finish writes the rest of the buffer, and returns the first error.
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

// line begins a new line with the indentation of the current depth.
func (j *jsonWriter) line() {
	if j.flat == 0 {
		j.text("\n" + strings.Repeat("  ", j.depth))
	}
}

// leaf writes a value as encoding/json does.
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

// value writes a value. Numbers that are not finite are null, because encoding/json refuses them. Values with a String method are
// their text. Structs keep the order and names of their fields.
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
		j.value(v.Elem()) // of nil, no valid one
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

// member begins member i of an object.
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

// end ends an object of n members.
func (j *jsonWriter) end(n int) {
	if n == 0 {
		j.text("{}")
		return
	}
	j.depth--
	j.line()
	j.text("}")
}

// structure writes a struct, with a count behind each list of records that did not fit.
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

// list writes the elements of a list, or any other value. It returns the number of omitted records.
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

// isPlain reports whether JSON contains a text without escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			return false
		}
	}
	return true
}
