// Package model binds a problem to its kernel.
//
// A Model has exact values of the kernel, one factor of them that grows as far as somebody needs, and
// feature vectors φ_i with φ_iᵀφ_j the kernel, from a pivoted Cholesky factor, and
// everything that follows from features alone: designs [Du23, Alg. 1, l. 4], the hardness ρ*, the
// ridge ξ, estimators and their variances. With known expected rewards it also has the truth: best
// arms, gaps, the norm of θ*, and how far the kernel can represent them.
//
// # What is computed once
//
// Designs, roundings and estimators depend on no data (except for CoTestFC and CoBayesFC, whose round
// sizes do), so a Model remembers them for all its runs. Design problems are first brought to
// canonical form (engine/internal/canon): equal arms become one, independent parts are put in a
// fixed order, what no contrast touches is left out. The paper's three cases are then made of the
// same six arms, and models that share a Memory solve each design once for all cells of a sweep.
// Results are the same, bit for bit, whatever was remembered.
package model
