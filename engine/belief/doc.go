// Package belief computes the posterior of all arms from measurements of some, without a stated kernel: a Gaussian process
// whose kernel, level and noise are not known and are integrated out.
//
// The rewards of arm x of task t are f(t, x) + noise, and f has the prior
//
//	constant + level² [t = t'] + k_Z(z, z') (k_X(x, x') + r² [x = x']) + [t = t'] k'_X(x, x') + g² [t = t', x = x'],
//
// in which k_X, common to all tasks, and k'_X, special to each, are Matérn kernels of the numbers among the
// features, or both Gaussian ones, each with a variance and length scales of its own, times a similarity for each column of
// text. How smooth functions are is averaged over like all else. r² + g² is what features do not explain. k_Z compares
// the features of tasks in the same way, and is 1 without any. All these numbers have weak priors (see prior.go).
//
// Few measurements say little about such numbers, many say much. One computation serves both: a bank of
// numbers drawn from their prior, and more drawn around the most probable ones, are all weighted by
// evidence times prior over the density that they were drawn from (importance sampling, [RC04, ch. 3]).
// With few data the bank dominates, with many the surroundings of the optimum.
//
// The own part of an arm of a task may have heavy tails: mixtures of normal laws are averaged over beside the normal one (tails.go).
//
// Rewards that are 0 or 1 are modelled as binomial counts on the logistic scale, by Laplace's
// approximation [RW06, alg. 3.1]; the noise of others is pooled and shrunk (see data.go).
//
// [RW06]: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press, 2006.
// [RC04]: C. P. Robert, G. Casella, Monte Carlo Statistical Methods, Springer, 2004.
package belief
