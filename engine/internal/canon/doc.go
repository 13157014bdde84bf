// Package canon transforms design problems to canonical form, and caches their solutions.
//
// A Layout describes which arms are equal, and which blocks of arms are independent. Reduce omits parts without
// contrasts and sorts the others. Equal problems in different models, or in different parts of a model, then have the
// same key in a Memory.
package canon
