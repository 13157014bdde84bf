package sim

import "context"

// Doubt is the warning about an error rate.
var Doubt = doubt

// KeyOf returns the key by which a Store finds the result of an experiment.
func KeyOf(x Experiment) (string, error) { return x.key(context.Background()) }
