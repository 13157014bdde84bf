// Package individual runs one algorithm per task, whose agent works alone. It is used for baselines without shared data,
// and for tests of tasks that have nothing in common.
package individual
