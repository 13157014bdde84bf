// Package design distributes sampling effort over arms, certifies how good the allocation is, and rounds it to whole pulls.
//
// A [Space] has the features φ_i of all arms, the precision of one pull of each, and the ridge ξ; weights λ on the simplex give the
// information matrix A(ξ, λ) = ξI + Σ λ_i φ_iφ_iᵀ/σ_i². [Contrasts] are the relevant differences of arms: all pairs within each group, or
// explicit pairs with weights.
//
//   - [Minimax] finds λ with the smallest max_p ‖y_p‖²_{A⁻¹}: line 4 of Algorithm 1
//     of [Du23], ρ*(ξ) and ω(ξ, ·);
//   - [Exchange] does the same for very many arms and pairs;
//   - [Width] finds λ with the smallest expected largest difference under Gaussian
//     noise: γ, which fixed-budget Peace halves [KJKJ20];
//   - [InformationGain] finds λ with the largest log det(A/ξ): Υ;
//   - [MaxVariance] evaluates given weights;
//   - [Round] turns weights into pulls and verifies the loss; [Samples] and
//     [EffectiveRank] are its τ and d̃.
//
// # Results are certified
//
// Every [Design], except those of [Width], has a value and a bound from the other side, with the dual point that proves it. Solvers stop
// on the relative gap between the two, never on step sizes. If rounding or a limit ends them earlier, Status states so and the reported gap
// is still valid. Optimal weights are not unique: compare values.
//
// # Method
//
// Step 0 replaces the features by coordinates of their span, in which A is positive definite for every λ > 0 even at ξ = 0. If a contrast
// has a component in a direction that no arm measures, the error is [ErrUnestimable].
//
// Minimax is a primal-dual interior-point method on the epigraph form, over a working set of arms and a working set of contrasts. It starts
// with dissimilar arms of an approximate D-optimal design, about three times as many as the rank, and with dissimilar contrasts. If there
// are many arms, a sample of them is solved first, and its solution is the start. With a ridge, contrasts of few of the arms are solved in
// the span of these arms, and only helpful arms are added. Pricing evaluates all arms and all pairs exactly: it gives the certificate and
// the items to add. Lists of all pairs are never stored.
//
// The main loop is in minimax.go. An iteration is in interior.go and newton.go, the changes of the working sets are in pricing.go and
// working.go, the sample is in sample.go, the tree of arms for pairs in tree.go, and step 0 is in space.go.
//
// Exchange solves restricted problems by the same method and needs no coordinates of all arms. Its main loop is in exchangesolve.go, a pass
// over the arms in exchangepass.go, and the final comparison of all pairs in pairbound.go.
//
// Cost: a pricing round takes up to n²r flops for a group of n arms in r dimensions, an iteration s²(r+K) + s³/3 for s working arms and K
// contrasts. It is linear in the number of groups. If thousands of arms have weight, as for isotropic random arms in many dimensions, s³
// makes it slow.
//
// Everything is deterministic. Solvers run in the calling goroutine, except Exchange, which uses the cores of its context with the same
// result for any number.
//
// # Limits of double precision
//
// A residual feature below 1e-10 of the largest norm counts as rounding, and so do contrasts of that size. Features beyond 1e150 are
// refused.
//
// # References
//
//	[Du23]  Du, Chen, Kuroki, Huang: Collaborative Pure Exploration in Kernel Bandit, ICLR 2023.
//	[AZ21]  Allen-Zhu, Li, Singh, Wang: Near-optimal discrete optimization for experimental
//	        design: a regret minimization approach, Mathematical Programming 186, 2021.
//	[CJK21] Camilleri, Jamieson, Katz-Samuels: High-dimensional experimental design and
//	        kernel bandits, ICML 2021.
//	[KJKJ20] Katz-Samuels, Jain, Karnin, Jamieson: An Empirical Process Approach to the Union
//	        Bound: Practical Algorithms for Combinatorial and Linear Bandits, NeurIPS 2020.
//	[PR92]  Pukelsheim, Rieder: Efficient rounding of approximate designs, Biometrika 79, 1992.
package design
