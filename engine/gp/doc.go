// Package gp implements Gaussian-process regression. The observations y have the mean Hβ and the covariance Σ = K + N, where K is the
// covariance of the kernel and N that of the noise. Symbols follow [RW06]. A formula from there has the number of its equation.
//
//	Covariance   Σ, factored once: Dense, or LowRank for features plus a diagonal
//	Regression   log evidence of y and its gradient, weights, leave-one-out predictions
//	Blocked      joint normal distribution of the latent values, low rank plus blocks: prior and posterior, covariances, joint draws
//	Turned       observations of a Blocked prior, for the likelihood at any scale of the kernel
//	Planned      covariances after further observations, without a new factorization
//	Cavity       distribution of a latent value without one of its observations
//	Laplace      Laplace approximation for binomial counts, given a Prior (DensePrior or LowRankPrior)
//	Maximise     maximises the evidence over hyperparameters
//
// Callers provide the kernels, and the hyperparameters with their priors.
//
// [RW06]: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
package gp
