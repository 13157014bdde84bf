// Package elimination implements Algorithms 1 and 2 of [Du23] and their variants.
//
// cokernelfc.go is Algorithm 1 line by line, and cokernelfb.go is Algorithm 2. A variant has another allocation
// (allocation.go), other confidence levels and cuts (alba.go, successive.go), or another measure that is halved
// (peace.go). allocation.go also has the variants in which each agent works alone.
package elimination
