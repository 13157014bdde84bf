// Package plain holds the listings of the literature in plain steps: explicit features, dense
// inverses, no memory and no shortcuts. Tests compare the algorithms with them.
package plain
