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

// picture draws every cell as a rectangle: dark blue for the lowest loss of its row and what is level with it, paler to
// red by how much a random arm's loss is lost more; grey without runs. The colours can be told apart by the colour-blind.
func (z *zoo) picture() string {
	var b strings.Builder
	y := headHigh
	for _, held := range []bool{true, false} {
		title := "for tuning"
		if held {
			title = "not for tuning"
		}
		fmt.Fprintf(&b, `<text x="4" y="%d" font-weight="bold">%s</text>`, y+10, title)
		for m, of := range z.methods {
			x := leftWide + m*cellWide + cellWide/2
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, x, y+10, html.EscapeString(short(of.name)))
		}
		y += cellHigh + 4
		for _, r := range z.shown {
			if r.table.held() != held {
				continue
			}
			fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`, y+2*cellHigh, html.EscapeString(r.table.name))
			for k := range r.pulls {
				first := r.lowest(k)
				for m, of := range r.by {
					i := meanOf(of.shares(k))
					fill, text := "#dddddd", ""
					if i.n >= leastRuns {
						behindBy := i.mean - meanOf(r.by[first].shares(k)).mean
						if m == first || against(of, r.by[first], k) == level {
							behindBy = 0
						}
						fill, text = colour(behindBy), percent(i.mean)
					}
					x, top := leftWide+m*cellWide, y+k*cellHigh
					fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, x, top, cellWide-1, cellHigh-1, fill)
					fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`, x+cellWide/2, top+10, ink(fill), text)
				}
			}
			y += len(r.pulls)*cellHigh + 4
		}
		y += 10
	}
	wide := leftWide + len(z.methods)*cellWide + 4
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"`, wide, y, wide, y) +
		` font-family="sans-serif" font-size="9"><rect width="100%" height="100%" fill="white"/><text x="4" y="12">`
	return head + fmt.Sprintf("Mean loss in %% of a random arm's; four rows a table: %v pulls an arm. ", eachArm) +
		"Blue: the lowest, or level with it; to red: farther behind; grey: not run.</text>" + b.String() + "</svg>\n"
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

// ink is what can be read on a colour.
func ink(fill string) string {
	if fill == "#2166ac" || strings.HasPrefix(fill, "#b") || strings.HasPrefix(fill, "#c") {
		return "white"
	}
	return "black"
}

// seconds shows a time with two digits.
func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.2g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.2g ms", s*1e3)
	}
	return fmt.Sprintf("%.2g s", s)
}

func middle(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return stat.Quantile(0.5, stat.Empirical, x, nil)
}

func most(x []float64) float64 { return slices.Max(x) }
