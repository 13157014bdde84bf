// Package front parses the text of a script into statements with syntax trees.
//
// The lexer, the parser and the syntax tree come from expr (github.com/expr-lang/expr). This package adds what expr does not have:
// several statements, `name = expression`, formula definitions and named arguments. The steps are:
//
//	tokens.go     splits the text into tokens, and rejects tokens that the script language does not have
//	braces.go     converts a text with values, "took {n} s", to the tokens of an expression; matches
//	              brackets, and limits depth and length
//	statements.go splits the tokens into statements, at line ends outside brackets
//	parse.go      writes named arguments as a map literal, and parses each statement with expr
//	source.go     converts a node of the tree to a position in the user's text
//	cursor.go     describes what surrounds a cursor, for completion
//
// Offsets in results count runes of the user's text. A table converts offsets in the text given to expr to these. Errors have type
// Error; they contain location, message, line, underline and hint.
package front
