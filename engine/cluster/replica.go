package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/wire"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// replica is one agent's copy of the algorithm, driven by the facts of the run.
type replica struct {
	run      string
	question question.Question
	opened   RunBody
	arms     arms
	memory   *model.Memory
	asked    *question.Run

	ended  bool // the algorithm is done here, though others go on: it only follows
	plan   engine.Plan
	plans  []engine.Plan // of all rounds up to the one of plan
	opens  bool          // whether plan is a round whose messages are awaited
	rounds int           // that were learned
	absent [][]Absence
	taken  int // plans of others that were taken in place of its own
	differ []Difference
	sent   Traffic

	planned  bool            // whether the next round is planned here
	lately   []Late          // late messages that the algorithm was informed of before it planned it
	informed map[[2]int]bool // late messages taken in, by round and agent
}

// Traffic counts the messages that the agents of a run sent each other, and their bytes.
type Traffic struct {
	Messages int64 `json:"messages"` // of counts and means, one for each agent and round
	Bytes    int64 `json:"bytes"`    // of these messages
	Plans    int64 `json:"plans"`
	// of the plans, which name the counts of all arms, and what a relay sends on
	PlanBytes int64 `json:"plan_bytes"`
	// of the same rounds with every reward sent by itself, and with an explicit estimate of θ
	Raw   int64 `json:"bytes_raw"`
	Theta int64 `json:"bytes_theta"`
}

// newReplica returns the replica before the first round.
func newReplica(ctx context.Context, run string, b RunBody, q question.Question, memory *model.Memory) (*replica, error) {
	asked, err := begin(ctx, q, memory)
	if err != nil {
		return nil, err
	}
	all := lists.Keyed(q.Problem.TaskOf, func(i, _ int) ([2]string, int) { return [2]string(q.Problem.NamesOf(i)), i })
	return &replica{run: run, arms: all, question: q, opened: b, memory: memory, asked: asked, informed: map[[2]int]bool{}}, nil
}

// decisions returns what is decided after a round.
func (r *replica) decisions(round int) Decisions {
	return decisionsOf(r.asked.Algorithm(), r.arms, round)
}

// next plans the next round, or says that nothing is left. The algorithm is informed of late messages
// before.
func (r *replica) next(ctx context.Context, author int, here Build, late []Late) (PlanBody, error) {
	if !r.planned {
		if err := r.inform(late); err != nil {
			return PlanBody{}, err
		}
		r.planned, r.lately = true, late
	}
	plan, more, err := r.asked.Next(ctx)
	if err != nil {
		return PlanBody{}, err
	}
	b := PlanBody{Round: r.rounds + 1, Author: author, Build: here, Late: r.lately, Before: r.decisions(r.rounds)}
	if r.rounds > 0 {
		b.Absent = r.absent[r.rounds-1]
	}
	if !more {
		out := r.asked.Outcome()
		b.Done, b.Status, b.Answers = true, out.Status, written(out.Answers)
		return b, nil
	}
	b.Counts, b.Digest, b.Squares = plan.Counts, plan.Digest, plan.WantSquares
	return b, nil
}

// adopt takes the plan that stands for the next round. It is a PlanError where it was made of another
// history.
func (r *replica) adopt(ctx context.Context, p PlanBody, size int) error {
	if p.Round != r.rounds+1 {
		return fmt.Errorf("run %s: the plan of round %d comes after %s", r.run, p.Round, sentence.Count(r.rounds, "round"))
	}
	refuse := func(format string, args ...any) error {
		return &PlanError{r.run, p.Round, fmt.Sprintf("its author, %s (%s), ", AgentName(p.Author), p.Build) + fmt.Sprintf(format, args...)}
	}
	if !r.ended {
		if r.planned && !slices.EqualFunc(p.Late, r.lately, func(x, y Late) bool { return x.Round == y.Round && x.Agent == y.Agent }) {
			return errOtherLate
		}
		if !r.planned {
			if err := r.inform(p.Late); err != nil {
				return err
			}
		}
		own, more, err := r.asked.Next(ctx)
		if err != nil {
			return err
		}
		switch {
		case p.Done || !more:
			r.ended = !more // where the others go on the comparison names why
		case p.Squares != own.WantSquares:
			return refuse("asks for squared deviations otherwise than this replica")
		case !slices.Equal(p.Counts, own.Counts):
			if err := r.asked.Amend(p.Counts); errors.Is(err, engine.ErrFixedPlans) {
				return refuse("planned other pulls than this program (%s), and %s takes a round only as it planned it: use one build for all agents",
					BuildHere(), r.question.Algorithm)
			} else if err != nil {
				return refuse("planned pulls that cannot be made: %v", err)
			}
			r.taken++
			fallthrough
		default:
			if now, _, err := r.asked.Next(ctx); err != nil || now.Digest != p.Digest {
				return errors.Join(err, refuse("goes by another history (digest %s, here %s)", p.Digest, now.Digest))
			}
		}
	}
	if p.Done {
		if why := r.disagrees(p); why != "" {
			return refuse("%s", why)
		}
	}
	r.differ = append(r.differ, r.differences(r.rounds, p.Before)...)
	r.sent.Plans++
	r.sent.PlanBytes += int64(size)
	r.plan, r.opens = engine.Plan{Round: p.Round, Counts: slices.Clone(p.Counts), WantSquares: p.Squares, Digest: p.Digest}, !p.Done
	r.plans = append(r.plans, r.plan)
	r.planned, r.lately = false, nil
	return nil
}

// disagrees says why a plan cannot be the end of the run: this replica does not come to it.
func (r *replica) disagrees(p PlanBody) string {
	own := r.asked.Outcome()
	if !r.ended {
		open := lists.Count(own.Answers, func(a engine.Answer) bool { return !a.Decided })
		return fmt.Sprintf("says that the run is over (%s), and by the rewards that were told it is not: %d of %s are open", p.Status,
			open, sentence.Count(len(own.Answers), "task"))
	}
	if p.Status != own.Status {
		return fmt.Sprintf("says that the run ended as %q, and by the rewards that were told it ended as %q", p.Status, own.Status)
	}
	for v, here := range own.Answers {
		if there := p.Answers[v]; there.Arm != here.Arm || there.Leader != here.Leader || there.Decided != here.Decided {
			return fmt.Sprintf("answers task %q by %q, and by the rewards that were told the answer is %q", here.Task, there.Leader, here.Leader)
		}
	}
	return ""
}

// ranged reports whether the messages of the open round have ranges.
func (r *replica) ranged() bool { return ranged(r.plan, r.question.Problem) }

// learn folds the messages of the open round, in agent order; messages of absent agents are nil, and
// their pulls are taken as not made.
func (r *replica) learn(ctx context.Context, messages [][]byte, absent []Absence) error {
	if !r.opens {
		return errors.New("no round is open")
	}
	missing := agents(absent)
	b, err := r.batch(messages, missing)
	if err != nil {
		return err
	}
	for v, m := range messages {
		if !slices.Contains(missing, v) {
			r.sent.Messages++
			r.sent.Bytes += int64(len(m))
		}
	}
	other := wire.Round(r.plan.Round, r.question.Problem.TaskOf, b.Counts, r.coefficients(), r.plan.WantSquares, r.ranged())
	r.sent.Raw, r.sent.Theta = r.sent.Raw+other.Raw, r.sent.Theta+other.Theta
	r.opens = false
	r.absent = append(r.absent, absent)
	r.rounds++
	if r.ended {
		return nil
	}
	if err := r.asked.Amend(b.Counts); errors.Is(err, engine.ErrFixedPlans) {
		return fmt.Errorf("run %s: round %d lacks the pulls of an agent, and %s takes a round only as it planned it: %w", r.run, r.plan.Round,
			r.question.Algorithm, err)
	} else if err != nil {
		return err
	}
	return r.asked.Learn(ctx, b)
}

// batch returns what the messages of the open round say; nothing of agents that are missing.
func (r *replica) batch(messages [][]byte, missing []int) (engine.Batch, error) {
	p := r.question.Problem
	b := engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
	if r.plan.WantSquares {
		b.Squares = make([]float64, p.N())
	}
	if r.ranged() {
		b.Ranges = make([][2]float64, p.N())
	}
	for v := range p.V() {
		if slices.Contains(missing, v) {
			continue
		}
		lo, hi := p.ArmsOf(v)
		m, err := parseMessage(messages[v], v, r.plan, p)
		if err != nil {
			return b, &MessageError{r.run, r.plan.Round, v, err}
		}
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		copy(b.Squares[min(lo, len(b.Squares)):], m.Squares)
		copy(b.Ranges[min(lo, len(b.Ranges)):], m.Ranges)
	}
	return b, nil
}

// coefficients returns the dimension of θ̂: of the features, or a number for each arm where the algorithm
// works by values of the kernel.
func (r *replica) coefficients() int {
	if e, err := r.question.Entry(); err == nil && e.ByValues && r.asked.Model.Features == nil {
		return r.question.Problem.N()
	}
	return r.asked.Model.Rank()
}

// MessageError is a message that no replica takes. The address is used, so that its agent cannot say
// anything else in that round.
type MessageError struct {
	Run   string
	Round int
	Agent int // from 0, whose name the fact has
	Err   error
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("run %s: the message of %s in round %d is refused: %v", e.Run, AgentName(e.Agent), e.Round, e.Err)
}

func (e *MessageError) Unwrap() error { return e.Err }

// Late is the message of an agent that came after its round had gone on without it. Its rewards are of
// no round any more; an algorithm that they can guide is informed of them (engine.Informer), as one of a
// campaign is of late results. The plan that is made next has the message itself, so that all
// replicas are informed of the same at the same place, whatever each of them has read by then.
type Late struct {
	Round   int    `json:"round"`
	Agent   int    `json:"agent"` // from 0
	Message []byte `json:"message"`
}

// maxLate is the most bytes of late messages in a plan; others wait for the next one.
const maxLate = MaxBody / 8

// late returns the messages that came late and that the replica has not been informed of: messages of rounds
// before the last for which a plan has said that they count without them.
func (r *replica) late(message func(round, agent int) ([]byte, bool)) []Late {
	if r.ended || !engine.Guided(r.asked.Algorithm()) {
		return nil
	}
	var out []Late
	size := 0
	for round := 1; round < r.rounds; round++ {
		for _, a := range r.absent[round-1] {
			m, there := message(round, a.Agent)
			l := Late{round, a.Agent, m}
			if _, err := r.parseLate(l); there && size+len(m) <= maxLate && err == nil {
				out, size = append(out, l), size+len(m)
			}
		}
	}
	return out
}

// parseLate reads a late message, and reports one that the replica cannot be informed of.
func (r *replica) parseLate(l Late) (m wire.Merged, err error) {
	if l.Round < 1 || l.Round >= r.rounds || !slices.Contains(agents(r.absent[l.Round-1]), l.Agent) {
		return m, &PlanError{r.run, r.rounds + 1, "it has a late message of an agent or a round that nobody went on without"}
	}
	if r.informed[[2]int{l.Round, l.Agent}] {
		return m, &PlanError{r.run, r.rounds + 1, "it has a late message a second time"}
	}
	if m, err = parseMessage(l.Message, l.Agent, r.plans[l.Round-1], r.question.Problem); err != nil {
		return m, &MessageError{r.run, l.Round, l.Agent, err}
	}
	return m, nil
}

// notSent is a plan that has a message in the name of another agent.
func notSent(f Fact, round int, name string, p PlanBody) error {
	return &PlanError{f.Run, f.Round, fmt.Sprintf("its author, %s, sends on a message of %s in round %d, and %s did not send that",
		AgentName(p.Author), name, round, name)}
}

// inform informs the algorithm of late messages, before it plans the next round.
func (r *replica) inform(all []Late) error {
	n := r.question.Problem.N()
	for _, l := range all {
		m, err := r.parseLate(l)
		if err != nil {
			return err
		}
		lo, hi := r.question.Problem.ArmsOf(l.Agent)
		b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		if m.Squares != nil {
			b.Squares = make([]float64, n)
			copy(b.Squares[lo:hi], m.Squares)
		}
		if err := r.asked.Inform(b); err != nil {
			return err
		}
		r.informed[[2]int{l.Round, l.Agent}] = true
	}
	return nil
}

// errOtherLate says that the plan which stands informs of other late messages than the one that was made
// here. The replica has gone too far by then, and is made again from the facts.
var errOtherLate = errors.New("another plan was made here")
