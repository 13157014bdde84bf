// Package sim simulates: it draws rewards, repeats runs, and summarises them. It has environments, Monte-Carlo experiments with their
// statistics, comparisons of algorithms over sweeps, and a store of finished results.
//
// A round needs only the mean of N rewards of each arm, so the mean is drawn directly: one normal number for Gaussian rewards, one
// binomial for Bernoulli rewards, one multinomial for resampled measurements. The cost of a run does not depend on its number of pulls.
//
// Every random number is a function of (seed, run, round, arm) alone. Results are therefore identical for any number of workers and any
// order of runs. Algorithms with the same seed use common random numbers, and Compare takes differences run by run.
//
//	Experiment ─Run─▶ engine.Result          (or Store.Run, which caches)
//	Sweep ─Compare─▶ Comparisons             algorithms against a reference
//	Sweep ─SpeedupOf─▶ Speedup               β of [Du23, eq. (4)]
//
// Samples count pulls; regrets and estimates are in the units of the data. If its context ends, Run returns an error and the
// summary of the finished runs.
//
// All intervals are 95 %: Student's t for means, Wilson's for error rates; see Shares for fractions of tasks, Compare for differences and
// ratios. The warning that errors exceed delta uses the exact interval of Clopper and Pearson.
package sim
