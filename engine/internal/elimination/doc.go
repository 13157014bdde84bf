// Package elimination implements Algorithms 1 and 2 of [Du23] and their variants.
//
// cokernelfc.go is Algorithm 1 line by line and cokernelfb.go is Algorithm 2. A variant has another allocation (allocation.go), other
// confidence levels and cuts (alba.go, successive.go), or another measure to halve (peace.go); allocation.go runs them by each agent
// alone.
package elimination
