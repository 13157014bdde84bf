// Package indices works with lists of indices, for example of arms.
package indices

// All returns 0, …, n-1.
func All(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Of returns values[at[0]], values[at[1]], …. It returns nil if values is nil.
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

// Groups returns the indices of each group 0, …, n-1, in order. of[i] is the group of index i. The list of an empty group
// is nil.
func Groups(n int, of []int) [][]int {
	out := make([][]int, n)
	for i, group := range of {
		out[group] = append(out[group], i)
	}
	return out
}

// Mark returns n booleans that are true at the given indices.
func Mark(n int, at []int) []bool {
	out := make([]bool, n)
	for _, i := range at {
		out[i] = true
	}
	return out
}

// Spread returns a list of length n with values[k] at index at[k] and zero elsewhere. Of reverses it.
func Spread[T any](n int, values []T, at []int) []T {
	out := make([]T, n)
	for k, i := range at {
		out[i] = values[k]
	}
	return out
}

// Where returns the indices i in 0, …, n-1 with is(i), in order, or nil if there are none.
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
