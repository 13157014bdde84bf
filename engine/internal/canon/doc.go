// Package canon brings design problems to canonical form and caches their solutions.
//
// A Layout knows the copies of arms and the independent blocks of arms. Reduce drops parts without contrasts and orders the rest, so that
// the same problem in another model, or elsewhere in the same model, has the same key in the Memory.
package canon
