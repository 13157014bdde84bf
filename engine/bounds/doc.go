// Package bounds turns the theory of [Du23] into numbers for one problem: the maximum information
// gain Υ, the effective dimension d_eff, the rank decomposition, ρ_1, ρ*(ξ), ω, the characteristic
// time T* with its lower bound, Theorems 1 and 2 and Corollaries 1 and 2.
//
// The paper states its bounds up to constants. The numbers here carry the constants that its proofs
// give; the doc comment of each function says which, and docs/reference/paper-to-code.md lists the readings chosen
// where a proof leaves a step open.
//
// All quantities are computed in normalised units (rewards measured in units of
// the largest noise scale), in which the paper's assumption of 1-sub-Gaussian
// noise holds; sample counts have no unit.
package bounds
