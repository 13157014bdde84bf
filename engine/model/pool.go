package model

import "github.com/gonb-cope/gonb-cope/engine"

// Pool is the data of all rounds so far.
type Pool struct {
	Counts []int     // N
	Sums   []float64 // N: of rewards
}

// NewPool returns the pool of n arms before any data.
func NewPool(n int) Pool { return Pool{make([]int, n), make([]float64, n)} }

// Add takes a round in and returns the means of all rewards, 0 for arms without.
func (p *Pool) Add(b engine.Batch) []float64 {
	means := make([]float64, len(p.Sums))
	for i, c := range b.Counts {
		if c > 0 {
			p.Counts[i] += c
			p.Sums[i] += float64(c) * b.Means[i]
		}
		if p.Counts[i] > 0 {
			means[i] = p.Sums[i] / float64(p.Counts[i])
		}
	}
	return means
}
