// Package algorithms is the catalogue of algorithms, and says what backs their answers.
//
// All lists every algorithm with its source in the literature, its role (competitor, baseline, or a
// reference that no algorithm can be), what its answers rest on, and the function that makes one
// for a model. Basis.Guarantee says of one result whether its answers are proven, heuristic, or
// backed by nothing, and why.
package algorithms
