// Package individual runs an algorithm by each agent alone: the baselines that share nothing.
package individual
