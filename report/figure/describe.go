package figure

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Describe returns the figure in words, for those who cannot see it: Alt, or a sentence made from
// the data.
func (f Figure) Describe() string {
	if f.Alt != "" {
		return f.Alt
	}
	if f.Heat != nil {
		return fmt.Sprintf("Heat map of %s: %s by %s.", f.Heat.Label, wording.Plural(len(f.Heat.Rows), "row"),
			wording.Plural(len(f.Heat.Columns), "column"))
	}
	lo, hi, n := f.Extent()
	names := f.names()
	out := fmt.Sprintf("Line chart of %s against %s", f.YLabel, f.XLabel)
	if f.IsBars() {
		out = fmt.Sprintf("Bar chart of %s by %s", f.XLabel, f.YLabel)
	}
	if len(names) > 1 {
		out += fmt.Sprintf(", %d series (%s)", len(names), wording.Join(names, 8))
	}
	if len(f.Panels) > 0 {
		var titles []string
		for _, p := range f.Panels {
			titles = append(titles, p.Title)
		}
		out += fmt.Sprintf(", %s side by side (%s)", wording.Plural(len(titles), "panel"), wording.Join(titles, 8))
	}
	if n == 0 {
		return out + ", without data."
	}
	out += fmt.Sprintf("; values from %s to %s", wording.Decimal(lo, 3), wording.Decimal(hi, 3))
	for _, l := range f.Lines {
		if l.Label == "" {
			continue
		}
		out += fmt.Sprintf("; %s at %s", l.Label, wording.Decimal(l.At, 3))
	}
	return out + "."
}

// names returns the names of the series, each once.
func (f Figure) names() []string {
	var out []string
	for _, p := range f.Parts() {
		for _, s := range p.Series {
			if s.Name != "" && !slices.Contains(out, s.Name) {
				out = append(out, s.Name)
			}
		}
	}
	return out
}

// Extent returns the range of the finite Y of all series and their number n; 0, 0, 0 without any.
func (f Figure) Extent() (lo, hi float64, n int) {
	var all []Series
	for _, p := range f.Parts() {
		all = append(all, p.Series...)
	}
	for _, s := range all {
		for _, y := range s.Y {
			if !wording.IsFinite(y) {
				continue
			}
			if n == 0 {
				lo, hi = y, y
			}
			lo, hi, n = min(lo, y), max(hi, y), n+1
		}
	}
	return lo, hi, n
}
