package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// An Environment pulls arms: simulated, resampled, or real.
type Environment interface {
	// Pull makes the plan's pulls and returns the mean reward of each arm, as it was measured.
	Pull(ctx context.Context, p Plan) (Batch, error)
}

// Outcome is one finished or stopped run.
type Outcome struct {
	Status       Status
	Rounds       []RoundRecord
	Answers      []Answer
	Eliminations []Elimination
	Warnings     []Warning
	LackOfFit    *LackOfFit // what speaks against the kernel; nil when nothing does
	Samples      int        // all agents together
	Alone        bool       // whether the agents exchanged nothing, though the algorithm may, see Loner
	Unspent      string     // why pulls of a fixed budget are left; "" where none are
	Informed     int        // rewards told by Steps.Inform, which are not among Samples
	// what the probability of a wrong answer is at most after changes of the question, see Changer; 0
	// where the algorithm states nothing
	Bound float64
}

// Run drives an algorithm to its end: the loop over Steps. It stops at Options.MaxRounds and before a
// round that would exceed Options.MaxSamples; the outcome then says which tasks are undecided. When
// the context is cancelled it returns what is finished together with the context's error.
func Run(ctx context.Context, alg Algorithm, env Environment, opt Options) (Outcome, error) {
	s, err := Begin(alg, opt)
	if err != nil {
		return Outcome{}, err
	}
	for !s.over() {
		if err := ctx.Err(); err != nil {
			return s.Outcome(), err
		}
		plan, more, err := s.Next(ctx)
		if err != nil || !more {
			return s.Outcome(), err
		}
		batch, err := env.Pull(ctx, plan)
		if err != nil {
			return s.Outcome(), fmt.Errorf("round %d: pulling: %w", plan.Round, err)
		}
		if err := s.Learn(ctx, batch); err != nil {
			return s.Outcome(), err
		}
	}
	return s.Outcome(), nil
}

func (o *Outcome) record(p Plan, alive int, amended bool) {
	o.Samples += p.Pulls()
	o.Rounds = append(o.Rounds, RoundRecord{
		Round: p.Round, Pulls: p.Pulls(), Rho: p.Rho, RhoLower: p.RhoLower, Rounding: p.Rounding, Alive: alive, Digest: p.Digest,
		Amended: amended,
	})
}

// A Saver is an Algorithm that may end before its budget is spent.
type Saver interface {
	// Unspent says why pulls of the budget are left once it is done; "" where none are.
	Unspent() string
}

// close takes the algorithm's answers and names how the run ended; an empty
// status is worked out from the answers.
func (o *Outcome) close(alg Algorithm, status Status) {
	o.Answers, o.Eliminations, o.Warnings = slices.Clone(alg.Answers()), alg.Eliminations(), alg.Warnings()
	for v := range o.Answers {
		o.Answers[v].Estimate = problem.Turned(alg.Goal(), o.Answers[v].Estimate)
	}
	if status == "" {
		status = StatusDecided
		for _, a := range o.Answers {
			if !a.Decided {
				status = StatusBudget
			}
		}
		if s, ok := alg.(Saver); ok {
			if o.Unspent = s.Unspent(); o.Unspent != "" && status == StatusBudget {
				status = StatusLeft
			}
		}
		for _, e := range o.Eliminations {
			if e.Rule == RuleEpsilon && status == StatusDecided {
				status = StatusEpsilon
			}
		}
	}
	o.Status, o.Alone, o.Bound = status, Alone(alg), bound(alg)
}
