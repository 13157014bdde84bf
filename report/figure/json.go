package figure

import (
	"encoding/json"
	"fmt"
	"math"
)

// FromJSON makes a figure of the "value" member of its JSON, so that a report
// can draw it again in another format. Numbers that were not finite are null in
// JSON, and NaN again here. A value that is no figure is an error.
func FromJSON(value any) (Figure, error) {
	var f Figure
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return Figure{}, fmt.Errorf("the value is not a figure: %w", err)
	}
	return f, nil
}

// check reports lists of unequal length: a figure from a file may have them.
func (f Figure) check() error {
	if len(f.Series) == 0 && f.Heat == nil && len(f.Panels) == 0 {
		return fmt.Errorf("it has neither series nor a heat map")
	}
	if err := f.checkFrame(); err != nil {
		return err
	}
	for _, p := range f.Panels {
		if p.Heat != nil || p.IsBars() || len(p.Panels) > 0 {
			return fmt.Errorf("panel %q is not of lines or points", p.Title)
		}
		if err := p.check(); err != nil {
			return fmt.Errorf("panel %q: %w", p.Title, err)
		}
	}
	for _, s := range f.Series {
		n := len(s.X)
		if len(s.Y) != n || len(s.Lo) != len(s.Hi) || len(s.Lo) != 0 && len(s.Lo) != n {
			return fmt.Errorf("series %q has lists of unequal length", s.Name)
		}
	}
	if f.Heat == nil {
		return nil
	}
	if len(f.Heat.Z) != len(f.Heat.Rows) {
		return fmt.Errorf("the heat map has %d rows and %d names of rows", len(f.Heat.Z), len(f.Heat.Rows))
	}
	for _, row := range f.Heat.Z {
		if len(row) != len(f.Heat.Columns) {
			return fmt.Errorf("a row of the heat map has %d values and not %d", len(row), len(f.Heat.Columns))
		}
	}
	return nil
}

// orNaN reads null as NaN.
type orNaN float64

// UnmarshalJSON implements json.Unmarshaler.
func (x *orNaN) UnmarshalJSON(b []byte) error {
	v := (*float64)(x)
	if string(b) == "null" {
		*v = math.NaN()
		return nil
	}
	return json.Unmarshal(b, v)
}

func floats(xs []orNaN) []float64 {
	if xs == nil {
		return nil
	}
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = float64(x)
	}
	return out
}

// UnmarshalJSON reads null as NaN.
func (s *Series) UnmarshalJSON(b []byte) error {
	var v struct {
		Name         string
		X, Y, Lo, Hi []orNaN
		Style        Style
		Hue, Variant int
		Reference    bool
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*s = Series{Name: v.Name, X: floats(v.X), Y: floats(v.Y), Lo: floats(v.Lo), Hi: floats(v.Hi), Style: v.Style,
		Hue: v.Hue, Variant: v.Variant, Reference: v.Reference}
	return nil
}

// UnmarshalJSON reads null as NaN.
func (h *Heat) UnmarshalJSON(b []byte) error {
	var v struct {
		Rows, Columns []string
		Z             [][]orNaN
		Label         string
		Log           bool
		RowMarks      []XName `json:"row_marks"`
		ColumnMarks   []XName `json:"column_marks"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*h = Heat{Rows: v.Rows, Columns: v.Columns, Label: v.Label, Log: v.Log, RowMarks: v.RowMarks, ColumnMarks: v.ColumnMarks,
		Z: make([][]float64, len(v.Z))}
	for i, row := range v.Z {
		h.Z[i] = floats(row)
	}
	return nil
}
