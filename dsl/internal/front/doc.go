// Package front parses the text of a script into statements with syntax trees.
//
// The lexer, the parser and the tree come from expr (github.com/expr-lang/expr); this package adds what expr lacks: several
// statements, `name = expression`, formula definitions and named arguments. The steps are,
//
//	tokens.go     the whole text becomes tokens; what the language lacks is refused
//	braces.go     a text with values, "took {n} s", becomes the tokens of an expression; every bracket
//	              finds its partner; depth and length are limited
//	statements.go tokens are split into statements at line ends outside brackets
//	parse.go      named arguments become a map literal, and expr parses the statement
//	source.go     a node of the tree finds its place in the user's text
//	cursor.go     the surroundings of a cursor, for completion
//
// Offsets in results count runes of the user's own text; an offset table maps the text that is rewritten for expr back to it.
// Errors have type Error and print as location, message, line, underline and hint.
package front
