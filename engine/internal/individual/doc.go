// Package individual is a set of algorithms, one for each task, at which its agent works alone: the baselines that share nothing, and tests
// of tasks that have nothing in common.
package individual
