// Package engine holds the problem of collaborative pure exploration in kernel
// bandits, the algorithms that solve it, and the loop that runs them.
//
// V agents each have a task and their own arms. Pulling arm i costs one sample
// and returns its expected reward plus noise; every agent must find the best
// arm of its task. What one agent sees tells the others something through the
// product kernel k((z,x),(z',x')) = k_Z(z,z')·k_X(x,x') [Du23, Section 3].
//
// The way through the package:
//
//	Problem    tasks, arms, kernel, noise, and (in simulation) the true rewards
//	Model      a Problem bound to its kernel: features φ_i, precisions
//	Memory     the designs that models have computed, by content, for others to find
//	Algorithm  decides: Plan → Learn → Done → Answers; it never samples or times
//	Run        the only loop: it carries plans to an Environment and batches back
//	Result     plain data over one or many runs, JSON both ways
//
// Algorithm 1 of the paper is cokernelfc.go, line by line, and Algorithm 2 is
// cokernelfb.go. Most baselines are one of these with another allocation
// (allocation.go, alba.go, peace.go, successive.go).
//
// # What is computed once
//
// Designs, roundings and estimators depend on no data (but for CoTestFC and CoBayesFC, whose round sizes
// do), so a Model remembers them for all its runs. Design problems are first brought to canonical form (layout.go, reduced.go):
// equal arms become one, independent parts are put in an order of their own, what no
// contrast touches is left out. The paper's three cases are then made of the same six
// arms, and models that share a Memory solve each design once for all cells of a sweep.
// Results are the same, bit for bit, whatever was remembered.
//
// # Units
//
// The paper assumes noise that is 1-sub-Gaussian. Rewards are therefore measured
// in units of the largest noise scale (Options.Unit overrides it), and an arm
// with a smaller scale σ_i gets precision Unit²/σ_i² in the weighted least
// squares. Everything called normalised is in these units; Answers, gaps and
// regrets are reported in the units of the data.
package engine
