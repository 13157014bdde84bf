// Package figure draws charts as SVG, PDF and PNG: lines, points, bars and heat maps, alone or in panels. It does not know
// bandits or documents; package report makes its figures.
//
// # How a figure is made
//
// A Figure is data: series, reference lines, labels, or Panels, which are figures that share axes and a legend. Every format
// takes the same way:
//
//	Figure ──newLayout──▶ layout of panes ──draw──▶ canvas of gonum's plot/vg ──▶ SVG, PDF or PNG
//
// The layout computes all places before anything is drawn. The sheet has a fixed width; its height follows from the contents.
//
//  1. Ranges: the values that the axes must show. An axis puts a value outside its range at its edge, and chooses ticks whose
//     labels have room (axis.go).
//  2. Styles: colour, marker and dash of each series. They follow from Hue, Variant and Reference. A series without Hue gets the
//     first style that no other series has. Reference lines are thin and in the text colour (style.go).
//  3. Names: at the ends of the lines if they fit, otherwise in a legend below the panes (labels.go).
//  4. Panes: boxes on the sheet, in rows, with the labels of vertical lines (layout.go, pane.go). Bars and dots are horizontal: their
//     values are along x, and their categories go down (rows.go).
//  5. Intervals: bars, or bands where bars would be crowded. Markers and lines are at the true x of their values. Only bars that
//     would hide each other are moved aside by a few points (curves.go).
//
// Then each pane draws its axes, and its curves and markers (marks.go) or the cells of a heat map (heat.go). Text
// has one typeface, with raised exponents (typeface.go). In SVG, the reader's browser sets the text in its own font. PDF embeds
// the letters that are used (pdf.go).
//
// # Promises
//
//   - Every figure can be drawn, and the same figure gives the same bytes. On a logarithmic axis, zero is at the edge, with an
//     open marker.
//   - PNG and PDF show every letter, or return a LettersError.
//   - An SVG has a title and a description. Series differ not only in colour.
package figure
