// Package reference implements baselines for comparison: uniform pulls, and oracles that know the expected rewards.
package reference
