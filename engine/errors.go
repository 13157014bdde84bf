package engine

import (
	"errors"
	"fmt"
)

// The errors that callers tell apart. Messages that only a reader takes in, as of options out of
// range, stand where the rule is checked.
var (
	// ErrUnsuited is wrapped by errors of algorithms that are only for problems of a certain kind.
	ErrUnsuited = errors.New("the algorithm is not for this problem")

	// ErrUnknownMeans is wrapped by errors of quantities that need the expected rewards, which
	// only a simulation knows.
	ErrUnknownMeans = errors.New("the expected rewards are unknown")

	// ErrNoMisfit is returned by algorithms that allow for no misfit.
	ErrNoMisfit = errors.New("misfit and robust are for CoTestFC and IndTestFC; other algorithms take the kernel as exact")

	// ErrFixedPlans is wrapped by errors of algorithms that take a round only as they planned it.
	ErrFixedPlans = errors.New("the algorithm takes a round only as it was planned")

	// ErrGuidesNothing is wrapped by errors of algorithms that judge and plan every round by its own data
	// alone, so that no other rewards are of use to them.
	ErrGuidesNothing = errors.New("the algorithm goes by the data of its own rounds alone")

	// ErrFixedQuestion is wrapped by errors of algorithms that cannot change what they ask.
	ErrFixedQuestion = errors.New("the algorithm cannot change its question while it runs")
)

// LimitError says that a round would need more samples than any limit allows.
type LimitError struct{ Samples float64 }

// Error returns the number of samples with the limit that it exceeds.
func (e LimitError) Error() string {
	return fmt.Sprintf("the next round needs %.3g samples, more than max_samples", e.Samples)
}
