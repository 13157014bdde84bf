package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
)

// The widths that a figure can have, in columns.
const (
	Narrowest = 1.
	Widest    = 2.
)

// sheet returns the width of the sheet. Letters keep their size: a narrow figure has less room, and
// is not a wide one made small.
func (f Figure) sheet() vg.Length {
	columns := f.Width
	if columns == 0 {
		columns = Widest
	}
	return vg.Length(columns*(column+gutter) - gutter)
}

// letters returns how many letters of a name are shown where a wide sheet shows the given number.
func (d layout) letters(wide int) int { return max(12, int(float64(wide)*float64(d.width/sheetWidth))) }

// tall returns the height of a pane that has the sheet for itself: a narrow one is less tall, but not
// in proportion.
func (d layout) tall() vg.Length { return tall * (0.4 + 0.6*d.width/sheetWidth) }

// gridColumns returns how many panels stand side by side: three, or two by two when they are four,
// and fewer on a narrow sheet.
func (f Figure) gridColumns() int {
	columns := min(len(f.Panels), 3)
	if len(f.Panels) == 4 {
		columns = 2
	}
	const least = 150 // points for each
	return min(columns, max(1, int(f.sheet()/least)))
}

// PanelRoom returns how many markers with intervals find room side by side in a panel of the figure.
func (f Figure) PanelRoom() int {
	const each, around = 3.5, 45 // points for each, and for what is beside the panes
	columns := vg.Length(max(f.gridColumns(), 1))
	return int(((f.sheet()-around)/columns - between) / each)
}

// limits reports ends that an axis cannot have.
func limits(ends [2]float64, log bool) error {
	switch {
	case !(ends[0] < ends[1]) || math.IsInf(ends[1]-ends[0], 0):
		return fmt.Errorf("its ends must be two finite numbers, the lower one first, got [%g, %g]", ends[0], ends[1])
	case log && !(ends[0] > 0):
		return fmt.Errorf("both ends must be above 0 on a logarithmic axis, got [%g, %g]", ends[0], ends[1])
	}
	return nil
}

// checkFrame reports ends and widths that a figure from a file may have.
func (f Figure) checkFrame() error {
	if f.Width != 0 && !(f.Width >= Narrowest && f.Width <= Widest) {
		return fmt.Errorf("its width must be %g to %g columns, got %g", Narrowest, Widest, f.Width)
	}
	for _, a := range []struct {
		name string
		ends *[2]float64
		log  bool
	}{{"x", f.XLim, f.LogX}, {"y", f.YLim, f.LogY}} {
		if a.ends == nil {
			continue
		}
		if err := limits(*a.ends, a.log); err != nil {
			return fmt.Errorf("the %s axis: %w", a.name, err)
		}
	}
	return nil
}
