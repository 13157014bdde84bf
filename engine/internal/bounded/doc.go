// Package bounded estimates gaps of rewards f whose norm in the space of a kernel k is at most S, from exact kernel
// values on the arms that were pulled.
//
//	section.go    the kernel on the relevant arms; sums of estimates over rounds, with a bound on their bias; features for
//	              designs, as accurate as the gaps need
//	system.go     the information in the pulls of a round, for all prior variances at once
//	posterior.go  the posterior mean of all data, on which no guarantee depends
//
// An estimate pᵀȳ of a·(f_b - f_x), from means ȳ of pulled arms s, has the bias ⟨f, G⟩ with G = Σ_i p_i k_i - a(k_b -
// k_x). The bias is at most S‖G‖ by Cauchy and Schwarz. This bound is known before the data and is subtracted. No
// features are cut. Among linear estimates with a given bias bound, ridge regression has the smallest variance
// [Donoho94]. Confidence intervals of this kind are called bias-aware [ArmstrongKolesar18].
//
//	[Donoho94]           Donoho: Statistical estimation and optimal recovery, Annals of
//	                     Statistics 22, 1994.
//	[ArmstrongKolesar18] Armstrong, Kolesár: Optimal inference in a class of regression models,
//	                     Econometrica 86, 2018.
package bounded
