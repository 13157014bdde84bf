package bounded

// Combined is a sum of estimates of the gap between arm x and the leaders of several rounds,
//
//	Σ_r p_rᵀȳ_r  of  Σ_r a_r (f_b(r) - f_x),
//
// which is off on average by ⟨f, G⟩, at most S‖G‖, with
//
//	G = Σ_r (Σ_i p_r,i k_i - a_r(k_b(r) - k_x)) = Σ_u Coefficients[u] k_u + Own·k_x.
//
// Biases of rounds add as vectors, so that ‖G‖ may be far below the sum of the rounds' own bounds,
// and a round can make up for those before it.
type Combined struct {
	Coefficients []float64 // one per arm of a list that is kept elsewhere and grows at its end
	Own          float64   // of k_x, beside a coefficient that x may have in the list
	Square       float64   // ‖G‖², not below it by rounding
}

// Coefficient returns the coefficient of an arm of the list, 0 where the list has grown since.
func (c *Combined) Coefficient(u int) float64 {
	if u >= len(c.Coefficients) {
		return 0
	}
	return c.Coefficients[u]
}

// Grow makes room for a list of n arms.
func (c *Combined) Grow(n int) {
	c.Coefficients = append(c.Coefficients, make([]float64, max(0, n-len(c.Coefficients)))...)
}
