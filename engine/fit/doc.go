// Package fit estimates the hyperparameters of a kernel from pilot or earlier data, and tests how well the kernel fits.
//
// The model of the data is a Gaussian process. The mean ȳ_i of the n_i rewards of arm i is
//
//	ȳ = H β + f + e,  f ~ N(0, K(t)),  e_i ~ N(0, σ_i²/n_i),
//
// where K is the joint kernel with free hyperparameters t. H β is a constant level of the problem, one of each task, or none. Levels
// are integrated out under a flat prior. [Of] estimates t by maximum marginal likelihood [RW06, sec. 5.4.1] from several deterministic
// starts. It then checks the fitted kernel in three ways:
//
//	CrossValidation  predicts every arm from the others, in closed form [RW06, sec. 5.4.2]
//	Misfit           tests whether the means differ from the kernel by more than the noise
//	Sharing          estimates how similar the tasks are, and how many measurements sharing saves
//
// A kernel without free hyperparameters is only checked. The algorithms of package engine assume that their kernel was chosen before the
// data. If a kernel is fitted to the same data that an algorithm then uses, the algorithm has no guarantee
// (problem.Problem.KernelFittedHere).
//
// [RW06]: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006.
package fit
