package design

import (
	"errors"
	"fmt"
)

// ErrUnestimable is returned when some contrast has a component that no arm can
// measure while Ridge is zero: arms of precision 0 (Minimax) or of weight 0
// (MaxVariance, Round) measure nothing.
var ErrUnestimable = errors.New("design: a contrast lies outside the span of the arms and the ridge is zero")

// errSingular is the answer to features that even graded coordinates cannot save.
var errSingular = errors.New("design: the features are too nearly dependent for double precision; use a larger ridge")

// errNoRidge is the only condition InformationGain adds to those of Minimax.
var errNoRidge = errors.New("design: the information gain needs a ridge above zero: it grows without bound as the ridge falls to zero")

// RatioError says that n pulls are too few to stay close to an allocation.
type RatioError struct {
	Ratio float64 // what was reached; +Inf if some contrast is not measured at all
	Limit float64 // 2(1+ε)
	Pulls int     // n
}

// Error returns the message for the user.
func (e *RatioError) Error() string {
	return fmt.Sprintf("design: %d pulls cannot follow the allocation: the largest variance is %.4g times the allocation's own, "+
		"at most %.4g is allowed; more pulls are needed", e.Pulls, e.Ratio, e.Limit)
}

// errNoRidgeOfMany is the condition of Exchange: without a ridge, what pivots leave out is
// not measured at all.
var errNoRidgeOfMany = errors.New("design: a design of very many arms needs a ridge above zero")
