package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A QuestionChanger is an Algorithm whose question may change while it runs (docs/theory/changes.md).
// All calls come between two rounds.
type QuestionChanger interface {
	// SetEpsilon replaces Options.Epsilon; what is decided is looked at again.
	SetEpsilon(epsilon float64) error
	// SetDelta replaces Options.Delta for all decisions to come.
	SetDelta(delta float64) error
	// CanWithdraw reports why these arms cannot be withdrawn.
	CanWithdraw(arms []int) error
	// Withdraw takes arms out: they are no answers any more, and are not pulled.
	Withdraw(arms []int) error
	// Bound returns what the probability of a wrong answer is at most after all changes so far.
	Bound() float64
}

// A Continuer is an Algorithm that can go on where another one of its kind stands.
type Continuer interface {
	// Continue takes over what an algorithm on fewer arms knows and has decided; at holds for each of
	// its arms the number that it has now, -1 for one that was withdrawn and is no more. It is called
	// before the first Plan.
	Continue(from Algorithm, at []int) error
}

// The kinds of changes, as the digests have them.
const (
	changeEpsilon byte = iota + 1
	changeDelta
	changeWithdraw
	changeExtend
)

// SetEpsilon replaces epsilon, reward units, for the answers to come and those that were given; it may
// be changed at any time for any reason. While a round is open it waits for the round's rewards, as
// all changes do: what the round decides was fixed with it.
func (s *Steps) SetEpsilon(epsilon float64) error {
	if _, err := (Options{Epsilon: epsilon}).Checked(""); err != nil {
		return err
	}
	return s.change(changeEpsilon, []uint64{math.Float64bits(epsilon)}, func(c QuestionChanger) error {
		err := c.SetEpsilon(epsilon)
		if err == nil {
			s.opt.Epsilon = epsilon
		}
		return err
	})
}

// SetDelta replaces the error probability for the decisions to come. What the run states is the
// largest that was ever in force.
func (s *Steps) SetDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta must lie strictly between 0 and 1, got %g", delta)
	}
	return s.change(changeDelta, []uint64{math.Float64bits(delta)}, func(c QuestionChanger) error {
		err := c.SetDelta(delta)
		if err == nil {
			s.opt.Delta = delta
		}
		return err
	})
}

// Withdraw takes arms, by their numbers, out of their tasks for the rest of the run: they are no
// answers any more and are not pulled. Each task keeps at least one arm.
func (s *Steps) Withdraw(arms ...int) error {
	var link []uint64
	for _, i := range arms {
		if i < 0 || s.arms > 0 && i >= s.arms {
			return fmt.Errorf("there is no arm %d", i)
		}
		link = append(link, uint64(i))
	}
	c, able := s.alg.(QuestionChanger)
	if !able {
		return ErrFixedQuestion
	}
	if err := c.CanWithdraw(arms); err != nil {
		return err
	}
	arms = slices.Clone(arms)
	return s.change(changeWithdraw, link, func(c QuestionChanger) error { return c.Withdraw(arms) })
}

// Extend goes on with an algorithm of the same kind on a problem with more arms or tasks, just
// made; at holds for each arm of the run its number there, -1 for an arm that was withdrawn and is
// not there any more.
func (s *Steps) Extend(alg Algorithm, at []int) error {
	c, able := alg.(Continuer)
	switch {
	case !able:
		return ErrFixedQuestion
	case s.arms > 0 && len(at) != s.arms:
		return fmt.Errorf("%d places for %d arms", len(at), s.arms)
	}
	at = slices.Clone(at)
	link := lists.Map(at, func(i int) uint64 { return uint64(int64(i)) })
	return s.change(changeExtend, link, func(QuestionChanger) error {
		if err := c.Continue(s.alg, at); err != nil {
			return err
		}
		s.alg, s.arms = alg, 0
		s.setChecks()
		for k, b := range s.learned {
			s.learned[k] = b.moved(at)
		}
		for r, b := range s.learned {
			s.checked(r+1, nil, b) // arms that are measured side by side cannot be added
		}
		return nil
	})
}

// moved returns the batch with its arms at other places.
func (b Batch) moved(at []int) Batch {
	n := lists.Max(at, func(i int) int { return i + 1 })
	out := Batch{Counts: make([]int, n), Means: make([]float64, n)}
	if b.Squares != nil {
		out.Squares = make([]float64, n)
	}
	if b.Ranges != nil {
		out.Ranges = make([][2]float64, n)
	}
	for k, i := range at {
		if i < 0 {
			continue
		}
		out.Counts[i], out.Means[i] = b.Counts[k], b.Means[k]
		if b.Squares != nil {
			out.Squares[i] = b.Squares[k]
		}
		if b.Ranges != nil {
			out.Ranges[i] = b.Ranges[k]
		}
	}
	return out
}

// change makes a change now, or after the open round. A run that had ended may go on.
func (s *Steps) change(kind byte, link []uint64, make func(QuestionChanger) error) error {
	if s.failed != nil {
		return s.failed
	}
	c, able := s.alg.(QuestionChanger)
	if !able {
		return ErrFixedQuestion
	}
	later := func() error {
		if changer, able := s.alg.(QuestionChanger); able {
			c = changer
		}
		if err := make(c); err != nil {
			return err
		}
		b := append(s.chain.begin(linkChange, len(s.out.Rounds)), kind)
		for _, x := range link {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
		s.chain.close(b)
		s.ended = false
		return nil
	}
	if s.plan.Counts == nil {
		return later()
	}
	s.changes = append(s.changes, later)
	return nil
}

// bound returns what an algorithm states of its errors after changes; 0 where it states nothing.
func bound(alg Algorithm) float64 {
	if c, ok := alg.(QuestionChanger); ok {
		return c.Bound()
	}
	return 0
}

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
// with their rewards: no guarantee survives others (docs/explanation/robustness.md). An error changes nothing;
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

// A DataAdder is an Algorithm that can be told of rewards which are of no round of its own: they came
// late, or are older than the run.
type DataAdder interface {
	// AddData takes them in. A test lets them choose leaders and pulls and decides nothing by them; a
	// posterior takes them as it takes rewards of a round. Squares may be nil.
	AddData(Batch) error
	// UsesAddedData reports whether they are of use to it.
	UsesAddedData() bool
}

// A Standard algorithm explains itself, estimates arms, and takes other rounds than it planned.
type Standard interface {
	Explainer
	ArmEstimator
	Amender
}

// A Complete one takes rewards of no round and changes of its question, too.
type Complete interface {
	Standard
	DataAdder
	QuestionChanger
	Continuer
}

// UsesAddedData reports whether rewards of no round are of use to an algorithm.
func UsesAddedData(alg Algorithm) bool {
	i, able := alg.(DataAdder)
	return able && i.UsesAddedData()
}

// AddData tells rewards that are of no round, N counts and means: late ones and older ones. While a
// round is open they wait, and are taken in just before its rewards. It is ErrAddedDataUnused where
// they are of no use, and then changes nothing.
func (s *Steps) AddData(b Batch) error {
	if !UsesAddedData(s.alg) {
		return ErrAddedDataUnused
	}
	if err := s.checkInform(b); err != nil {
		return fmt.Errorf("informing: %w", err)
	}
	if s.failed != nil {
		return s.failed
	}
	b = b.Clone().Turned(s.alg.Goal())
	s.out.SamplesAdded += PullsOf(b.Counts)
	s.chain.learn(linkInform, len(s.out.Rounds), b)
	if s.plan.Counts != nil {
		s.informed = append(s.informed, b)
		s.plan.Digest = s.chain.digest(s.plan)
		return nil
	}
	return s.inform(b)
}

// checkInform reports rewards of arms that the run does not have.
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
	if err := s.alg.(DataAdder).AddData(b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("informing: %w", err))
		return s.failed
	}
	return nil
}
