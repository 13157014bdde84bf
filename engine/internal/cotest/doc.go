// Package cotest implements CoTestFC, the leader-directed combination test of docs/theory/test.md, and
// its relatives.
//
//	form.go      by what a problem is tested
//	contest.go   which arms of a task are open, and the information each needs
//	decisions.go the contests of all tasks: level, clock, what was decided
//	estimates.go the estimates of the arms from all data
//	test.go      the rounds: plan, bets, what is learned
//	plan.go      the pulls of a round, by a minimax design or by equal pulls
//	misfit.go    rewards off the kernel: stated, or estimated
//	budget.go    CoBayesFB, the same estimates under a fixed budget
//
// A bet is one increment of a walk: the gap between the leader and an arm, estimated from the data
// of one round. The test itself, without a model, is package sequential.
package cotest
