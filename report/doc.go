// Package report turns values into what people read: terminal text, Markdown,
// HTML pages, LaTeX tables, JSON, CSV and figures (SVG, PDF, PNG).
// It renders results and never recomputes them. Package save writes all of these to
// files, and Parquet.
//
// The way through the package:
//
//	value ──Blocks──▶ []Block ──Text, Markdown, HTML, LaTeX──▶ document
//	value ──FigureOf──▶ Figure ──package figure──▶ SVG, PDF, PNG
//	value ──JSON, CSV──▶ data
//	value ──Cells──▶ []CellColumn ──save.Parquet──▶ data
//	value ──Bundle──▶ all of these at once, for a notebook to choose from
//
// Every kind of value has one function that sets the order of its parts: first a sentence (what was
// found, with what guarantee, for how many samples against the lower bound), warnings, then tables,
// and the audit trail last and folded. A Block holds numbers as numbers; one function (cell) makes
// them text, so that a figure in a terminal and in a paper is the same.
//
// # Promises
//
//   - An undecided task is named as undecided, in the sentence and in its table
//     row; the best guess is never called an answer.
//   - JSON has full precision, null for what is not finite, and the same bytes
//     for the same displays: time, machine and command stay in the Provenance of
//     the other formats. CSV has full precision and one tidy table a value.
//   - An HTML page asks nothing of any network and is well-formed XML; its tables
//     have captions and scopes, its figures a title and a description; colour
//     never carries meaning alone.
//   - WriteFile replaces a file as a whole or not at all.
//
// # Figures
//
// A Figure is data, and package figure draws it. What a sweep or a table of comparisons gives goes
// through one chart, which splits its rows into panels and series. An algorithm has the hue of its
// place in the catalogue in every figure, and an algorithm that knows the truth
// (algorithms.RoleReference) is drawn and named as a reference everywhere; files have a column for
// that.
//
// # A new kind of value
//
// Add it to package internal/kinds, and write a method of that name on views in a new file: from
// the value to blocks, and to a table and a Figure if it has them. All formats follow.
package report
