// Package manyarms makes problems of any size with a known truth, to measure how cost grows with the number of arms. Five tasks
// share one smooth function of four features of an arm. A larger problem contains the arms of a smaller one, so that the effective
// dimension hardly grows.
package manyarms
