package engine

// pool is the data of all rounds so far.
type pool struct {
	counts []int     // N
	sums   []float64 // N: of rewards
}

func newPool(n int) pool { return pool{make([]int, n), make([]float64, n)} }

// add takes a round in and returns the means of all rewards, 0 for arms without.
func (p *pool) add(b Batch) []float64 {
	means := make([]float64, len(p.sums))
	for i, c := range b.Counts {
		if c > 0 {
			p.counts[i] += c
			p.sums[i] += float64(c) * b.Means[i]
		}
		if p.counts[i] > 0 {
			means[i] = p.sums[i] / float64(p.counts[i])
		}
	}
	return means
}
