// Package gp is Gaussian-process regression: the observations y have the mean Hβ and the covariance Σ = K + N, the kernel's and the
// noise's. It reads beside [RW06]; each formula is written once, with its equation.
//
//	Covariance   Σ, factored once: Dense, or LowRank along features with a diagonal
//	Regression   Σ and y: log evidence and its gradient, weights, leave-one-out
//	Blocked      the law of the latent values of all points, of low rank beside blocks: prior and posterior, covariances, joint draws
//	Turned       observations of such a prior, for its likelihood at every scale
//	Planned      covariances after further observations, one by one without a new factor
//	Cavity       the law of a latent value without one of its observations
//	Laplace      binomial counts as observations with normal noise, from a Prior: DensePrior, LowRankPrior
//	Maximise     climbs to the hyperparameters of largest evidence
//
// Kernels, and the hyperparameters with their priors, are the callers'.
//
// [RW06]: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
package gp
