package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Run holds the decisions of the algorithm on a state, after all finished rounds with their recorded plans. The same
// events, protocol and program give the same run, to the last digit. The cache of runs relies on this.
type Run struct {
	Outcome engine.Outcome // answers, rounds and eliminations so far
	Result  engine.Result  // result of this run; Remaining is NaN if it is unknown
	Next    engine.Plan    // the next plan, if More; otherwise zero
	More    bool           // whether the algorithm has a next plan
	Differs []Difference   // decisions that differ from the recorded ones
	Notes   []Note         // notes for the status
	Delta   float64        // delta in force
	Epsilon *float64       // epsilon in force if it was amended; otherwise nil
}

// Replay runs the algorithm over the finished rounds of the state. It uses the recorded plans, so that a program with
// other rounding errors continues with the rounds that were measured. memory may be nil. Nothing is recorded.
func (s Moment) Replay(ctx context.Context, memory *model.Memory) (*Run, error) {
	x, err := s.replayer(ctx, memory)
	if err != nil {
		return nil, err
	}
	return x.catchUp(ctx)
}

// replayer returns a replay before the first round, for the problem of the start. Arms that were added later enter by
// Extend, at the position of their event.
func (s Moment) replayer(ctx context.Context, memory *model.Memory) (*replayer, error) {
	asked, err := s.AtStart().question().Begin(ctx, memory)
	if err != nil {
		return nil, err
	}
	return &replayer{state: s.State, protocol: s.Protocol, memory: memory, model: asked.Model, steps: asked.Steps,
		run: &Run{Delta: s.Options.Delta}}, nil
}

// replayer executes one Replay. It can continue after further events, except after a correction of a result that it has
// already used. Arms in the state have their present numbers; arms in the algorithm have the numbers of its generation.
// restricted and numbers convert the former to the latter.
type replayer struct {
	state      *State        // may grow between calls of catchUp
	protocol   Protocol      // protocol with all arms
	memory     *model.Memory // keeps solutions for other runs; may be nil
	generation int           // number of additions of arms already applied
	model      *model.Model  // model of the problem of this generation
	steps      *engine.Steps // runs the algorithm
	run        *Run          // the result, filled during the replay
	rounds     int           // number of rounds already replayed
	guide      int           // index of the next item in state.guides
	amend      int           // index of the next item in state.amends
	squares    bool          // whether the algorithm or the recorded plan needs sums of squares of the open round
	unused     bool          // everything was decided before a recorded round: this and later rounds are not used
}

// catchUp replays the events recorded since the last call, and returns the algorithm's run on all events.
func (x *replayer) catchUp(ctx context.Context) (_ *Run, err error) {
	defer try.Caught(&err)
	try.To(x.all(ctx))
	e := try.Of(x.protocol.Entry())
	x.run.Outcome = x.steps.Outcome()
	x.run.Result = try.Of(algorithms.Measured(e, x.model, x.steps))
	x.run.Result.Name = x.state.Start.Name
	if x.run.Result.Progress == nil {
		x.run.Result.Remaining = math.NaN()
	}
	return x.run, nil
}

// all replays the rounds in order, each after the events before its plan. Then it plans the next round. While a round is
// open, it plans nothing.
func (x *replayer) all(ctx context.Context) (err error) {
	defer try.Caught(&err)
	if led := x.state.Start.Led; led != "" {
		x.run.Notes = []Note{{Kind: NoteLed, Names: []string{led}}}
		return nil
	}
	// x.rounds increases only after a round was learned: after an error it still is the failed round
	for ; x.rounds < len(x.state.rounds) && !x.unused; x.rounds++ {
		try.To(ctx.Err())
		r := x.state.rounds[x.rounds]
		// the algorithm receives no results of a round that is still open
		if r.closed == 0 && !x.state.complete(r) {
			x.run.More = false
			if err := x.before(ctx, r.seq); err != nil { // later guides wait until the round has ended
				return err
			}
			x.compare(r.plan)
			return nil
		}
		if err := x.begin(ctx, r.plan, r.seq); err != nil || x.unused {
			return err
		}
		b, err := x.measured(r)
		if err == nil {
			err = x.steps.Learn(ctx, b)
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", r.plan.Round, err)
		}
	}
	// first compare the answers recorded at the end of the campaign; later results come afterwards
	if x.state.done != nil {
		try.To(x.before(ctx, x.state.doneSeq))
		x.compare(*x.state.done)
	}
	try.To(x.before(ctx, math.MaxInt64))
	x.run.Next, x.run.More, err = x.steps.Next(ctx)
	return err
}

// begin applies the events before a plan, and lets the algorithm plan the round. The algorithm's decisions of the round
// are fixed by this plan. Then measured replaces the plan by the pulls that were made.
func (x *replayer) begin(ctx context.Context, plan PlanBody, seq int64) error {
	if err := x.before(ctx, seq); err != nil {
		return err
	}
	x.compare(plan)
	now, more, err := x.steps.Next(ctx)
	x.squares = plan.WantSquares || now.WantSquares // squares can be computed even if an earlier program did not ask for them
	if err == nil && !more {
		x.unused = true
		x.run.Notes = append(x.run.Notes, noteOf(NoteUnused, plan.Round))
	}
	return err
}

// measured sets the plan of a round to the pulls with results, and returns the results. The plan leaves out lost pulls and
// includes extra ones before the algorithm receives any reward: guarantees depend on this order.
func (x *replayer) measured(r *round) (engine.Batch, error) {
	if r.plan.Sides != nil {
		sides, within := r.measuredBlocks(x.protocol.Options.Law)
		n := x.protocol.Problem.N()
		b := engine.Batch{Counts: engine.CountsOf(sides, n), Means: engine.MeansOf(sides, within, n), Within: within}
		return b, x.steps.AmendBlocks(sides)
	}
	b, err := restricted(summed(x.protocol, x.inTime(r), x.squares), x.state.upFrom(x.generation))
	if err == nil {
		err = x.impose(b.Counts)
	}
	return b, err
}

// inTime returns the results of a round by arm. For a test, it leaves out results that came after their arm was withdrawn:
// the withdrawal must not depend on them.
func (x *replayer) inTime(r *round) map[int][]*measured {
	out := r.results
	for _, a := range x.state.amends {
		for _, i := range a.WithdrawArms {
			if len(r.results[i]) > 0 && !x.protocol.posterior() {
				out = maps.Clone(out)
				out[i] = lists.Where(out[i], func(m *measured) bool { return m.seq < a.seq })
			}
		}
	}
	return out
}

// impose sets the pulls of the open round to the given counts.
func (x *replayer) impose(counts []int) error {
	err := x.steps.Amend(counts)
	if errors.Is(err, engine.ErrFixedPlans) {
		return fmt.Errorf("%s needs whole rounds, but the measured pulls differ from its plan. Measure every planned pull. If another build of "+
			"gonb-cope made the plan, use that build: %w", x.protocol.Algorithm, err)
	}
	return err
}

// before applies attached or late results and amendments whose events come before seq, in the order of the events. The
// next call continues after them.
func (x *replayer) before(ctx context.Context, seq int64) (err error) {
	defer try.Caught(&err)
	for {
		g, a := x.guide < len(x.state.guides), x.amend < len(x.state.amends)
		switch {
		case g && x.state.guides[x.guide].seq < seq && (!a || x.state.guides[x.guide].seq < x.state.amends[x.amend].seq):
			try.To(x.inform(x.state.guides[x.guide].seq))
		case a && x.state.amends[x.amend].seq < seq:
			try.To(x.change(ctx, x.state.amends[x.amend]))
			x.amend++
		default:
			return nil
		}
	}
}

// inform passes the late or attached results of one event to the algorithm, as one batch. It skips an algorithm that
// cannot use them.
func (x *replayer) inform(seq int64) error {
	byArm := map[int][]*measured{}
	for ; x.guide < len(x.state.guides) && x.state.guides[x.guide].seq == seq; x.guide++ {
		m := x.state.guides[x.guide]
		byArm[m.Arm] = append(byArm[m.Arm], m)
	}
	b, err := restricted(summed(x.protocol, byArm, true), x.state.upFrom(x.generation))
	if err != nil {
		return err
	}
	err = x.steps.AddData(b)
	if errors.Is(err, engine.ErrAddedDataUnused) {
		return nil
	}
	return err
}

// summed returns the counts and means of results by arm, with sums of squares if squares is set, and then also ranges if
// rewards are bounded. It adds the results of an arm in the order of their pull numbers, so that the order of arrival does
// not change any digit. Rewards have the sign of the data. Arms without results have the count 0. p must have as many arms
// as the state.
func summed(p Protocol, byArm map[int][]*measured, squares bool) engine.Batch {
	var all []engine.Reward
	for i, own := range byArm {
		sorted := slices.SortedStableFunc(slices.Values(own), func(a, b *measured) int { return a.Number - b.Number })
		for _, m := range sorted {
			all = append(all, engine.Reward{Arm: i, Count: m.count(), Mean: m.Reward, Squares: m.Squares})
		}
	}
	return engine.MergeRewards(p.Problem.N(), all, squares, p.Problem.TurnedBounds(p.Problem.Noise.Bounds))
}

// decisions returns the answers of the decided tasks.
func decisions(answers []engine.Answer) []Decision {
	decided := lists.Where(answers, func(a engine.Answer) bool { return a.Decided })
	return lists.Map(decided, func(a engine.Answer) Decision { return Decision{a.Task, a.Arm} })
}

// Agrees reports whether a cached run has the decisions that the last plan recorded. A forged cache therefore cannot give
// other answers. If a new plan is due, there is no such record, and Agrees returns false.
func (s Moment) Agrees(x *Run) bool {
	var recorded []Decision
	switch {
	case s.Needed():
		return false
	case s.done != nil:
		recorded = s.done.Decided
	case s.open() != nil:
		recorded = s.open().plan.Decided
	}
	return slices.Equal(recorded, decisions(x.Outcome.Answers))
}

// compare adds to Differs the decisions that differ from those in a recorded plan. It changes nothing else: the
// measurements of the plan remain valid.
func (x *replayer) compare(plan PlanBody) {
	now := lists.Keyed(decisions(x.steps.Outcome().Answers), func(_ int, d Decision) (string, string) { return d.Task, d.Arm })
	differs := func(task, was, now string) {
		x.run.Differs = append(x.run.Differs, Difference{Round: plan.Round, AtEnd: plan.Done, Task: task, Was: was, Now: now})
	}
	// decisions left in now after this loop were undecided in the recorded plan
	for _, d := range plan.Decided {
		if arm := now[d.Task]; arm != d.Arm {
			differs(d.Task, d.Arm, arm)
		}
		delete(now, d.Task)
	}
	for _, task := range x.protocol.Problem.Tasks.Names {
		if arm, ok := now[task]; ok {
			differs(task, "", arm)
		}
	}
}

// Try returns an error if the algorithm refuses the change in the last event. If a round is open, the change is tested
// before the rewards of the round. The state already contains the change, and must belong to the caller alone. Nothing is
// recorded.
func (s Moment) Try(ctx context.Context, memory *model.Memory) (err error) {
	defer try.Caught(&err)
	x := try.Of(s.replayer(ctx, memory))
	try.To(x.all(ctx))
	return x.before(ctx, math.MaxInt64)
}

// Upgrade returns the event that records a change of the program's revision. The event lists the decisions that change.
// Upgrade returns nil if the revision is the same. The caller must record the event before any other: its list is valid
// only for this state.
func (s Moment) Upgrade(ctx context.Context, revision int, by string) (*UpgradeBody, []Event, error) {
	if revision == s.Revision {
		return nil, nil, nil
	}
	x, err := s.Replay(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	b := &UpgradeBody{From: s.Revision, To: revision, Changes: []string{"no earlier decision changes"}}
	if len(x.Differs) > 0 {
		b.Changes = lists.Map(x.Differs, Difference.String)
	}
	return b, []Event{NewEvent(KindUpgrade, s.Now, by, b)}, nil
}

// change applies an amendment of the protocol between two rounds. If an algorithm with a fixed question refuses, the error
// states the alternative.
func (x *replayer) change(ctx context.Context, a amendment) error {
	var err error
	if a.Epsilon != nil {
		err = x.steps.SetEpsilon(*a.Epsilon)
		x.run.Epsilon = a.Epsilon
	}
	if a.Delta != nil && err == nil {
		err = x.steps.SetDelta(*a.Delta)
		x.run.Delta = *a.Delta
	}
	if len(a.WithdrawArms) > 0 && err == nil {
		err = x.steps.Withdraw(x.numbers(a.WithdrawArms)...)
	}
	if a.Add != nil && err == nil {
		err = x.extend(ctx, *a.Growth)
	}
	if errors.Is(err, engine.ErrFixedQuestion) {
		remedy := ""
		if engine.UsesAddedData(x.steps.Algorithm()) {
			remedy = " and attach the measurements of this one, which guide it (export writes them)"
		}
		return fmt.Errorf("%s: %w. Its guarantee is for the arms, delta and epsilon of the start. Start another campaign with the new "+
			"ones%s; only capacity can be changed here", x.protocol.Algorithm, err, remedy)
	}
	return err
}

// numbers converts present numbers of arms to those of the replay's generation. The arms must exist in that generation.
func (x *replayer) numbers(arms []int) []int {
	up := x.state.upFrom(x.generation)
	if up == nil {
		return arms
	}
	return lists.Map(arms, func(i int) int { return slices.Index(up, i) })
}

// extend adds arms to the run. It makes a new algorithm for the larger problem, which continues from the state of the old
// one.
func (x *replayer) extend(ctx context.Context, g Growth) (err error) {
	defer try.Caught(&err)
	p := x.protocol.generation(x.generation + 1)
	e := try.Of(p.Entry())
	x.model = try.Of(p.question().Model(ctx, x.memory))
	alg := try.Of(e.New(x.model, x.steps.Options()))
	x.generation++
	return x.steps.Extend(alg, g.At)
}
