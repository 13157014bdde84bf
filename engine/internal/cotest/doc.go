// Package cotest implements CoTestFC, the leader-directed combination test of docs/theory/test.md, and
// its relatives.
//
//	test.go      the rounds: plan, bets, what is learned
//	contest.go   which arms of a task are open, and the information each needs
//	plan.go      the pulls of a round, by a minimax design or by equal pulls
//	direct.go    arms measured by their own means in place of the kernel's
//	misfit.go    rewards off the kernel: stated, or estimated
//	budget.go    CoTestFB, the same estimates under a fixed budget
//
// A bet is one increment of a walk: the gap between the leader and an arm, estimated from the data
// of one round. The test itself, without a model, is package sequential.
package cotest
