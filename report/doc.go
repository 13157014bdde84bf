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
// Each kind of value has one function that orders its parts. First comes a sentence: what was found, with
// which guarantee, and with how many samples relative to the lower bound. Warnings, tables and the list of
// eliminations follow; the last is folded. A Block contains numbers and not texts. Only the function cell
// formats them, so that a number has the same digits in a terminal and in a paper.
//
// # Guarantees
//
//   - The sentence and the table state that an undecided task is undecided. Its best estimate is never
//     called an answer.
//   - JSON has full precision; NaN and infinite numbers are null. Equal displays give equal bytes: only the
//     other formats contain time, machine and command, in the Provenance. CSV has full precision and one
//     table per value.
//   - An HTML page loads nothing and is well-formed XML. Its tables have captions and scopes, its figures a
//     title and a description. Colour alone never carries information.
//   - WriteFile replaces a file completely or leaves it unchanged.
//
// # Figures
//
// A Figure is data; package figure draws it. The figures of a sweep and of tables of comparisons are made from
// a chart, which divides its rows into panels and series. The colour of an algorithm depends only on its place
// in the catalogue, so that it is the same in every figure. An algorithm that knows the true means
// (algorithms.RoleReference) is drawn and named as a reference; files have a column for this.
//
// # A new kind of value
//
// Add it to package internal/kinds. In a new file, write a method of that name on views. The method returns the
// blocks of a value, and a table and a Figure if the kind has them. All formats then support it.
package report
