// Package tex has the TeX functions of reports. It converts formulas to MathML (Formula), decides whether LaTeX of an
// output may be copied into a document (Compilable), and writes plain text as LaTeX (Text, Verbatim, Characters).
//
// The parser of formulas (mathml.go) has methods for commands (command.go) and for tables (table.go). The known
// commands are in lists in mathml.go. A formula with an unknown command is shown as TeX source. Compilable (safe.go)
// allows the same commands and some commands of text. None of them reads or writes a file, defines anything, or changes
// how TeX parses the following text.
package tex
