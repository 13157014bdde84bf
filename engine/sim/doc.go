// Package sim draws rewards and repeats runs, and says what the runs show: simulated
// environments, Monte-Carlo experiments over them, their statistics, comparisons of
// algorithms over sweeps, and a store of finished results.
//
// A round needs only the mean of N rewards of each arm, so that is what is drawn, never the N
// rewards: one normal number for Gaussian rewards, one binomial for Bernoulli rewards, one
// multinomial for rewards resampled from measurements. The cost of a run does not depend on the
// number of its pulls.
//
// Every random number is a function of (seed, run, round, arm) alone. Results are
// therefore the same bytes whatever the number of workers and the order in which
// runs finish, and two algorithms with the same seed meet the same luck:
// Compare takes differences run by run.
//
//	Experiment ─Run─▶ engine.Result          (or Store.Run, which remembers)
//	Sweep ─Compare─▶ Comparisons             algorithms beside a reference
//	Sweep ─SpeedupOf─▶ Speedup               β of [Du23, eq. (4)]
//	Sweeps ─ClaimsOf─▶ Claims                what the paper says, and whether it holds
//
// All intervals are of 95 %: Student's t for means, Wilson's for error rates, for shares of
// tasks see Shares, for differences and ratios see Compare, for claims see ClaimsOf. The
// warning that errors exceed delta uses the exact interval.
package sim
