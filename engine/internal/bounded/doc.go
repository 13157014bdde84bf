// Package bounded estimates gaps of rewards f whose norm in the space of a kernel k is at most S,
// from exact kernel values on the arms that were pulled.
//
//	section.go    the kernel on the arms that still matter; sums of estimates over rounds, with a bound on the bias of the
//	              sum; features that tell open arms apart as finely as their gaps need, for designs
//	system.go     the information in the pulls of a round, for every amount of shrinking at once
//	posterior.go  the posterior mean of all data, which guides and proves nothing
//
// An estimate pᵀȳ of a·(f_b - f_x), from means ȳ of pulled arms s, is off on average by ⟨f, G⟩ with
// G = Σ_i p_i k_i - a(k_b - k_x), at most S‖G‖ by Cauchy and Schwarz. The bound is known before the
// data and is subtracted. No feature is cut. Ridge regression is the linear estimate with the least
// variance for a bias [Donoho94]; confidence intervals of this kind are called bias-aware
// [ArmstrongKolesar18].
//
//	[Donoho94]           Donoho: Statistical estimation and optimal recovery, Annals of
//	                     Statistics 22, 1994.
//	[ArmstrongKolesar18] Armstrong, Kolesár: Optimal inference in a class of regression models,
//	                     Econometrica 86, 2018.
package bounded
