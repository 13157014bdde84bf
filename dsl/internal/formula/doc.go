// Package formula checks and compiles the formulas with which a script defines its own kernels,
//
//	wave(x, y) = exp(-abs(x[0]-y[0])) * cos(2*(x[0]-y[0]))
//
// where x and y are the feature vectors of two points. A part of a formula is a number, a vector with one element per feature
// column, or a condition. Operators and functions apply element by element; a number combines with every element of a vector. The
// whole formula must be a number.
//
// A Definition is a formula that passed the check. Resolve finds the columns of the points and returns a Program: a compiled tree
// that evaluates blocks of 256 points, one contiguous array per column, without allocating. Tests compare it with an interpreter
// of the syntax tree.
package formula
