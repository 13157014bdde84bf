// Package bounds computes the quantities of the theory of [Du23] for one problem: the maximum information gain Υ, the effective
// dimension d_eff, the rank decomposition, ρ_1, ρ*(ξ), ω, the characteristic time T* with its lower bound, Theorems 1 and 2 and
// Corollaries 1 and 2.
//
// The paper states its bounds up to constants. The numbers here use the constants of its proofs. The doc comment of each function states
// them, and docs/theory/readings.md lists the interpretation of steps that a proof leaves open.
//
// All quantities are normalised: rewards are measured in units of the largest noise scale, in which the paper's 1-sub-Gaussian noise
// assumption holds. Sample counts have no unit.
package bounds
