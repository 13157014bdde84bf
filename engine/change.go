package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A QuestionChanger is an Algorithm that can change its accuracy, error probability or arms during a run. A posterior can: it decides by
// all data at any time. A sequential test cannot (docs/theory/changes.md). All calls come between two rounds.
type QuestionChanger interface {
	// SetEpsilon replaces Options.Epsilon and reviews the decisions made so far.
	SetEpsilon(epsilon float64) error
	// SetDelta replaces Options.Delta for all later decisions.
	SetDelta(delta float64) error
	// CanWithdraw returns an error if these arms cannot be withdrawn.
	CanWithdraw(arms []int) error
	// Withdraw removes arms: they are no longer pulled and cannot be answers.
	Withdraw(arms []int) error
}

// A Continuer is an Algorithm that can start from the state of another one of its kind.
type Continuer interface {
	// Continue copies the data and decisions of an algorithm on fewer arms. at[i] is the new number of its arm i, or -1 if that arm was
	// withdrawn and removed. It is called before the first Plan.
	Continue(from Algorithm, at []int) error
}

// The kinds of changes. They enter the digests, so their values must not change.
const (
	changeEpsilon byte = iota + 1
	changeDelta
	changeWithdraw
	changeExtend
)

// SetEpsilon replaces the accuracy epsilon, reward units, for later answers and for the ones already given. It may be called at any time
// and for any reason. While a round is open, the change waits for its rewards, because the round's decisions were fixed under the old
// epsilon.
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

// SetDelta replaces the error probability, for later answers and for the ones already given.
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

// Withdraw removes arms, by number, from their tasks for the rest of the run: they are not pulled and cannot be answers. Each task must
// keep at least one arm.
func (s *Steps) Withdraw(arms ...int) error {
	var link []uint64
	for _, i := range arms {
		if i < 0 || s.arms > 0 && i >= s.arms {
			return fmt.Errorf("arm %d does not exist", i)
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

// Extend continues the run with a new algorithm of the same kind on a problem with more arms or tasks. at[i] is the new number of arm i,
// or -1 for a withdrawn arm that is not part of the new problem.
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
		s.alg, s.arms = DetailedOf(alg, nil), 0
		s.setChecks()
		for k, b := range s.learned {
			s.learned[k] = b.moved(at)
		}
		for r, b := range s.learned {
			s.checked(r+1, nil, b) // arms cannot be added to rounds with blocks
		}
		return nil
	})
}

// moved returns the batch with its arms renumbered.
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

// change applies a change now, or after the open round. It may reopen a run that had ended.
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

// An Amender is an Algorithm that accepts other pulls than it planned: wells failed, replicates were added, or another build, which
// rounds differently, made the plan. The new counts, passed before any reward, fix the decision rule of the round.
type Amender interface {
	// Amend replaces the pulls of the last planned round by N counts. From a round with 0 pulls nothing is learned. An error changes
	// nothing.
	Amend(counts []int) error
}

// Amend replaces the pulls of the open round by N counts, before its rewards are passed to Learn; Next then returns the amended plan. The
// reasons for lost or added pulls must be independent of the rewards, or no guarantee holds (docs/explanation/robustness.md). It returns
// an error, and changes nothing, if no round is open or the algorithm needs its own plans (ErrFixedPlans).
func (s *Steps) Amend(counts []int) error {
	switch {
	case s.plan.Counts == nil:
		return errors.New("no round is open. Call Amend after Next and before Learn")
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
		return fmt.Errorf("round %d: its pulls cannot be changed: %w", s.plan.Round, ErrFixedPlans)
	}
	if err := a.Amend(slices.Clone(counts)); err != nil {
		return fmt.Errorf("round %d: its pulls cannot be changed: %w", s.plan.Round, err)
	}
	s.plan.Counts, s.amended = slices.Clone(counts), true
	s.plan.Digest = s.chain.digest(s.plan)
	return nil
}

// A DataAdder is an Algorithm that can use rewards from outside its rounds: late rewards and rewards from before the run.
type DataAdder interface {
	// AddData records such rewards. A test uses them to choose leaders and pulls, never to decide. A posterior uses them like rewards of
	// a round. Squares may be nil.
	AddData(Batch) error
	// UsesAddedData reports whether such rewards have any effect.
	UsesAddedData() bool
}

// UsesAddedData reports whether rewards from outside its rounds have any effect on alg.
func UsesAddedData(alg Algorithm) bool {
	i, able := alg.(DataAdder)
	return able && i.UsesAddedData()
}

// AddData records rewards from outside the rounds, N counts and means: late ones and ones from before the run. While a round is open they
// wait until just before its rewards. If the algorithm cannot use them, it returns ErrAddedDataUnused and changes nothing.
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

// checkInform returns an error for rewards of unknown arms or non-finite rewards.
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

// inform passes rewards to the algorithm.
func (s *Steps) inform(b Batch) error {
	if err := s.alg.(DataAdder).AddData(b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("informing: %w", err))
		return s.failed
	}
	return nil
}
