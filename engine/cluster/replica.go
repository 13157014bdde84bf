package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// replica is one agent's copy of the algorithm, driven by the facts of the run. A round goes from adopt, which takes its plan,
// to learn, which takes its messages; next may come before adopt. Whatever a replica does follows from the plans and messages in
// this order, so all replicas of a run are alike, except for how their builds round. It is for one goroutine at a time.
type replica struct {
	run      string            // the name of the run
	question question.Question // as made here, equal in its identity to the one of the run
	opened   RunBody           // how the run was opened
	arms     arms              // finds arms by their names
	asked    *question.Run     // the run of the algorithm, which nothing else drives

	// ended is final. Where the others continue, plans and messages are counted and not computed with.
	ended  bool          // the algorithm is done here, though others continue: it only follows
	plan   engine.Plan   // plan of the round adopted last; at the end its counts are nil
	plans  []engine.Plan // plans of all rounds up to the one of plan; so that late messages can be read
	opens  bool          // whether plan is a round whose messages are awaited; set by adopt, and no more after learn
	rounds int           // that were learned; so the open round is rounds + 1
	absent [][]Absence   // by round, from round 1 at 0; who did not count in it
	taken  int           // plans of others that were taken instead of its own
	differ []Difference  // decisions of authors that are others than here
	sent   Traffic       // of the rounds so far

	planned  bool            // whether the next round is planned here; from next to adopt
	lately   []Late          // late messages that the algorithm was informed of before it planned it; nil unless planned
	informed map[[2]int]bool // late messages taken in, by round and agent; each is taken in once
}

// Traffic counts the messages that the agents of a run sent each other, and their bytes. A run that is learned in part has the
// messages of the part.
type Traffic struct {
	Messages int64 `json:"messages"` // messages of counts and means, one for each agent and round
	Bytes    int64 `json:"bytes"`    // of these messages
	Plans    int64 `json:"plans"`    // plans of rounds, and the end
	// of the plans, which name the counts of all arms, and what a relay sends on
	PlanBytes int64 `json:"plan_bytes"`
	// of the same rounds with every reward sent alone, and with an explicit estimate of θ
	Raw   int64 `json:"bytes_raw"`   // see wire.Round
	Theta int64 `json:"bytes_theta"` // see wire.Round
}

// newReplica returns the replica before the first round. An error states that no agents can run the question. memory may be nil.
func newReplica(ctx context.Context, run string, b RunBody, q question.Question, memory *model.Memory) (*replica, error) {
	asked, err := begin(ctx, q, memory)
	if err != nil {
		return nil, err
	}
	// names are looked up by task and arm, since tasks may have arms of one name
	all := lists.Keyed(q.Problem.TaskOf, func(i, _ int) ([2]string, int) { return [2]string(q.Problem.NamesOf(i)), i })
	return &replica{run: run, arms: all, question: q, opened: b, asked: asked, informed: map[[2]int]bool{}}, nil
}

// decisions returns the decisions after a round. It changes nothing and may be called at any time; round is the number of
// rounds learned for what is new in it.
func (r *replica) decisions(round int) Decisions {
	return decisionsOf(r.asked.Algorithm(), r.arms, round)
}

// next plans the next round, or says that nothing is left. The algorithm is informed of late messages before. Called again before adopt, it
// makes the same plan, even with other late messages. The author and the build are written into it unchanged.
func (r *replica) next(ctx context.Context, author int, here Build, late []Late) (PlanBody, error) {
	// an algorithm is informed once for each plan: the plan lists the late messages, so that the other replicas learn the same ones
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
	// decisions after the last round; both builds compare them when the plan is taken
	b := PlanBody{Round: r.rounds + 1, Author: author, Build: here, Late: r.lately, Before: r.decisions(r.rounds)}
	// who was left out of the last round as this replica learned it
	if r.rounds > 0 {
		b.Absent = r.absent[r.rounds-1]
	}
	// the algorithm is done, or a limit of rounds or samples was reached
	if !more {
		out := r.asked.Outcome()
		b.Done, b.Status, b.Answers = true, out.Status, written(out.Answers)
		return b, nil
	}
	b.Counts, b.Digest, b.Squares = plan.Counts, plan.Digest, plan.WantSquares
	return b, nil
}

// adopt takes the published plan of the next round. It returns a PlanError if the plan was made of another history, and errOtherLate if the
// replica has to be made again. Size is the length of the published plan. The plan has passed readPlan.
func (r *replica) adopt(ctx context.Context, p PlanBody, size int) error {
	// plans are taken in order, each once
	if p.Round != r.rounds+1 {
		return fmt.Errorf("run %s: the plan of round %d comes after %s", r.run, p.Round, sentence.Count(r.rounds, "round"))
	}
	// a sentence about the author, so that people know which program to look at
	refuse := func(format string, args ...any) error {
		return &PlanError{r.run, p.Round, fmt.Sprintf("its author, %s (%s), ", AgentName(p.Author), p.Build) + fmt.Sprintf(format, args...)}
	}
	// a replica whose algorithm has ended follows the plans of others and computes nothing
	if !r.ended {
		// the algorithm was informed before its own plan was made; the published plan lists other messages
		if r.planned && !slices.EqualFunc(p.Late, r.lately, func(x, y Late) bool { return x.Round == y.Round && x.Agent == y.Agent }) {
			return errOtherLate
		}
		// not planned here yet: the algorithm is informed as the author's was
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
		// one of both has nothing left to plan; disagrees looks whether the end is right
		case p.Done || !more:
			r.ended = !more // where the others go on the comparison names why
		// a message answers with or without squares, and the algorithm takes one of both
		case p.Squares != own.WantSquares:
			return refuse("asks for other squared deviations than this program")
		// the author rounds differently; whether it also learned something else, the digest below says
		case !slices.Equal(p.Counts, own.Counts):
			if err := r.asked.Amend(p.Counts); errors.Is(err, engine.ErrFixedPlans) {
				return refuse("planned other pulls than this program (%s), but %s accepts a round only with its own plan. Use one build for all agents",
					BuildHere(), r.question.Algorithm)
			} else if err != nil {
				return refuse("planned pulls that cannot be made: %v", err)
			}
			r.taken++
			fallthrough
		default:
			// The digest covers everything that was learned, and the counts. With equal counts it shows whether both have learned the same.
			if now, _, err := r.asked.Next(ctx); err != nil || now.Digest != p.Digest {
				return errors.Join(err, refuse("has another history (digest %s, here %s)", p.Digest, now.Digest))
			}
		}
	}
	// an end is permanent, so every replica reaches it by itself or refuses it
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

// disagrees says why a plan cannot be the end of the run: this replica does not come to it. It returns "" if the replica
// comes to the same end. It compares what was decided and not the estimates, which builds may round differently.
func (r *replica) disagrees(p PlanBody) string {
	own := r.asked.Outcome()
	// the algorithm would continue here
	if !r.ended {
		open := lists.Count(own.Answers, func(a engine.Answer) bool { return !a.Decided })
		return fmt.Sprintf("states that the run is over (%s), but after the recorded rewards %d of %s are open", p.Status,
			open, sentence.Count(len(own.Answers), "task"))
	}
	if p.Status != own.Status {
		return fmt.Sprintf("states that the run ended as %q, but after the recorded rewards it ended as %q", p.Status, own.Status)
	}
	// readPlan has made sure that there is an answer for each task, in task order
	for v, here := range own.Answers {
		if there := p.Answers[v]; there.Arm != here.Arm || there.Leader != here.Leader || there.Decided != here.Decided {
			return fmt.Sprintf("answers task %q by %q, but after the recorded rewards the answer is %q", here.Task, there.Leader, here.Leader)
		}
	}
	return ""
}

// ranged reports whether the messages of the open round have ranges.
func (r *replica) ranged() bool { return ranged(r.plan, r.question.Problem) }

// learn folds the messages of the open round, in agent order; messages of absent agents are nil, and
// their pulls are taken as not made. Messages has one for each agent. An error of a message is a *MessageError, and nothing has
// changed then. Pulls of absent agents are taken away from the plan before the algorithm learns.
func (r *replica) learn(ctx context.Context, messages [][]byte, absent []Absence) error {
	if !r.opens {
		return errors.New("no round is open")
	}
	missing := agents(absent)
	b, err := r.batch(messages, missing)
	if err != nil {
		return err
	}
	// what was read is counted as sent, the messages of absent agents are not
	for v, m := range messages {
		if !slices.Contains(missing, v) {
			r.sent.Messages++
			r.sent.Bytes += int64(len(m))
		}
	}
	// the bytes that the same round would take in other forms
	other := wire.Round(r.plan.Round, r.question.Problem.TaskOf, b.Counts, r.coefficients(), r.plan.WantSquares, r.ranged())
	r.sent.Raw, r.sent.Theta = r.sent.Raw+other.Raw, r.sent.Theta+other.Theta
	// the round is over for this replica, whatever the algorithm says
	r.opens = false
	r.absent = append(r.absent, absent)
	r.rounds++
	// its algorithm takes nothing in any more, and the rounds of the others are counted nevertheless
	if r.ended {
		return nil
	}
	// an algorithm that takes only what it planned cannot continue without the pulls of an agent
	if err := r.asked.Amend(b.Counts); errors.Is(err, engine.ErrFixedPlans) {
		return fmt.Errorf("run %s: an agent missed round %d, so the run cannot continue. Start again, or choose an algorithm other than %s: %w",
			r.run, r.plan.Round, r.question.Algorithm, err)
	} else if err != nil {
		return err
	}
	// last, since an error of the algorithm ends the run here
	return r.asked.Learn(ctx, b)
}

// batch returns the results in the messages of the open round. The batch has all arms; arms of agents
// that are gone have count 0.
func (r *replica) batch(messages [][]byte, missing []int) (engine.Batch, error) {
	// N numbers each, filled by the arms of one agent after the other
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
		// parseMessage has checked that each list has a number for each arm of the task
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		// where the plan wants no squares, or there are no ranges, both sides are empty
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
	// the number is of the traffic alone: how long messages with θ̂ would be
	return r.asked.Model.Rank()
}

// MessageError is a message that no replica takes. The address is used, so that its agent cannot publish anything else in that round. A
// replica meets it only if a plan counts the message or lists it as late. If no plan does, it is the reason of an absence, and the run goes
// on.
type MessageError struct {
	Run   string // the name of the run
	Round int    // in which it was said
	Agent int    // from 0, whose name the fact has
	Err   error  // what is wrong with the message
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("run %s: the message of %s in round %d is refused: %v", e.Run, AgentName(e.Agent), e.Round, e.Err)
}

func (e *MessageError) Unwrap() error { return e.Err }

// Late is the message of an agent that came after its round had gone on without it. Its rewards are of
// no round any more; an algorithm that they can guide is informed of them (engine.DataAdder), as one of a
// campaign is of late results. The plan that is made next has the message itself, so that all
// replicas are informed of the same at the same place, whatever each of them has read by then. The message is as its agent
// published it, which agent.read compares.
type Late struct {
	Round   int    `json:"round"`   // in which it was due, from 1
	Agent   int    `json:"agent"`   // from 0
	Message []byte `json:"message"` // unchanged, see wire.Merged
}

// maxLate is the most bytes of late messages in a plan; others wait for the next one. The plan has them in base64, which is a
// third longer.
const maxLate = MaxBody / 8

// late returns the messages that came late and that the replica has not been informed of: messages of rounds before the last for which a
// plan has said that they count without them. message returns an agent's message of a round if it is known here. Unreadable messages are
// left out, and messages that do not fit wait for the plan after: each is learned once.
func (r *replica) late(message func(round, agent int) ([]byte, bool)) []Late {
	// an algorithm that late rewards cannot guide is not informed of any
	if r.ended || !engine.UsesAddedData(r.asked.Algorithm()) {
		return nil
	}
	var out []Late
	size := 0
	// who was absent from the last round is first said by the plan that is made now
	for round := 1; round < r.rounds; round++ {
		for _, a := range r.absent[round-1] {
			m, there := message(round, a.Agent)
			l := Late{round, a.Agent, m}
			// it came, there is room, and this replica can be informed of it
			if _, err := r.parseLate(l); there && size+len(m) <= maxLate && err == nil {
				out, size = append(out, l), size+len(m)
			}
		}
	}
	return out
}

// parseLate reads a late message, and reports one that the replica cannot be informed of. Only rounds before the last have late
// messages, as late says, and each of them counts once. The plan of its round must have gone on without the agent.
func (r *replica) parseLate(l Late) (m wire.Merged, err error) {
	if l.Round < 1 || l.Round >= r.rounds || !slices.Contains(agents(r.absent[l.Round-1]), l.Agent) {
		return m, &PlanError{r.run, r.rounds + 1, "the plan has a late message, but no such round continued without that agent"}
	}
	// informed of it by an earlier plan
	if r.informed[[2]int{l.Round, l.Agent}] {
		return m, &PlanError{r.run, r.rounds + 1, "the plan repeats a late message of an earlier plan"}
	}
	// the message answers the plan of its own round
	if m, err = parseMessage(l.Message, l.Agent, r.plans[l.Round-1], r.question.Problem); err != nil {
		return m, &MessageError{r.run, l.Round, l.Agent, err}
	}
	return m, nil
}

// notSent is a plan that has a message in the name of another agent. name is the agent in whose name the message is, and f the plan.
func notSent(f Fact, round int, name string, p PlanBody) error {
	return &PlanError{f.Run, f.Round, fmt.Sprintf("the author of the plan, %s, passes on a message of %s in round %d that %s did not send",
		AgentName(p.Author), name, round, name)}
}

// inform informs the algorithm of late messages, before it plans the next round. An error leaves the algorithm informed of the
// messages before; the plan is refused then, and the run is over for this replica.
func (r *replica) inform(all []Late) error {
	n := r.question.Problem.N()
	for _, l := range all {
		m, err := r.parseLate(l)
		if err != nil {
			return err
		}
		lo, hi := r.question.Problem.ArmsOf(l.Agent)
		// a batch has all arms; arms of other agents have count 0
		b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		// lists of an algorithm that wants no squares are nil
		if m.Squares != nil {
			b.Squares = make([]float64, n)
			copy(b.Squares[lo:hi], m.Squares)
		}
		if err := r.asked.AddData(b); err != nil {
			return err
		}
		// a later plan cannot have it again
		r.informed[[2]int{l.Round, l.Agent}] = true
	}
	return nil
}

// errOtherLate states that the published plan lists other late messages than the plan that was made here. The replica has gone too far by
// then, and is made again from the facts.
var errOtherLate = errors.New("another plan was made here")
