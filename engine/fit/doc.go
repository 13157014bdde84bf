// Package fit estimates the hyperparameters of a kernel from pilot or earlier data, and states how
// well the kernel fits.
//
// The model of the data is a Gaussian process: the mean ȳ_i of the n_i rewards of arm i is
//
//	ȳ = H β + f + e,  f ~ N(0, K(t)),  e_i ~ N(0, σ_i²/n_i),
//
// with K the joint kernel at its free hyperparameters t, and H β a constant level of the problem, of each
// task, or none, integrated out under a flat prior. Of fits t by maximum marginal likelihood
// [RW06, sec. 5.4.1] from several deterministic starts, and checks the fitted kernel in three
// ways:
//
//	CrossValidation  every arm predicted from the others, in closed form [RW06, sec. 5.4.2]
//	Misfit           do the means differ more from the kernel than replicates allow?
//	Sharing          how alike are the tasks, and is it worth pooling them?
//
// A kernel without free hyperparameters is checked, too. The fit itself has no
// guarantee: the algorithms of package engine take their kernel as known before the data,
// so a kernel fitted to the very data that they then draw from leaves a heuristic
// (problem.Problem.KernelFittedHere).
//
// [RW06]: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006.
package fit
