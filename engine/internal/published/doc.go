// Package published implements algorithms of other papers that choose one pull at a time: Track-and-Stop, LinGapE and LinGame with
// fixed confidence, GP-UCB, top-two Thompson sampling, the knowledge gradient and OCBA with a fixed budget.
//
// The papers have one task. Here all tasks are one problem of pure exploration whose answer is the tuple of the best arms: the agents share
// one least-squares estimator on the features of the kernel, a wrong arm in any task makes the tuple wrong, and each decision chooses one
// pull of one agent. With one task this is the algorithm of the paper. In OCBA, which has no kernel, each agent is alone.
//
// data.go has the estimator, stop.go the stopping rule, run.go the rounds. Each algorithm is one file with its sampling rule.
package published
