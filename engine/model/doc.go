// Package model combines a problem with its kernel.
//
// A Model of N arms has exact values of the kernel, a pivoted Cholesky factor that is computed as far as needed, an N × m matrix of
// feature vectors φ_i (m is the rank of the kernel on the arms) with φ_iᵀφ_j the kernel, and all quantities that depend on features
// alone: designs [Du23, Alg. 1, l. 4], the hardness ρ*, the ridge ξ, estimators and their variances. With known expected rewards it also
// has the truth: best arms, gaps, the norm of θ*, and the misspecification of the kernel.
//
// # What is cached
//
// Designs, roundings and estimators do not depend on data (except for CoTestFC and CoBayesFC, whose round sizes do), so a Model caches
// them for all its runs. Design problems are first brought to canonical form (engine/internal/canon): equal arms are merged, independent
// parts are put in a fixed order, and parts without contrasts are dropped. The paper's three cases then consist of the same six arms, and
// models that share a Memory solve each design once for all cells of a sweep. Results do not depend on the cache, bit for bit.
package model
