// Package plain transcribes published algorithms in plain steps: explicit features, dense inverses, no cache and no
// shortcuts. Tests compare the fast implementations with it.
package plain
