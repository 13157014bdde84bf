// Package manyarms makes problems of any size whose truth is known: benchmarks and tests
// measure on them how cost grows with the number of arms. Five tasks share one smooth function of
// four features of an arm; a larger problem has the arms of a smaller one and more, so that the
// dimension that matters hardly grows.
package manyarms
