// Package eigen decomposes symmetric matrices. It differs from gonum's mat.EigenSym, which it uses
// for small matrices, in two ways: the end of a context ends it within a fraction of a second at
// any size, and matrices of any scale are decomposed, those with entries near 1e-300 too.
package eigen
