package cotest

// pulled returns the pulls since round 1, all agents together.
func (a *normed) pulled() float64 {
	n := 0
	for _, k := range a.since {
		n += k
	}
	return float64(n)
}
