// Package figure draws charts: lines, points, bars and heat maps, alone or in panels, as SVG, PDF,
// PNG and for pgfplots. It knows no bandits and no documents; package report makes its figures.
//
// # How a figure is made
//
// A Figure is data: series, lines across, labels, or Panels of figures that share axes and legend.
// Every format goes the same way:
//
//	Figure ──newLayout──▶ layout of panes ──draw──▶ canvas of gonum's plot/vg ──▶ SVG, PDF or PNG
//	Figure ──ranges, newLayout──▶ axes and ticks ──▶ PGFPlots and Dat, whose numbers are the figure's own
//
// The layout decides everything before the first stroke, on a sheet of fixed width whose height
// follows:
//
//  1. ranges: what the axes must hold. An axis clamps what cannot be placed on it to its edge
//     and chooses ticks that have room for their labels (axis.go).
//  2. styles: colour, marker and dash of each series, from Hue, Variant and Reference or, without a
//     Hue, the first that no other series has. Any one of the three would distinguish the series; references are thin and in
//     ink (style.go).
//  3. names: at the ends of the lines if they fit, else in a legend below the panes (labels.go).
//  4. panes: boxes on the sheet, one below another in rows, with the rows of labels of vertical
//     lines (layout.go, pane.go).
//  5. intervals: bars, or bands where bars would be crowded. Markers and lines are at the true x
//     of their values; only bars that would hide each other are a few points beside them
//     (curves.go).
//
// Then each pane draws its axes and, by what the figure is, curves and marks (marks.go), bars
// or the cells of a heat map (heat.go). Text is set in one typeface, with exponents
// raised (typeface.go); in SVG the reader's browser sets it, in its own fonts; PDF embeds the letters that are used (pdf.go).
//
// # Promises
//
//   - Any figure draws, the same bytes each time: on a logarithmic axis, zero is drawn at the edge
//     with an open marker.
//   - PNG and PDF show every letter, or are refused with a LettersError.
//   - An SVG has a title and a description; colour never carries meaning alone.
package figure
