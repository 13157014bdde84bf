// Package algorithms is the catalogue of algorithms and states the guarantee of their answers.
//
// All lists every algorithm with its source in the literature, its role (competitor, baseline or reference), its type of guarantee, and
// the function that makes it for a model. Basis.Guarantee returns whether the answers of one result are proven, heuristic or without
// guarantee, and why. Heuristic means that the answers rest on an assumption that was estimated or is known to be only approximate.
package algorithms
