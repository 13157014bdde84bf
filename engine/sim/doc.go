// Package sim draws rewards and repeats runs: the simulated environments, and
// Monte-Carlo experiments over them.
//
// A round needs only the mean of N rewards of each arm, so that is what is
// drawn, never the N rewards: one normal number for Gaussian rewards, one
// binomial for Bernoulli rewards, one multinomial for rewards resampled from
// measurements. The cost of a run does not depend on the number of its pulls.
//
// Every random number is a function of (seed, run, round, arm) alone. Results are
// therefore the same bytes whatever the number of workers and the order in which
// runs finish.
package sim
