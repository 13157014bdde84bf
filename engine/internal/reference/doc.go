// Package reference implements what algorithms are compared with: uniform pulls, and the oracles
// that know the truth.
package reference
