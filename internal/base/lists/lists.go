// Package lists makes lists by a function.
package lists

import "slices"

// Map returns f of each value, in order; never nil.
func Map[T, U any](values []T, f func(T) U) []U {
	return Make(len(values), func(i int) U { return f(values[i]) })
}

// Make returns f(0), …, f(n-1).
func Make[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Where returns the values for which is holds, in order; nil where there are none.
func Where[T any](values []T, is func(T) bool) (out []T) {
	for _, v := range values {
		if is(v) {
			out = append(out, v)
		}
	}
	return out
}

// Flat returns the lists f of all values as one, in order; nil where all are empty.
func Flat[T, U any](values []T, f func(T) []U) (out []U) {
	for _, v := range values {
		out = append(out, f(v)...)
	}
	return out
}

// Add appends a value that the list does not have yet.
func Add[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// First returns the first value for which is holds, and whether there is one.
func First[T any](values []T, is func(T) bool) (first T, there bool) {
	for _, v := range values {
		if is(v) {
			return v, true
		}
	}
	return first, false
}

// Count returns for how many values is holds.
func Count[T any](values []T, is func(T) bool) (n int) {
	for _, v := range values {
		if is(v) {
			n++
		}
	}
	return n
}

// Total returns Σ v, added in order.
func Total[N int | float64](values []N) (sum N) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Sum returns Σ f(v), added in order.
func Sum[T any, N int | float64](values []T, f func(T) N) (sum N) {
	for _, v := range values {
		sum += f(v)
	}
	return sum
}

// Max returns the largest f(v), at least 0.
func Max[T any, N ~int | ~float64](values []T, f func(T) N) (most N) {
	for _, v := range values {
		most = max(most, f(v))
	}
	return most
}
