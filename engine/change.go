package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A QuestionChanger is an Algorithm that can change epsilon, delta or arms during a run. A method that decides by the posterior
// can, because it uses all data at any time. A sequential test cannot (docs/theory/changes.md). The methods are called only
// between two rounds.
type QuestionChanger interface {
	Withdrawer
	// SetEpsilon replaces Options.Epsilon and reconsiders the decisions made so far.
	SetEpsilon(epsilon float64) error
	// SetDelta replaces Options.Delta for all later decisions.
	SetDelta(delta float64) error
}

// A Withdrawer is an Algorithm that can continue without some arms. A sequential test can if the arms have no rewards. The
// methods are called only between two rounds.
type Withdrawer interface {
	// CanWithdraw returns an error if these arms cannot be withdrawn.
	CanWithdraw(arms []int) error
	// Withdraw removes arms: they are no longer pulled and cannot be recommended.
	Withdraw(arms []int) error
}

// A Continuer is an Algorithm that can start from the state of another algorithm of its kind.
type Continuer interface {
	// Continue copies the data and decisions of an algorithm on fewer arms. at[i] is the new index of that algorithm's arm i, or
	// -1 if the arm was withdrawn and removed. It is called before the first Plan.
	Continue(from Algorithm, at []int) error
}

// Kinds of changes. Digests depend on these values, so they must not change.
const (
	changeEpsilon byte = iota + 1
	changeDelta
	changeWithdraw
	changeExtend
)

// SetEpsilon replaces the accuracy epsilon, in reward units, for later answers and for those already given. It may be called at
// any time and for any reason. While a round is open, the change takes effect after its rewards, because the old epsilon fixed
// that round's decision rule.
func (s *Steps) SetEpsilon(epsilon float64) error {
	if _, err := (Options{Epsilon: epsilon}).Checked(""); err != nil {
		return err
	}
	return change(s, changeEpsilon, []uint64{math.Float64bits(epsilon)}, func(c QuestionChanger) error {
		err := c.SetEpsilon(epsilon)
		if err == nil {
			s.opt.Epsilon = epsilon
		}
		return err
	})
}

// SetDelta replaces the error probability, for later answers and for those already given.
func (s *Steps) SetDelta(delta float64) error {
	if !(delta > 0 && delta < 1) {
		return fmt.Errorf("delta must lie strictly between 0 and 1, got %g", delta)
	}
	return change(s, changeDelta, []uint64{math.Float64bits(delta)}, func(c QuestionChanger) error {
		err := c.SetDelta(delta)
		if err == nil {
			s.opt.Delta = delta
		}
		return err
	})
}

// Withdraw removes the arms with these indices for the rest of the run: they are not pulled and cannot be recommended. It returns
// an error if a task would have no arm left.
func (s *Steps) Withdraw(arms ...int) error {
	var link []uint64
	for _, i := range arms {
		if i < 0 || s.arms > 0 && i >= s.arms {
			return fmt.Errorf("arm %d does not exist", i)
		}
		link = append(link, uint64(i))
	}
	c, able := s.alg.(Withdrawer)
	if !able {
		return ErrFixedQuestion
	}
	if err := c.CanWithdraw(arms); err != nil {
		return err
	}
	arms = slices.Clone(arms)
	return change(s, changeWithdraw, link, func(c Withdrawer) error { return c.Withdraw(arms) })
}

// Extend continues the run with a new algorithm of the same kind on a problem with more arms or tasks. at[i] is the new index of
// arm i, or -1 for a withdrawn arm that the new problem does not contain.
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
	return change(s, changeExtend, link, func(QuestionChanger) error {
		if err := c.Continue(s.alg, at); err != nil {
			return err
		}
		s.alg, s.arms = DetailedOf(alg, nil), 0
		s.setChecks()
		for k, b := range s.learned {
			s.learned[k] = b.moved(at)
		}
		for r, b := range s.learned {
			s.updateChecks(r+1, nil, b) // a run with blocks cannot be extended, so there are no sides
		}
		return nil
	})
}

// moved returns the batch with its arms renumbered: arm i becomes arm at[i].
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

// change makes a change now or, if a round is open, after that round. A change may reopen a run that had ended. kind and
// link identify the change in the digest chain. The algorithm must implement C.
func change[C any](s *Steps, kind byte, link []uint64, make func(C) error) error {
	if s.failed != nil {
		return s.failed
	}
	c, able := s.alg.(C)
	if !able {
		return ErrFixedQuestion
	}
	later := func() error {
		if changer, able := s.alg.(C); able {
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

// An Amender is an Algorithm that accepts other pulls than it planned, because wells failed, replicates were added, or another
// build with different rounding made the plan. The new counts must be passed before any reward, because they fix the decision
// rule of the round.
type Amender interface {
	// Amend replaces the pulls of the last planned round by N counts. Nothing is learned from a round without pulls. If Amend
	// returns an error, nothing has changed.
	Amend(counts []int) error
}

// Amend replaces the pulls of the open round by N counts, before its rewards are passed to Learn. Next then returns the amended
// plan. The guarantee holds only if the reasons for lost or added pulls are independent of the rewards
// (docs/explanation/robustness.md). Amend returns an error and changes nothing if no round is open, or if the algorithm needs
// exactly its own plans (ErrFixedPlans).
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

// A DataAdder is an Algorithm that can use rewards from outside its rounds: rewards that arrive late, or from before the
// run.
type DataAdder interface {
	// AddData records rewards from outside the rounds. A statistical test uses them only to choose leaders and pulls, never to
	// decide. A method that decides by the posterior treats them like rewards of a round. Squares may be nil.
	AddData(Batch) error
	// UsesAddedData reports whether AddData has any effect.
	UsesAddedData() bool
}

// UsesAddedData reports whether alg uses rewards from outside its rounds.
func UsesAddedData(alg Algorithm) bool {
	i, able := alg.(DataAdder)
	return able && i.UsesAddedData()
}

// AddData records rewards from outside the rounds, as N counts and means: late rewards, or rewards from before the run. While a
// round is open, they are passed to the algorithm just after the round's rewards. If the algorithm cannot use them, AddData
// returns ErrAddedDataUnused and changes nothing.
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

// checkInform returns an error for rewards of unknown arms, or rewards that are not finite.
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

// inform passes added rewards to the algorithm.
func (s *Steps) inform(b Batch) error {
	if err := s.alg.(DataAdder).AddData(b); err != nil {
		s.end(StatusInterrupted, fmt.Errorf("informing: %w", err))
		return s.failed
	}
	return nil
}
