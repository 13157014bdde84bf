// Package cores distributes a computation on many rows over as many processor cores as its context allows. The blocks of
// rows do not depend on the number of cores. So a result has the same bits for any number of cores.
package cores
