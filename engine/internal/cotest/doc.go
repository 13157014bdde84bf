// Package cotest implements CoTestFC, the leader-directed combination test of docs/theory/test.md, and
// its relatives.
//
//	form.go      chooses the form of the test for a problem
//	modes.go     the forms: an estimator and a planner for each
//	contest.go   the arms of a task that are still open, and the information that each needs
//	decisions.go the contests of all tasks: level, clock and decisions
//	boundary.go  the critical values of the tests
//	estimates.go the estimates of the arms from all data
//	estimator.go the estimators of gaps
//	test.go      the rounds: plan, bets and learning
//	plan.go      the pulls of a round, by a minimax design or by equal pulls
//	misfit.go    bounds on the deviation of rewards from the kernel
//	within.go    the test within blocks
//	normed.go    the test under a bound on the norm
//	budget.go    CoBayesFB, the same estimates under a fixed budget
//
// A bet is one increment of a walk: the gap between the leader and an arm, estimated from the data
// of one round. Package sequential has the test itself, without a model.
package cotest
