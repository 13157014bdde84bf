// Package rounds has the common parts of algorithms that work in rounds. These are candidate sets with the audit trail,
// the stage of a round (design, counts and estimator), noise scales estimated from the data, the evidence of
// fixed-budget runs, and forecasts of samples.
package rounds
