// Package manyarms generates problems with any number of arms and known means. They serve to measure how cost grows with
// the number of arms. Five tasks share one smooth function of four arm features. A larger problem contains the arms of a
// smaller one, so that the effective dimension hardly grows.
package manyarms
