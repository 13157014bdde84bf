// Package eigen decomposes symmetric matrices. It differs from gonum's mat.EigenSym, which it uses for small matrices, in two ways:
// the end of a context stops it within a fraction of a second at any size, and it decomposes matrices of any scale, also with
// entries near 1e-300.
package eigen
