// Package indices selects by lists of indices, such as arms.
package indices

// All returns 0, …, n-1.
func All(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Of returns the values at these indices; nil for nil values.
func Of[T any](values []T, at []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = values[i]
	}
	return out
}

// Groups returns the indices of each of n groups in order, from the group of every index; nil for an empty group.
func Groups(n int, of []int) [][]int {
	out := make([][]int, n)
	for i, group := range of {
		out[group] = append(out[group], i)
	}
	return out
}

// Mark returns a list of n booleans, true at these indices.
func Mark(n int, at []int) []bool {
	out := make([]bool, n)
	for _, i := range at {
		out[i] = true
	}
	return out
}

// Spread returns a list of n with the values at these indices, and zero elsewhere. It is the inverse of Of.
func Spread[T any](n int, values []T, at []int) []T {
	out := make([]T, n)
	for k, i := range at {
		out[i] = values[k]
	}
	return out
}

// Where returns the i of 0, …, n-1 for which is(i) is true, in order; nil if there are none.
func Where(n int, is func(i int) bool) (out []int) {
	for i := range n {
		if is(i) {
			out = append(out, i)
		}
	}
	return out
}

// Indicator returns 1 for true and 0 for false.
func Indicator(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
