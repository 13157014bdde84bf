// Package formula checks and compiles the formulas by which a script defines its own kernels,
//
//	wave(x, y) = exp(-abs(x[0]-y[0])) * cos(2*(x[0]-y[0]))
//
// where x and y represent the feature vectors of the two points. A part of a formula is a number, a
// vector with one element per feature column, or a condition; operators and functions go element by
// element and numbers meet vectors as if repeated. The whole must be a number.
//
// A Definition is a formula whose form is right. Resolve fits it to the columns of
// points and gives a Program, which is compiled to a tree that works on blocks of 256 points, one
// contiguous array a column, without allocating. The tests hold it against an interpreter of the
// syntax tree.
package formula
