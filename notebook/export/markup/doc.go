// Package markup reads untrusted HTML and drawings, keeps what is known to be harmless, and writes it as markup that is
// valid as HTML and as XML.
//
//	source ──Parse──▶ tree of nodes ──Cleaner──▶ harmless part ──Write──▶ markup
//	style sheet ──Scoped──▶ rules that apply to one element and load nothing
//
// Parse uses the parser of golang.org/x/net/html, so a tree is the same as in a browser. Lists name everything that is
// allowed: elements and attributes (clean.go, parse.go) and CSS functions (style.go). All else is dropped, and a
// Cleaner records what readers may miss.
package markup
