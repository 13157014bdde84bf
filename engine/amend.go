package engine

import (
	"errors"
	"fmt"
	"slices"
)

// An Amender is an Algorithm whose rounds may consist of other pulls than it planned: wells failed,
// replicates were added, a plan was recorded by a build that rounds differently. What it decides with
// the round's rewards is fixed by the counts that it is told, before any reward.
type Amender interface {
	// Amend makes these N counts the pulls of the round planned last. A round without any is one in
	// which nothing is learned. An error changes nothing.
	Amend(counts []int) error
}

// Amend says that the pulls of the open round are these, N counts, before its rewards are told; Next
// then returns the amended plan. Pulls may be left out and added for reasons that have nothing to do
// with their rewards: no guarantee survives others (docs/robustness.md). An error changes nothing;
// without an open round, and with an algorithm that cannot (ErrFixedPlans), it is one.
func (s *Steps) Amend(counts []int) error {
	switch {
	case s.plan.Counts == nil:
		return errors.New("no round is open: a round is amended between its plan and its rewards")
	case len(counts) != len(s.plan.Counts):
		return fmt.Errorf("round %d: amending: %d counts for %d arms", s.plan.Round, len(counts), len(s.plan.Counts))
	case slices.Equal(counts, s.plan.Counts):
		return nil
	}
	for i, c := range counts {
		if c < 0 {
			return fmt.Errorf("round %d: amending: arm %d: the count must be 0 or more, got %d", s.plan.Round, i, c)
		}
	}
	a, able := s.alg.(Amender)
	if !able {
		return fmt.Errorf("round %d: amending: %w", s.plan.Round, ErrFixedPlans)
	}
	if err := a.Amend(slices.Clone(counts)); err != nil {
		return fmt.Errorf("round %d: amending: %w", s.plan.Round, err)
	}
	s.plan.Counts, s.amended = slices.Clone(counts), true
	s.plan.Digest = s.chain.digest(s.plan)
	return nil
}

// An Informer is an Algorithm that can be told of rewards which are of no round of its own: they came
// late, or are older than the run.
type Informer interface {
	// Inform takes them in. A test lets them choose leaders and pulls and decides nothing by them; a
	// posterior takes them as it takes rewards of a round. Squares may be nil.
	Inform(Batch) error
	// Guided reports whether they are of use to it.
	Guided() bool
}

// Guided reports whether rewards of no round are of use to an algorithm.
func Guided(alg Algorithm) bool {
	i, able := alg.(Informer)
	return able && i.Guided()
}

// Inform tells rewards that are of no round, N counts and means: late ones and older ones. While a
// round is open they wait, and are taken in just before its rewards. It is ErrGuidesNothing where
// they are of no use, and then changes nothing.
func (s *Steps) Inform(b Batch) error {
	if !Guided(s.alg) {
		return ErrGuidesNothing
	}
	if err := s.checkInform(b); err != nil {
		return fmt.Errorf("informing: %w", err)
	}
	if s.failed != nil {
		return s.failed
	}
	b = b.Clone().Turned(s.alg.Goal())
	s.out.Informed += PullsOf(b.Counts)
	s.chain.learn(linkInform, len(s.out.Rounds), b)
	if s.plan.Counts != nil {
		s.told = append(s.told, b)
		s.plan.Digest = s.chain.digest(s.plan)
		return nil
	}
	return s.inform(b)
}

// checkInform reports rewards that are of other arms than those of the run.
func (s *Steps) checkInform(b Batch) error {
	n := len(b.Counts)
	if s.arms > 0 && n != s.arms || len(b.Means) != n || b.Squares != nil && len(b.Squares) != n {
		return fmt.Errorf("the batch has %d counts and %d means for %d arms", n, len(b.Means), s.arms)
	}
	for i, c := range b.Counts {
		if c < 0 {
			return fmt.Errorf("arm %d: the count must be 0 or more, got %d", i, c)
		}
	}
	return checkRewards(Plan{WantSquares: b.Squares != nil}, b)
}

// inform hands rewards on.
func (s *Steps) inform(b Batch) error {
	if err := s.alg.(Informer).Inform(b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("informing: %w", err))
		return s.failed
	}
	return nil
}
