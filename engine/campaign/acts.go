package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// FailureRule states the rule for everybody who gives pulls back or closes a round, of any problem.
const FailureRule = `a reaction or run that fails is a result, the worst that it can have (a yield of 0; with goal="min" the largest loss), and not a failed pull: ` + givenBack

const givenBack = "only pulls that were not measured for reasons that have nothing to do with their reward may be given back"

// FailureRule states the rule for this problem.
func (p Protocol) FailureRule() Note {
	if worst, known := p.WorstReward(); known {
		return Note{Kind: NoteRule, Numbers: []float64{worst}}
	}
	return Note{Kind: NoteRule, Names: []string{p.Problem.Goal}}
}

// WorstReward returns the reward of a reaction or run that fails, where one is known: the worse bound, else 0,
// if higher rewards are better and none of the table is below 0.
func (p Protocol) WorstReward() (reward float64, known bool) {
	if b := p.Problem.Noise.Bounds; b != nil {
		return p.Problem.Turned(b[0]), true
	}
	return 0, p.Problem.Goal == problem.GoalMax && !slices.ContainsFunc(p.tableRewards(), func(x float64) bool { return x < 0 })
}

// tableRewards returns the rewards of the table of the problem, with the sign of the data: those measured, else the
// means that are known.
func (p Protocol) tableRewards() []float64 {
	all := p.Problem.Rewards
	if len(all) == 0 {
		all = [][]float64{p.Problem.Mean, p.Problem.Partial}
	}
	var out []float64
	for _, x := range slices.Concat(all...) {
		if !math.IsNaN(x) {
			out = append(out, p.Problem.Turned(x))
		}
	}
	return out
}

// ErrReason answers an act without its reason.
var ErrReason = errors.New("the act needs a reason, which the report shows (--reason)")

// Needed reports whether a plan must be made now: no round is open, or the open one is over.
func (s *State) Needed() bool {
	if s.Start.Led != "" {
		return false
	}
	if s.done != nil {
		return s.reopened
	}
	r := s.open()
	return r == nil || s.complete(r)
}

// Plan returns the event that begins the next round, or says that nothing is left, from a run that
// was replayed of this state.
func (s *State) Plan(p Protocol, x *Run, now time.Time, build string, revision int) Event {
	b := PlanBody{Round: len(s.rounds) + 1, Revision: revision, Build: build, Decided: decisions(x.Outcome.Answers)}
	if !x.More {
		b.Done, b.Status, b.Round = true, string(x.Outcome.Status), len(s.rounds)
		return NewEvent(KindPlan, now, "", b)
	}
	b.Seed = s.orderSeed(b.Round)
	b.Counts, b.Rho, b.RhoLower, b.Rounding = x.Next.Counts, x.Next.Rho, x.Next.RhoLower, x.Next.Rounding
	b.WantSquares, b.Digest, b.Plate = x.Next.WantSquares, x.Next.Digest, p.Plate
	b.Counts = p.capped(b.Counts, s.spent(p), b.Seed)
	q := p
	q.Capacity = s.capacity(p)
	if q.Cuts() {
		whole := x.Next.Pulls()
		b.Counts = cut(b.Counts, q.Capacity, b.Seed)
		b.Cut = whole > q.Capacity
	}
	return NewEvent(KindPlan, now, "", b)
}

// orderSeed returns the seed of the order of a round's list.
func (s *State) orderSeed(round int) uint64 {
	return rand.New(rand.NewPCG(s.Start.Seed, uint64(round))).Uint64()
}

// Fail gives pulls back that were not measured.
func (s *State) Fail(p Protocol, ids []string, reason, by string, now time.Time) ([]Event, error) {
	if strings.TrimSpace(reason) == "" {
		return nil, fmt.Errorf("%w; %s", ErrReason, p.FailureRule())
	}
	t := &teller{state: s}
	b := FailBody{Reason: reason}
	for _, text := range ids {
		it, err := t.item(text)
		switch {
		case err != nil:
			return nil, err
		case it.told != nil:
			return nil, fmt.Errorf("%s has the result %g; correct replaces it", it.ID, it.told.Reward)
		case it.failed != "":
			continue // said before
		}
		if !slices.Contains(b.IDs, it.ID) {
			b.IDs = append(b.IDs, it.ID)
		}
	}
	if len(b.IDs) == 0 {
		return nil, nil
	}
	return []Event{NewEvent(KindFail, now, by, b)}, nil
}

// Correct replaces the result of an id.
func (s *State) Correct(id string, reward float64, reason, by string, now time.Time) ([]Event, error) {
	t := &teller{state: s}
	it, err := t.item(id)
	switch {
	case strings.TrimSpace(reason) == "":
		return nil, ErrReason
	case problem.CheckReward(reward) != nil:
		return nil, problem.CheckReward(reward)
	case err != nil:
		return nil, err
	case it.told == nil:
		return nil, fmt.Errorf("%s has no result to correct; tell records one", it.ID)
	case it.told.count() > 1:
		return nil, fmt.Errorf("%s is one of %d whose mean was told: a mean cannot be corrected by one of them", it.ID, it.told.count())
	case it.told.Reward == reward:
		return nil, nil
	}
	return []Event{NewEvent(KindCorrect, now, by, CorrectBody{ID: it.ID, Old: it.told.Reward, Reward: reward, Reason: reason})}, nil
}

// Closing says what closing the open round would do.
type Closing struct {
	Round    int        `json:"round"`
	Planned  int        `json:"planned"`
	Measured int        `json:"measured"`
	Lost     int        `json:"lost"`
	PValue   *float64   `json:"p_value,omitempty"` // see LossTest
	Worst    []LossLine `json:"worst,omitempty"`   // arms that lost far more than their share
	Rule     Note       `json:"sentence"`          // for whoever closes it
}

// Close ends the open round with what came.
func (s *State) Close(p Protocol, reason, by string, now time.Time) (Closing, []Event, error) {
	r := s.open()
	if r == nil {
		return Closing{}, nil, errors.New("no round is open")
	}
	c := Closing{Round: r.plan.Round, Rule: p.FailureRule()}
	planned, lost := slices.Clone(r.plan.Counts), make([]int, len(r.plan.Counts))
	for i := range planned {
		if s.withdrawn(i) {
			planned[i] = 0
		}
		c.Planned += planned[i]
		c.Measured += r.measuredOf(i)
		lost[i] = max(0, planned[i]-r.measuredOf(i))
		c.Lost += lost[i]
	}
	c.PValue, c.Worst = LossTest(p, planned, lost)
	if strings.TrimSpace(reason) == "" {
		return c, nil, fmt.Errorf("%w; %s", ErrReason, c.Rule)
	}
	return c, []Event{NewEvent(KindClose, now, by, CloseBody{Round: c.Round, Lost: c.Lost, PValue: c.PValue, Reason: reason})}, nil
}

// Attach records measurements of before, or from elsewhere: they guide, and a posterior takes them
// whole.
func (s *State) Attach(ctx context.Context, p Protocol, results Results, opt TellOptions, now time.Time) (Receipt, []Event, error) {
	t := s.teller(p, opt, now)
	t.byArms(ctx, results, KindAttach)
	if err := ctx.Err(); err != nil {
		return Receipt{}, nil, err
	}
	t.receipt.Notes = results.sheet.Notes() // known once numbers were read
	if !opt.Sure {
		t.late = t.without(t.late, RowNew)
	} else {
		t.confirm()
	}
	if t.receipt.Refused() && !opt.TakeGood || len(t.late) == 0 {
		return t.receipt, nil, nil
	}
	t.receipt.Taken = true
	return t.receipt, []Event{NewEvent(KindAttach, now, t.opt.By, TellBody{Sheet: t.opt.Sheet, Results: t.late})}, nil
}

// Note records words for the report.
func (s *State) Note(text, by string, now time.Time) ([]Event, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the note is empty")
	}
	return []Event{NewEvent(KindNote, now, by, NoteBody{Text: text})}, nil
}

// Left returns the pulls of the open round that have no result, and whether the round is over.
func (s *State) Left() (round, left int, over bool) {
	r := s.open()
	if r == nil {
		return len(s.rounds), 0, true
	}
	for i, n := range r.plan.Counts {
		if !s.withdrawn(i) {
			left += max(0, n-r.measuredOf(i))
		}
	}
	return r.plan.Round, left, left == 0
}
