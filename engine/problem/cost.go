package problem

// CostOf returns what pulls cost: N counts times Cost, or their number where all cost the same.
func (p *Problem) CostOf(counts []int) float64 {
	sum := 0.0
	for i, n := range counts {
		if p.Cost == nil {
			sum += float64(n)
		} else {
			sum += float64(n) * p.Cost[i]
		}
	}
	return sum
}

// RelativeCost returns the cost of a pull of each arm over their mean; nil where all cost the same.
func (p *Problem) RelativeCost() []float64 {
	same, mean := true, 0.0
	for _, c := range p.Cost {
		same = same && c == p.Cost[0]
		mean += c / float64(len(p.Cost))
	}
	if same {
		return nil
	}
	out := make([]float64, len(p.Cost))
	for i, c := range p.Cost {
		out[i] = c / mean
	}
	return out
}
