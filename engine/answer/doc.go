// Package answer recommends an arm for every task from measurements alone, states how certain that is, and proposes further measurements.
//
// The posterior of the rewards is from engine/belief, which learns the kernel, prior mean and noise. Best recommends the arm with the
// highest posterior mean in every task. The probability that it is within ε of the best, and the expected simple regret, are averages
// over joint posterior draws of all arms. These are not guarantees: they are right only if the learned kernel describes the rewards.
// Estimates, ε and losses are in the units of the data.
package answer
