// Package formula checks and compiles the formulas with which a script defines its own kernels,
//
//	wave(x, y) = exp(-abs(x[0]-y[0])) * cos(2*(x[0]-y[0]))
//
// where x and y are the feature vectors of two points. Each part of a formula is a number, a vector with one element
// per feature column, or a condition. Operators and functions work element by element; a number is combined with every
// element of a vector. The value of the whole formula must be a number.
//
// Check returns a Definition of a formula without mistakes. Definition.Resolve looks up the feature columns and
// returns a Program: a compiled tree of nodes. It evaluates blocks of 256 points, with one contiguous array per
// column, and does not allocate memory. Tests compare it with an interpreter of the syntax tree.
package formula
