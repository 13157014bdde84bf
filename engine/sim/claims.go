package sim

import "errors"

// ClaimsOf judges the claims of [Du23, Section 6] by a fixed-confidence sweep over
// case, gap and algorithm, and those of [Du23, App. A] by a fixed-budget sweep over
// case, budget and algorithm. Either may be the zero Sweep.
func ClaimsOf(fc, fb Sweep) (Claims, error) {
	return Claims{}, errors.New("claims are not there yet")
}
