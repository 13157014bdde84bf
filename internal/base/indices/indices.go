// Package indices picks by lists of indices, such as arms.
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

// Where returns the i of 0, …, n-1 for which is holds, in order; nil where there are none.
func Where(n int, is func(i int) bool) (out []int) {
	for i := range n {
		if is(i) {
			out = append(out, i)
		}
	}
	return out
}

// Indicator returns 1 for what holds, else 0.
func Indicator(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
