package figure

import (
	"slices"
	"strings"
)

// Keyed returns the values of names such as "oil=ester, speed=10" where all have the same keys, in the same order,
// and the keys: "ester, 10" and "oil, speed". It reports whether they have.
func Keyed(names []string) (values []string, keys string, keyed bool) {
	for i, name := range names {
		var own, of []string
		for _, part := range strings.Split(name, ", ") {
			key, value, found := strings.Cut(part, "=")
			if !found || key == "" || slices.Contains(of, key) {
				return nil, "", false
			}
			own, of = append(own, value), append(of, key)
		}
		if k := strings.Join(of, ", "); i == 0 {
			keys = k
		} else if k != keys {
			return nil, "", false
		}
		values = append(values, strings.Join(own, ", "))
	}
	return values, keys, len(names) > 0
}

// byValues returns a figure whose names say what differs between them: the columns that all have in common become
// the label of their axis.
func (f Figure) byValues() Figure {
	if values, keys, keyed := Keyed(f.Categories); keyed {
		f.Categories = values
		if f.IsBars() {
			f.YLabel = keys
		} else {
			f.XLabel = keys
		}
	}
	if f.Heat != nil {
		h := *f.Heat
		if values, keys, keyed := Keyed(h.Columns); keyed {
			h.Columns, f.XLabel = values, keys
		}
		if values, keys, keyed := Keyed(h.Rows); keyed {
			h.Rows, f.YLabel = values, keys
		}
		f.Heat = &h
	}
	f.Panels = slices.Clone(f.Panels)
	for i, p := range f.Panels {
		f.Panels[i] = p.byValues()
	}
	return f
}
