// Package published implements algorithms of other papers that choose one pull at a time. With fixed confidence these
// are Track-and-Stop, LinGapE and LinGame; with a fixed budget GP-UCB, top-two Thompson sampling, the knowledge
// gradient and OCBA.
//
// The papers have one task. Here all tasks together are one problem of pure exploration whose answer is the tuple of
// the best arms. The agents share one least-squares estimator on the features of the kernel. A wrong arm in any task
// makes the tuple wrong. Each decision chooses one pull of one agent. With one task this is the algorithm of the paper.
// OCBA has no kernel: each of its agents works alone.
//
// data.go has the estimator, stop.go the stopping rule, and run.go the rounds. Each algorithm has one file with its
// sampling rule.
package published
