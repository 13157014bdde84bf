// Package kernels holds the positive-definite kernels of collaborative pure exploration in kernel bandits, their algebra, and the matrices
// they make.
//
// A [Kernel] compares two points of one space: two tasks, or two arms. Kernels are plain structs that print as script expressions;
// [Catalogue] lists them, and package dsl reads a printed kernel. [Add], [Mul], [Scale] and [Pow] combine them and keep positive
// semi-definiteness; subtraction and division would not, so they do not exist. A user-defined kernel is a [Formula].
//
//	k := kernels.Add(
//		kernels.Linear{},
//		kernels.Scaled{Scale: 0.5, Kernel: kernels.RBF{Lengthscale: []float64{2}}})
//	fmt.Println(k) // linear() + 0.5*rbf(lengthscale=2)
//
// A [Joint] kernel compares two arms of two tasks. It is a sum of products of a task kernel and an arm kernel, k((z,x),(z',x')) = Σ
// c·k_Z(z,z')·k_X(x,x'); one product is the model of [Du23, sec. 3].
//
//	joint, err := kernels.MulJoint(
//		kernels.LiftTask(kernels.RBF{Lengthscale: []float64{0.7}}),
//		kernels.LiftArm(kernels.Linear{})) // task(rbf(lengthscale=0.7)) * arm(linear())
//
// An unknown hyperparameter is a [Free] number. As a parameter it makes a kernel of the catalogue [Open]; as a factor it is itself a
// constant kernel. [Joint.Free] lists the free hyperparameters of a kernel, [Joint.With] sets their values, [Joint.Settled] replaces them
// by plain numbers.
//
// [Points] is a list of points, stored as one array per feature column. [Bind] prepares a kernel for points: it resolves names of columns
// and points, and returns errors in the terms of the script language. Every function that takes a kernel and points calls Bind itself.
//
// There are two ways to compute a Gram matrix. [Gram] stores it. [Joint.On] returns a [Matrix] that computes rows on demand, so that a
// problem with many arms never holds an N×N matrix. [PivotedCholesky] turns it into N×r features whose scalar products are the kernel:
// exactly for kernels of rank r, otherwise within the residual that the factor states. [Check] tests symmetry and eigenvalues on the
// given points, because a formula guarantees neither symmetry nor definiteness.
//
// # Errors
//
// Errors name the parameter, the column or the points concerned and what is allowed, such as a range. Functions panic on slices of
// a wrong length and on kernels that are not bound.
//
// The package does not depend on scripts, problems or algorithms.
//
// [Du23]: Y. Du, W. Chen, Y. Kuroki, L. Huang, Collaborative Pure Exploration in Kernel Bandit, ICLR 2023, arXiv:2110.15771v4.
package kernels
