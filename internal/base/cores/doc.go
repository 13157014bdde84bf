// Package cores shares the processor's cores out: a computation on many rows takes as many as its
// context allows, in blocks whose limits depend on nothing else, so that the bits of a result do not
// depend on how many there were.
package cores
