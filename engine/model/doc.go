// Package model combines a problem with its kernel.
//
// A Model of N arms has exact kernel values, a pivoted Cholesky factor that is extended when needed, and a matrix of feature vectors
// φ_i. The matrix is N × m, where m is the rank of the kernel on the arms, and φ_iᵀφ_j are the kernel values. The model computes all
// quantities that depend only on features: designs [Du23, Alg. 1, l. 4], the hardness ρ*, the ridge ξ, estimators and their variances.
// If the expected rewards are known, it also has the best arms, gaps, the norm of θ*, and the misspecification of the kernel.
//
// # What is cached
//
// Designs, roundings and estimators do not depend on data (except for CoTestFC and CoBayesFC, whose round sizes do), so a Model caches
// them for all its runs. Design problems are first converted to a canonical form (engine/internal/canon): equal arms are merged,
// independent parts are sorted, and parts without contrasts are dropped. The paper's three cases then have the same six arms, and models
// that share a Memory solve each design once for all cells of a sweep. Results with and without the cache are equal, bit for bit.
package model
