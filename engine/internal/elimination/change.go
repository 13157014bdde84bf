package elimination

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

var _ engine.Changer = (*elimination)(nil)

// errArms says which changes an elimination does not take.
var errArms = fmt.Errorf("%w: eliminations take another epsilon and another delta, and no other arms", engine.ErrFixedQuestion)

// Bound returns the largest delta that was ever in force: the parts δ_r of every round add up to no
// more.
func (e *elimination) Bound() float64 { return max(e.most, e.opt.Delta) }

// SetDelta gives the coming rounds their parts of another delta.
func (e *elimination) SetDelta(delta float64) error {
	e.most = max(e.most, e.opt.Delta)
	e.opt.Delta = delta
	return nil
}

// SetEpsilon looks at the margins again: arms that only epsilon has thrown out come back where the
// new one does not.
func (e *elimination) SetEpsilon(epsilon float64) error {
	e.opt.Epsilon = epsilon
	var open []int
	for v, arms := range e.within {
		switch {
		case len(e.Sets[v]) > 1:
			open = append(open, v)
		case len(arms) > 0 && e.margins[v] > epsilon/e.Model.Unit:
			e.Sets[v] = slices.Sorted(slices.Values(append(arms, e.Sets[v]...)))
			e.within[v] = nil
			for _, i := range e.Sets[v] {
				e.Reopen(i)
			}
		}
	}
	for _, v := range open {
		if e.estimates != nil {
			e.boundMargin(v)
		}
	}
	return nil
}

// CanWithdraw is an error.
func (e *elimination) CanWithdraw([]int) error { return errArms }

// Withdraw is an error.
func (e *elimination) Withdraw([]int) error { return errArms }
