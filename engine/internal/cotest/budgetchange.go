package cotest

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// errBudget says why nothing of a fixed budget changes: its clock and its shares were fixed by it.
var errBudget = fmt.Errorf("%w: the rounds of a fixed budget, and what they may decide, are fixed beforehand", engine.ErrFixedQuestion)

// SetEpsilon is an error, as all changes are.
func (a *coTestFB) SetEpsilon(float64) error { return errBudget }

// SetDelta is an error.
func (a *coTestFB) SetDelta(float64) error { return errBudget }

// CanWithdraw is an error.
func (a *coTestFB) CanWithdraw([]int) error { return errBudget }

// Withdraw is an error.
func (a *coTestFB) Withdraw([]int) error { return errBudget }

// Continue is an error.
func (a *coTestFB) Continue(engine.Algorithm, []int) error { return errBudget }
