// Package sequential is the sequential test of docs/theory/test.md without a model. It has boundaries that keep the
// error probability with many looks at the data, the information clock of the looks (Clock), the tested statistic
// (Walk), and the evidence that a round adds (Bet, Score).
//
// # Boundaries
//
// The test statistic of a group-sequential test is a Brownian motion B on an information clock. It is tested at the
// times T_1 < T_2 < … < T_K. A constant boundary z in units of standard deviations [Pocock77] has the error probability
//
//	P(max_k B(T_k)/√T_k ≥ z),
//
// which [Crossing] computes and [Constant] inverts. [Geometric] returns a clock that grows by a constant factor. The
// test is one-sided. [Mixture] returns heights for sums that are only sub-Gaussian.
//
// # Method
//
// Z_k = B(T_k)/√T_k is a Markov chain: Z_{k+1} = a Z_k + b ξ with a² = T_k/T_{k+1}, b² = 1 - a², ξ standard normal.
// Gauss-Legendre quadrature computes the probability of crossing later, from the last look back to the first;
// [Armitage69] does the same with the density. The integrands are entire functions with known bounds off the real line,
// so the error has an a-priori bound [Trefethen13, Thm. 19.3]. The number of nodes follows from the allowed error:
// there are no constants to tune, and [Constant] rounds up by more than the bound.
//
// # References
//
//	[Armitage69]  Armitage, McPherson, Rowe: Repeated significance tests on accumulating
//	              data, Journal of the Royal Statistical Society A 132, 1969.
//	[BerrutTrefethen04] Berrut, Trefethen: Barycentric Lagrange interpolation, SIAM Review 46, 2004.
//	[Pocock77]    Pocock: Group sequential methods in the design and analysis of clinical
//	              trials, Biometrika 64, 1977.
//	[Robbins70]   Robbins: Statistical methods related to the law of the iterated
//	              logarithm, Annals of Mathematical Statistics 41, 1970.
//	[Trefethen13] Trefethen: Approximation Theory and Approximation Practice, SIAM 2013.
//	[Ville39]     Ville: Étude critique de la notion de collectif, 1939.
package sequential
