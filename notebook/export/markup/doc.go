// Package markup reads HTML and drawings from outside, keeps what is harmless, and writes the
// rest as markup that is HTML and XML at once.
//
//	source ──Parse──▶ tree of nodes ──Cleaner──▶ what may stay ──Write──▶ markup
//	style sheet ──Scoped──▶ rules that reach one element and load nothing
//
// Parse is the parser of golang.org/x/net/html, so that a tree is what a browser sees. Lists name
// all that may stay: elements and attributes (clean.go, parse.go), functions of CSS (style.go).
// Anything else goes, and a Cleaner remembers what a reader might miss.
package markup
