// Package sequential is the sequential test of docs/theory/test.md without a model: how high its
// boundary must be, so that looking at the data many times errs no more often than it may; the
// information clock of its looks (Clock), the sum that is looked at (Walk), and what a round adds
// to it (Bet, Score).
//
// # Boundaries
//
// The test statistic of a group-sequential test is a Brownian motion B on an
// information clock, looked at when the clock shows T_1 < T_2 < … < T_K. A constant
// boundary z in units of standard deviations [Pocock77] errs with probability
//
//	P(max_k B(T_k)/√T_k ≥ z),
//
// which [Crossing] computes and [Constant] inverts. [Geometric] is the clock that grows
// by a constant factor. The test is one-sided. [Mixture] gives heights for sums that are
// only sub-Gaussian.
//
// # Method
//
// Z_k = B(T_k)/√T_k is a Markov chain: Z_{k+1} = a Z_k + b ξ with a² = T_k/T_{k+1},
// b² = 1 - a², ξ standard normal. The probability to cross later is carried from the last look
// to the first by Gauss-Legendre quadrature, as [Armitage69] does with the density. Its integrands are
// entire functions that are known to be small off the real line, so the error has an a-priori
// bound [Trefethen13, Thm. 19.3] and the number of nodes follows from the error allowed:
// nothing is tuned, and [Constant] rounds up by more than the bound.
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
