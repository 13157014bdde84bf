//go:build unix

package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// The sizes of the picture, in pixels.
const (
	cellWide, cellHigh = 64, 13
	leftWide, headHigh = 190, 34
)

// picture draws every cell as a rectangle: blue for the lowest loss of its row and what is level with it, pale to red by
// how much more of a random arm's loss is lost; grey without runs. Blue and red can be told apart by the colour-blind.
func (z *zoo) picture() string {
	var b strings.Builder
	y := headHigh
	for _, held := range []bool{true, false} {
		fmt.Fprintf(&b, `<text x="4" y="%d" font-weight="bold">%s</text><g text-anchor="middle">`, y+10, title(held))
		for m, of := range z.Methods {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, leftWide+m*cellWide+cellWide/2, y+10, html.EscapeString(short(of.Name)))
		}
		b.WriteString("</g>")
		y += cellHigh + 4
		for _, r := range z.half(held) {
			y += z.drawRow(&b, r, y)
		}
		y += 10
	}
	wide := leftWide + len(z.Methods)*cellWide + 4
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"`, wide, y, wide, y) +
		` font-family="sans-serif" font-size="9"><rect width="100%" height="100%" fill="white"/><text x="4" y="12">`
	return head + fmt.Sprintf("Mean loss in %% of a random arm's; four rows a table: %v pulls an arm. ", eachArm) +
		"Blue: the lowest, or level with it; to red: farther behind; grey: not run.</text>\n" + b.String() + "</svg>\n"
}

// drawRow draws a table and returns its height.
func (z *zoo) drawRow(b *strings.Builder, r row, y int) int {
	high := len(r.pulls) * cellHigh
	fmt.Fprintf(b, `<text x="4" y="%d">%s</text>`, y+2*cellHigh, html.EscapeString(r.Table.Name))
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#ddd"/><g text-anchor="middle">`,
		leftWide, y, len(z.Methods)*cellWide, high)
	for k := range r.pulls {
		first := r.lowest(k)
		for m, of := range r.by {
			i := meanOf(of.shares(k))
			if i.n < leastRuns {
				continue
			}
			behindBy := i.mean - meanOf(r.by[first].shares(k)).mean
			if m == first || against(of, r.by[first], k) == level {
				behindBy = 0
			}
			x, top, fill := leftWide+m*cellWide, y+k*cellHigh, colour(behindBy)
			fmt.Fprintf(b, `<path d="M%d %dh%dv%dh-%dz" fill="%s"/>`, x, top, cellWide-1, cellHigh-1, cellWide-1, fill)
			fmt.Fprintf(b, `<text x="%d" y="%d"%s>%s</text>`, x+cellWide/2, top+10, ink(fill), percent(i.mean))
		}
	}
	b.WriteString("</g>\n")
	return high + 4
}

// short fits a name into a column.
func short(name string) string {
	if len(name) > 12 {
		return name[:11] + "…"
	}
	return name
}

// colour goes from blue at 0 over yellow to red at half of a random arm's loss and more.
func colour(behindBy float64) string {
	if behindBy == 0 {
		return "#2166ac"
	}
	s := min(math.Sqrt(behindBy/0.5), 1)
	mixed := func(from, to float64) int { return int(math.Round(from + s*(to-from))) }
	return fmt.Sprintf("#%02x%02x%02x", mixed(247, 178), mixed(247, 24), mixed(220, 43))
}

// ink makes text on a dark colour white.
func ink(fill string) string {
	if fill == "#2166ac" || strings.HasPrefix(fill, "#b") || strings.HasPrefix(fill, "#c") {
		return ` fill="white"`
	}
	return ""
}

// seconds shows a time with two digits.
func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	}
	return digits(s) + " s"
}

// digits shows a number above 0 with two digits and all before the point.
func digits(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

func middle(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return stat.Quantile(0.5, stat.Empirical, x, nil)
}

func most(x []float64) float64 { return slices.Max(x) }
