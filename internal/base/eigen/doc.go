// Package eigen computes eigenvalues and eigenvectors of symmetric matrices. It differs in two ways from gonum's
// mat.EigenSym, which it uses for small matrices. First, the end of a context stops it within a fraction of a second.
// Second, it supports matrices of any scale, such as entries near 1e-300.
package eigen
