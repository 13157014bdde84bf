package model

import "github.com/gonb-cope/gonb-cope/engine"

// Pool is the data of all rounds so far.
type Pool struct {
	Counts []int     // N
	Sums   []float64 // N: of rewards
}

// NewPool returns the pool of n arms before any data.
func NewPool(n int) Pool { return Pool{make([]int, n), make([]float64, n)} }

// Means returns the means of all rewards, 0 for arms without.
func (p *Pool) Means() []float64 {
	means := make([]float64, len(p.Sums))
	for i, c := range p.Counts {
		if c > 0 {
			means[i] = p.Sums[i] / float64(c)
		}
	}
	return means
}

// Take adds the rewards of a pool of other arms; at holds the places of these, -1 for those that are
// left out.
func (p *Pool) Take(from Pool, at []int) {
	for k, i := range at {
		if i >= 0 {
			p.Counts[i] += from.Counts[k]
			p.Sums[i] += from.Sums[k]
		}
	}
}

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
