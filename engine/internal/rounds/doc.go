// Package rounds holds what algorithms that work in rounds share: the sets of candidates with the
// audit trail of arms that left them, the stage of a round (its design, whole counts and estimator),
// noise scales that are learned from the data, the evidence of a fixed budget, and how far a task
// is.
package rounds
