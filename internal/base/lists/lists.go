// Package lists has functions on slices that take a function, such as Map.
package lists

import (
	"slices"
	"strings"
)

// Map returns f(v) for each value v, in order. The result is never nil.
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

// Try returns f(0), …, f(n-1), or the first error.
func Try[T any](n int, f func(i int) (T, error)) ([]T, error) {
	out := make([]T, n)
	for i := range out {
		var err error
		if out[i], err = f(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Each calls f with each value in order. It stops at the first error and returns it.
func Each[T any](values []T, f func(T) error) error {
	for _, v := range values {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// Where returns the values v with is(v), in order, or nil if there are none.
func Where[T any](values []T, is func(T) bool) (out []T) {
	for _, v := range values {
		if is(v) {
			out = append(out, v)
		}
	}
	return out
}

// Keyed returns a map with the key and value that f returns for each index and element of a list. For equal keys, the last
// value is kept.
func Keyed[T any, K comparable, V any](values []T, f func(at int, value T) (K, V)) map[K]V {
	out := make(map[K]V, len(values))
	for i, v := range values {
		key, to := f(i, v)
		out[key] = to
	}
	return out
}

// Flat concatenates the lists f(v) of all values v. It returns nil if all lists are empty.
func Flat[T, U any](values []T, f func(T) []U) (out []U) {
	for _, v := range values {
		out = append(out, f(v)...)
	}
	return out
}

// Groups returns lists of the values with equal keys, in the order of each key's first value. It returns nil if there are
// no values.
func Groups[T any, K comparable](values []T, key func(T) K) (out [][]T) {
	at := map[K]int{}
	for _, v := range values {
		k, known := at[key(v)]
		if !known {
			k, out = len(out), append(out, nil)
			at[key(v)] = k
		}
		out[k] = append(out[k], v)
	}
	return out
}

// Add appends a value unless the list has it.
func Add[T comparable](list []T, value T) []T {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// Distance returns the restricted edit distance of two lists [Damerau 1964]: the number of insertions, deletions,
// replacements and swaps of neighbours, but at most limit. If the lengths differ by limit or more, it returns limit
// without comparing.
func Distance[T comparable](a, b []T, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return min(rows[len(a)][len(b)], limit)
}

// maxWord is the largest length in bytes of a word that Nearest compares.
const maxWord = 200

// Nearest returns the known word with the smallest edit distance (ignoring case), or "". The distance must be below 2 plus
// a third of the word's length, and at most half of its length. The first of several nearest words is returned.
func Nearest(word string, known []string) string {
	best, least := "", 2+len([]rune(word))/3
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if d := Distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(k)), least); d < least && 2*d <= len([]rune(word)) {
			best, least = k, d
		}
	}
	return best
}

// First returns the first value v with is(v), and whether there is one.
func First[T any](values []T, is func(T) bool) (first T, there bool) {
	for _, v := range values {
		if is(v) {
			return v, true
		}
	}
	return first, false
}

// Count returns the number of values v with is(v).
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

// Max returns the largest f(v), but at least 0.
func Max[T any, N ~int | ~float64](values []T, f func(T) N) (most N) {
	for _, v := range values {
		most = max(most, f(v))
	}
	return most
}
