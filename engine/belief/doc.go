// Package belief computes the posterior of all arms from measurements of some arms. The model is a Gaussian process. Its
// kernel, level and noise need not be stated: they are unknown hyperparameters, over which the posterior is averaged.
//
// The rewards of arm x of task t are f(t, x) + noise, and f has the prior
//
//	constant + level² [t = t'] + k_Z(z, z') (k_X(x, x') + r² [x = x']) + [t = t'] k'_X(x, x') + g² [t = t', x = x'],
//
// k_X is common to all tasks, k'_X is special to each. Both are Matérn kernels of the numeric features, or both Gaussian
// kernels; the posterior averages over the two. Each has its own variance and length scales, times a similarity for each
// column of text. r² + g² is the variance that features do not explain; g² is the variance of the own part of an arm.
// k_Z compares the features of tasks in the same way. If tasks have no features, the posterior averages over k_Z = 1 and
// groups of tasks that are alike (groups.go). All hyperparameters have weak priors (see prior.go). In the code, a vector
// of hyperparameters is called numbers or u.
//
// The average over hyperparameters works for few and for many measurements. Some vectors are drawn from the prior (the
// bank), others around the most probable vector. The weight of a vector is evidence times prior, divided by the density
// from which it was drawn (importance sampling, [RC04, ch. 3]). With few data, draws from the bank have most of the
// weight; with many, draws around the optimum.
//
// The own part of an arm may have heavy tails: the posterior also averages over mixtures of normal distributions
// (tails.go).
//
// Rewards that are 0 or 1 are modelled as binomial counts on the logistic scale, by Laplace's
// approximation [RW06, alg. 3.1]; the noise of other rewards is pooled and shrunk (see scatter.go).
//
// [RW06]: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
// [RC04]: C. P. Robert, G. Casella, Monte Carlo Statistical Methods, Springer, 2004.
package belief
