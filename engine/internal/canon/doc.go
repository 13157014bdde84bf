// Package canon brings design problems to canonical form and remembers their solutions.
//
// A Layout knows which arms are copies of each other and which blocks of arms have nothing to do
// with each other. Reduce leaves out what no contrast touches and orders what is left, so that the
// same problem in another model, or at another place of the same model, is found in the Memory.
package canon
