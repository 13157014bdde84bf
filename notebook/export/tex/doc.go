// Package tex knows TeX as far as reports need it: it turns formulas into MathML (Formula), says
// which LaTeX of an output may be in a document (Compilable), and sets plain text (Text, Verbatim,
// Characters).
//
// Formulas are read by a parser (mathml.go), commands (command.go) and tables (table.go) by its
// methods, from the lists of mathml.go. What the parser does not know stays TeX in the reader's
// sight. The same lists state what Compilable lets pass (safe.go), besides commands of text; none of
// them reads or writes a file, defines anything, or changes how TeX reads what follows.
package tex
