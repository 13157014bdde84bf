package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Run holds the decisions of the algorithm on a state: on every round that is over, under its recorded plan. The same events, protocol and
// program make the same run, to the last digit; a cache rests on it.
type Run struct {
	Outcome engine.Outcome // answers, rounds and eliminations so far
	Result  engine.Result  // result of one real run; Remaining is NaN if nothing says
	Next    engine.Plan    // that comes now, where More states so; zero else
	More    bool           // whether there is one
	Differs []Difference   // decisions that are not those recorded
	Notes   []Note         // for the status
	Delta   float64        // in force
	Epsilon *float64       // the changed value; nil if it was not changed
}

// Replay drives the algorithm over the rounds of the state that are over. Recorded plans are
// imposed, so that a program which rounds otherwise continues with the rounds that were measured.
// memory may be nil. Nothing is recorded.
func (s Moment) Replay(ctx context.Context, memory *model.Memory) (*Run, error) {
	x, err := s.replayer(ctx, memory)
	if err != nil {
		return nil, err
	}
	return x.catchUp(ctx)
}

// replayer returns a replay before the first round. It begins with the problem of the start: arms that were added come in by Extend when
// their turn is there.
func (s Moment) replayer(ctx context.Context, memory *model.Memory) (*replayer, error) {
	asked, err := s.AtStart().question().Begin(ctx, memory)
	if err != nil {
		return nil, err
	}
	return &replayer{state: s.State, protocol: s.Protocol, memory: memory, model: asked.Model, steps: asked.Steps,
		run: &Run{Delta: s.Options.Delta}}, nil
}

// replayer drives one Replay. It can continue as events are added, except for corrections of results that it has
// taken in. The arms of the state have the numbers of now, and the algorithm has its arms in the numbers of its generation:
// restricted and numbers lead from the first to the second.
type replayer struct {
	state      *State        // may grow between calls of catchUp
	protocol   Protocol      // with all arms
	memory     *model.Memory // keeps what was solved for other runs; may be nil
	generation int           // additions of arms that were taken in
	model      *model.Model  // of the problem of the generation
	steps      *engine.Steps // which drive the algorithm
	run        *Run          // what is returned, filled in on the way
	rounds     int           // that were taken in
	guide      int           // the next of state.guides
	amend      int           // the next of state.amends
	squares    bool          // whether the open round wants them, or the recorded plan did
	unused     bool          // whether all was decided before a round that was made: it and later ones do not count
}

// catchUp takes in the events recorded since, and returns the algorithm's run on all.
func (x *replayer) catchUp(ctx context.Context) (*Run, error) {
	if err := x.all(ctx); err != nil {
		return nil, err
	}
	e, err := x.protocol.Entry()
	if err != nil {
		return nil, err
	}
	x.run.Outcome = x.steps.Outcome()
	x.run.Result, err = algorithms.Measured(e, x.model, x.steps)
	if err != nil {
		return nil, err
	}
	x.run.Result.Name = x.state.Start.Name
	if x.run.Result.Progress == nil {
		x.run.Result.Remaining = math.NaN()
	}
	return x.run, nil
}

// all takes the rounds in their order, each with what came before its end. At the end the next round is planned, but where one is open:
// nothing is planned beyond it then.
func (x *replayer) all(ctx context.Context) error {
	if led := x.state.Start.Led; led != "" {
		x.run.Notes = []Note{{Kind: NoteLed, Names: []string{led}}}
		return nil
	}
	// x.rounds counts up once a round was learned, so that an error leaves it at that round
	for ; x.rounds < len(x.state.rounds) && !x.unused; x.rounds++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := x.state.rounds[x.rounds]
		// the algorithm receives no results of the open round before it is over
		if r.closed == 0 && !x.state.complete(r) {
			x.run.More = false
			if err := x.before(ctx, r.seq); err != nil { // what guides since waits for the rewards of the round
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
	// the answers that were recorded at the end are compared first, before later results are taken in
	if x.state.done != nil {
		if err := x.before(ctx, x.state.doneSeq); err != nil {
			return err
		}
		x.compare(*x.state.done)
	}
	if err := x.before(ctx, math.MaxInt64); err != nil {
		return err
	}
	var err error
	x.run.Next, x.run.More, err = x.steps.Next(ctx)
	return err
}

// begin takes in the events before a plan, and plans its round. The plan that the algorithm makes here is not used:
// measured replaces it by the pulls that were made. It is needed since the algorithm fixes with it the decisions of the
// round.
func (x *replayer) begin(ctx context.Context, plan PlanBody, seq int64) error {
	if err := x.before(ctx, seq); err != nil {
		return err
	}
	x.compare(plan)
	now, more, err := x.steps.Next(ctx)
	x.squares = plan.WantSquares || now.WantSquares // what an earlier program did not ask for is known nevertheless
	if err == nil && !more {
		x.unused = true
		x.run.Notes = append(x.run.Notes, noteOf(NoteUnused, plan.Round))
	}
	return err
}

// measured makes the measurements of a round its plan, and returns their results. The plan excludes lost pulls and
// includes extra ones before any reward is passed on: guarantees rest on this order.
func (x *replayer) measured(r *round) (engine.Batch, error) {
	if r.plan.Sides != nil {
		sides, within := r.measuredBlocks(x.protocol.Options.Law)
		n := x.protocol.Problem.N()
		b := engine.Batch{Counts: engine.CountsOf(sides, n), Means: engine.MeansOf(sides, within, n), Within: within}
		return b, x.steps.AmendBlocks(sides)
	}
	b, err := restricted(summed(x.protocol, r.results, x.squares), x.state.upFrom(x.generation))
	if err == nil {
		err = x.impose(b.Counts)
	}
	return b, err
}

// impose makes these the pulls of the open round.
func (x *replayer) impose(counts []int) error {
	err := x.steps.Amend(counts)
	if errors.Is(err, engine.ErrFixedPlans) {
		return fmt.Errorf("%s needs whole rounds, but the measured pulls differ from its plan. Measure every planned pull. If another build of "+
			"gonb-cope made the plan, use that build: %w", x.protocol.Algorithm, err)
	}
	return err
}

// before takes in attached results and changes before an event, in the order of their events. It stops if no more came
// before seq, and continues from there the next time.
func (x *replayer) before(ctx context.Context, seq int64) error {
	for {
		g, a := x.guide < len(x.state.guides), x.amend < len(x.state.amends)
		switch {
		case g && x.state.guides[x.guide].seq < seq && (!a || x.state.guides[x.guide].seq < x.state.amends[x.amend].seq):
			if err := x.inform(x.state.guides[x.guide].seq); err != nil {
				return err
			}
		case a && x.state.amends[x.amend].seq < seq:
			if err := x.change(ctx, x.state.amends[x.amend]); err != nil {
				return err
			}
			x.amend++
		default:
			return nil
		}
	}
}

// inform passes the results of one event that belong to no round, as one batch. An algorithm that cannot use them gets
// none.
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

// summed returns counts, means and squares by arm, with the ranges of bounded rewards. The results of an arm are taken by the numbers of
// their pulls, so that the order in which they arrived does not show in any digit. Rewards have the sign of the data. Arms without results
// have the count 0. N is the protocol's number of arms, which must be the one that the state has.
func summed(p Protocol, byArm map[int][]*measured, squares bool) engine.Batch {
	n := p.Problem.N()
	b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
	if squares {
		b.Squares = make([]float64, n)
	}
	bounds := p.Problem.TurnedBounds(p.Problem.Noise.Bounds)
	if squares && bounds != nil {
		b.Ranges = make([][2]float64, n)
	}
	for i, all := range byArm {
		sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *measured) int { return a.Number - b.Number })
		sum, count := 0.0, 0
		for _, m := range sorted {
			sum += float64(m.count()) * m.Reward
			count += m.count()
		}
		b.Counts[i], b.Means[i] = count, sum/float64(count)
		if !squares {
			continue
		}
		for _, m := range sorted {
			off := m.Reward - b.Means[i]
			// what scatters behind a mean, and the distance of the mean from the arm's
			b.Squares[i] += m.Squares + float64(m.count())*off*off
		}
		if bounds != nil {
			b.Ranges[i] = spanned(sorted, *bounds)
		}
	}
	return b
}

// spanned returns the smallest and the largest of the rewards; those behind a mean of several may lie
// anywhere in the bounds.
func spanned(all []*measured, bounds [2]float64) [2]float64 {
	out := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, m := range all {
		if m.count() > 1 {
			return bounds
		}
		out[0], out[1] = min(out[0], m.Reward), max(out[1], m.Reward)
	}
	return out
}

// decisions returns the present decisions.
func decisions(answers []engine.Answer) []Decision {
	decided := lists.Where(answers, func(a engine.Answer) bool { return a.Decided })
	return lists.Map(decided, func(a engine.Answer) Decision { return Decision{a.Task, a.Arm} })
}

// Agrees reports whether a cached run has the decisions that the last plan recorded. If the next plan is due there is no
// such record, and it returns false. So a forged cache cannot give answers that differ from the recorded ones.
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

// compare notes how the decisions differ from those that a plan recorded. It changes nothing else: measurements of a
// plan remain.
func (x *replayer) compare(plan PlanBody) {
	now := lists.Keyed(decisions(x.steps.Outcome().Answers), func(_ int, d Decision) (string, string) { return d.Task, d.Arm })
	differs := func(task, was, now string) {
		x.run.Differs = append(x.run.Differs, Difference{Round: plan.Round, AtEnd: plan.Done, Task: task, Was: was, Now: now})
	}
	// what is left in now when these are done was open then
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

// Try reports why the algorithm refuses a change that was recorded last. While a round is open it is
// tried before the rewards of that. The change is already in the state, which must be the caller's own, and nothing of it is recorded.
func (s Moment) Try(ctx context.Context, memory *model.Memory) error {
	x, err := s.replayer(ctx, memory)
	if err != nil {
		return err
	}
	if err := x.all(ctx); err != nil {
		return err
	}
	return x.before(ctx, math.MaxInt64)
}

// Upgrade records that a program continues which decides otherwise. It returns nil if nothing was to be done. It has to be
// recorded before anything else is: its differences of decisions belong to this state.
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

// change applies an amendment of the protocol between two rounds. Its error states what an algorithm with a fixed question can do instead.
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

// numbers returns the numbers that arms had before additions that were not taken in yet. The arms must have been there then.
func (x *replayer) numbers(arms []int) []int {
	up := x.state.upFrom(x.generation)
	if up == nil {
		return arms
	}
	return lists.Map(arms, func(i int) int { return slices.Index(up, i) })
}

// extend adds arms to the run. A new algorithm is made for the larger problem and continues from the state of the old one.
func (x *replayer) extend(ctx context.Context, g Growth) error {
	p := x.protocol.generation(x.generation + 1)
	e, err := p.Entry()
	if err != nil {
		return err
	}
	if x.model, err = p.question().Model(ctx, x.memory); err != nil {
		return err
	}
	alg, err := e.New(x.model, x.steps.Options())
	if err != nil {
		return err
	}
	x.generation++
	return x.steps.Extend(alg, g.At)
}
