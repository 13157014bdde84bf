// Package gp is Gaussian-process regression. The observations y have the mean Hβ and the covariance Σ = K + N, where K is the covariance
// of the kernel and N that of the noise. The symbols come from [RW06], and each formula has its equation there.
//
//	Covariance   Σ, factored once: Dense, or LowRank for features plus a diagonal
//	Regression   log evidence of y and its gradient, weights, leave-one-out predictions
//	Blocked      normal law of the latent values of all points, low rank plus blocks: prior and posterior, covariances, joint draws
//	Turned       observations of a Blocked prior, for the likelihood at any scale of the kernel
//	Planned      covariances after further observations, each added without a new factor
//	Cavity       law of a latent value without one of its observations
//	Laplace      binomial counts as observations with normal noise, from a Prior: DensePrior, LowRankPrior
//	Maximise     maximises the evidence over hyperparameters
//
// Callers provide the kernels, and the hyperparameters with their priors.
//
// [RW06]: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
package gp
