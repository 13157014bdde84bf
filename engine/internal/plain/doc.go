// Package plain transcribes the algorithms of the literature in plain steps: explicit features, dense inverses,
// no cache and no shortcuts. Tests compare the fast algorithms with it.
package plain
