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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// replica is one agent's copy of the algorithm, which learns from the facts of the run. A round begins with adopt, which
// applies its plan, and ends with learn, which processes its messages; next may precede adopt. The state depends only on
// these plans and messages in this order. All replicas of a run are therefore equal, except for rounding in different
// builds. It is not safe for concurrent use.
type replica struct {
	run      string            // name of the run
	question question.Question // made by this program; its identity is that of the run
	opened   RunBody           // how the run was opened
	asked    *question.Run     // the run of the algorithm, which only the replica uses

	// ended is final. If other agents continue, their plans and messages are counted but not used.
	ended  bool          // the algorithm is done here
	plan   engine.Plan   // the last adopted plan; its counts are nil at the end
	plans  []engine.Plan // plans of all rounds up to plan, needed to read late messages
	opens  bool          // plan is a round whose messages are awaited; set by adopt, reset by learn
	rounds int           // number of learned rounds; the open round is rounds + 1
	absent [][]Absence   // by round, from round 1 at index 0: the agents whose messages did not count
	taken  int           // number of other agents' plans adopted although the counts differ from its own
	differ []Difference  // decisions on which authors and this replica differ
	sent   Traffic       // traffic of the rounds so far

	learned func(engine.Batch) // receives each learned round; nil except in Replay

	planned  bool            // the next round is planned here; true between next and adopt
	lately   []Late          // late messages that the algorithm learned before this plan; nil unless planned
	informed map[[2]int]bool // by round and agent: late messages that the algorithm has learned
}

// Traffic counts the messages that the agents of a run sent, and their bytes. For a run that was learned in part, it
// covers this part.
type Traffic struct {
	Messages int64 `json:"messages"` // messages with counts and means: one for each agent and round
	Bytes    int64 `json:"bytes"`    // size of these messages
	Plans    int64 `json:"plans"`    // number of plans, including the end
	// of the plans, which contain the counts of all arms, and the messages that a relay passes on
	PlanBytes int64 `json:"plan_bytes"`
	// size of the same rounds if every reward were sent separately, or an explicit estimate of θ were sent
	Raw   int64 `json:"bytes_raw"`   // see wire.Round
	Theta int64 `json:"bytes_theta"` // see wire.Round
}

// newReplica returns the replica before the first round. It returns an error if agents cannot run the question. memory may
// be nil.
func newReplica(ctx context.Context, run string, b RunBody, q question.Question, memory *model.Memory) (*replica, error) {
	asked, err := begin(ctx, q, memory)
	if err != nil {
		return nil, err
	}
	return &replica{run: run, question: q, opened: b, asked: asked, informed: map[[2]int]bool{}}, nil
}

// next plans the next round, or states that nothing is left. The algorithm first learns the late messages. If next is
// called again before adopt, it returns the same plan, even with other late messages. author and here are copied into the
// plan.
func (r *replica) next(ctx context.Context, author int, here Build, late []Late) (_ PlanBody, err error) {
	defer try.Caught(&err)
	// the algorithm learns late messages only once for each plan; the plan lists them, so that other replicas learn the
	// same ones
	if !r.planned {
		try.To(r.inform(late))
		r.planned, r.lately = true, late
	}
	plan, more := try.Two(r.asked.Next(ctx))
	// decisions after the last round, which adopt compares in other replicas
	b := PlanBody{Round: r.rounds + 1, Author: author, Build: here, Late: r.lately, Before: decisionsOf(r.asked.Algorithm().Answers())}
	// agents absent from the last round as this replica learned it
	if r.rounds > 0 {
		b.Absent = r.absent[r.rounds-1]
	}
	// the algorithm is done, or a limit of rounds or samples is reached
	if !more {
		out := r.asked.Outcome()
		b.Done, b.Status, b.Answers = true, out.Status, written(out.Answers)
		return b, nil
	}
	b.Counts, b.Digest, b.Squares = plan.Counts, plan.Digest, plan.WantSquares
	return b, nil
}

// adopt applies the published plan of the next round, which readPlan has checked. size is the length of its body. It
// returns a *PlanError if the plan was made from another history. It returns errOtherLate if the replica must be built
// again.
func (r *replica) adopt(ctx context.Context, p PlanBody, size int) (err error) {
	defer try.Caught(&err)
	// plans are adopted in order, each once
	if p.Round != r.rounds+1 {
		return fmt.Errorf("run %s: the plan of round %d comes after %s", r.run, p.Round, sentence.Count(r.rounds, "round"))
	}
	// the error names the author and its build, so that people know which program to check
	refuse := func(format string, args ...any) error {
		return &PlanError{r.run, p.Round, fmt.Sprintf("its author, %s (%s), ", AgentName(p.Author), p.Build) + fmt.Sprintf(format, args...)}
	}
	// a replica whose algorithm has ended only follows
	if !r.ended {
		// the algorithm learned late messages for its own plan, but the published plan lists others
		if r.planned && !slices.EqualFunc(p.Late, r.lately, func(x, y Late) bool { return x.Round == y.Round && x.Agent == y.Agent }) {
			return errOtherLate
		}
		// not planned here yet: learn the same late messages as the author
		if !r.planned {
			try.To(r.inform(p.Late))
		}
		own, more := try.Two(r.asked.Next(ctx))
		switch {
		// one of the two has nothing left to plan; disagrees checks whether the end is right
		case p.Done || !more:
			r.ended = !more // if other agents continue, differences states why
		// messages have squares or not, and the algorithm accepts only one of these
		case p.Squares != own.WantSquares:
			return refuse("asks for other squared deviations than this program")
		// the author has other counts because of rounding; the digest below shows whether it also learned other data
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
			// The digest covers the counts and everything learned. With equal counts it shows whether both learned the
			// same.
			if now, _, err := r.asked.Next(ctx); err != nil || now.Digest != p.Digest {
				return errors.Join(err, refuse("has another history (digest %s, here %s)", p.Digest, now.Digest))
			}
		}
	}
	// an end is permanent: every replica either reaches it or refuses it
	if p.Done {
		if why := r.disagrees(p); why != "" {
			return refuse("%s", why)
		}
	}
	r.differ = append(r.differ, r.differences(p.Before)...)
	r.sent.Plans++
	r.sent.PlanBytes += int64(size)
	r.plan, r.opens = engine.Plan{Round: p.Round, Counts: slices.Clone(p.Counts), WantSquares: p.Squares, Digest: p.Digest}, !p.Done
	r.plans = append(r.plans, r.plan)
	r.planned, r.lately = false, nil
	return nil
}

// disagrees returns the reason why a plan cannot be the end of the run, because this replica does not reach it; "" if it
// does. It compares decisions but not estimates, which may differ by rounding.
func (r *replica) disagrees(p PlanBody) string {
	own := r.asked.Outcome()
	// this algorithm would continue
	if !r.ended {
		open := lists.Count(own.Answers, func(a engine.Answer) bool { return !a.Decided })
		return fmt.Sprintf("states that the run is over (%s), but after the recorded rewards %d of %s are open", p.Status,
			open, sentence.Count(len(own.Answers), "task"))
	}
	if p.Status != own.Status {
		return fmt.Sprintf("states that the run ended as %q, but after the recorded rewards it ended as %q", p.Status, own.Status)
	}
	// readPlan has checked that there is one answer for each task, in task order
	for v, here := range own.Answers {
		if there := p.Answers[v]; there.Arm != here.Arm || there.Leader != here.Leader || there.Decided != here.Decided {
			return fmt.Sprintf("answers task %q by %q, but after the recorded rewards the answer is %q", here.Task, there.Leader, here.Leader)
		}
	}
	return ""
}

// ranged reports whether the messages of the open round contain ranges.
func (r *replica) ranged() bool { return ranged(r.plan, r.question.Problem) }

// learn processes the messages of the open round, one for each agent in agent order, nil for absent agents. Their pulls
// are removed from the plan before the algorithm learns. If a message is invalid, the error is a *MessageError, and
// nothing has changed.
func (r *replica) learn(ctx context.Context, messages [][]byte, absent []Absence) (err error) {
	defer try.Caught(&err)
	if !r.opens {
		return errors.New("no round is open")
	}
	missing := agents(absent)
	b := try.Of(r.batch(messages, missing))
	// messages of absent agents do not count as sent
	for v, m := range messages {
		if !slices.Contains(missing, v) {
			r.sent.Messages++
			r.sent.Bytes += int64(len(m))
		}
	}
	// size of the same round in other encodings
	other := wire.Round(r.plan.Round, r.question.Problem.TaskOf, b.Counts, r.coefficients(), r.plan.WantSquares, r.ranged())
	r.sent.Raw, r.sent.Theta = r.sent.Raw+other.Raw, r.sent.Theta+other.Theta
	// the round is over for this replica, whatever the algorithm returns
	r.opens = false
	r.absent = append(r.absent, absent)
	r.rounds++
	// if its algorithm has ended, it learns nothing any more, but the rounds of others are counted
	if !r.ended {
		// an algorithm with fixed plans cannot continue without the pulls of an agent
		if err := r.asked.Amend(b.Counts); errors.Is(err, engine.ErrFixedPlans) {
			return fmt.Errorf("run %s: an agent missed round %d, so the run cannot continue. Start again, or choose an algorithm other than %s: %w",
				r.run, r.plan.Round, r.question.Algorithm, err)
		} else if err != nil {
			return err
		}
		// last, because an error of the algorithm ends the run here
		try.To(r.asked.Learn(ctx, b))
	}
	if r.learned != nil {
		r.learned(b)
	}
	return nil
}

// batch parses the messages of the open round and merges them. The batch has all arms; arms of missing agents have count
// 0.
func (r *replica) batch(messages [][]byte, missing []int) (engine.Batch, error) {
	// N numbers each, filled task by task
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
		// parseMessage has checked that each list has one number for each arm of the task
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		// without squares or ranges, source and destination are empty
		copy(b.Squares[min(lo, len(b.Squares)):], m.Squares)
		copy(b.Ranges[min(lo, len(b.Ranges)):], m.Ranges)
	}
	return b, nil
}

// coefficients returns the dimension of θ̂: the number of features, or the number of arms if the algorithm works with
// kernel values.
func (r *replica) coefficients() int {
	if e, err := r.question.Entry(); err == nil && e.ByValues && r.asked.Model.Features == nil {
		return r.question.Problem.N()
	}
	// used only for the traffic of messages with θ̂
	return r.asked.Model.Rank()
}

// MessageError is a message that no replica accepts. Its agent cannot publish another one for that round, because the
// address is used. A replica returns it only if a plan counts the message or lists it as late. Otherwise the message is
// the reason of an absence, and the run continues.
type MessageError struct {
	Run   string // name of the run
	Round int    // round of the message
	Agent int    // from 0; from the name of the fact
	Err   error  // the fault of the message
}

func (e *MessageError) Error() string {
	return fmt.Sprintf("run %s: the message of %s in round %d is refused: %v", e.Run, AgentName(e.Agent), e.Round, e.Err)
}

func (e *MessageError) Unwrap() error { return e.Err }

// Late is an agent's message that came after its round continued without it. Its rewards belong to no round. An algorithm
// that can use them learns them (engine.DataAdder), like late results of a campaign. The next plan contains the message,
// so that all replicas learn it at the same point, whatever they have read. agent.read checks that the agent published
// exactly this message.
type Late struct {
	Round   int    `json:"round"`   // round for which it was due, from 1
	Agent   int    `json:"agent"`   // from 0
	Message []byte `json:"message"` // as published, see wire.Merged
}

// maxLate is the largest total size of late messages in a plan, in bytes; messages beyond it wait for the next plan. Base64 makes them
// a third longer.
const maxLate = MaxBody / 8

// late returns the late messages that the replica has not learned: messages of earlier rounds, except the last, whose next
// plan lists the agent as absent. message returns an agent's message of a round, if this program has read it. late leaves
// out invalid messages, and messages that exceed maxLate.
func (r *replica) late(message func(round, agent int) ([]byte, bool)) []Late {
	// an algorithm that cannot use late rewards learns none
	if r.ended || !engine.UsesAddedData(r.asked.Algorithm()) {
		return nil
	}
	var out []Late
	size := 0
	// absences of the last round are first published in the plan that is made now
	for round := 1; round < r.rounds; round++ {
		for _, a := range r.absent[round-1] {
			m, there := message(round, a.Agent)
			l := Late{round, a.Agent, m}
			// the message is known, fits, and is valid
			if _, err := r.parseLate(l); there && size+len(m) <= maxLate && err == nil {
				out, size = append(out, l), size+len(m)
			}
		}
	}
	return out
}

// parseLate parses a late message, and returns an error if it is invalid. The message must belong to an earlier round,
// except the last, that continued without its agent. It must not have been learned before.
func (r *replica) parseLate(l Late) (m wire.Merged, err error) {
	if l.Round < 1 || l.Round >= r.rounds || !slices.Contains(agents(r.absent[l.Round-1]), l.Agent) {
		return m, &PlanError{r.run, r.rounds + 1, "the plan has a late message, but no such round continued without that agent"}
	}
	// an earlier plan listed it
	if r.informed[[2]int{l.Round, l.Agent}] {
		return m, &PlanError{r.run, r.rounds + 1, "the plan repeats a late message of an earlier plan"}
	}
	// the message belongs to the plan of its own round
	if m, err = parseMessage(l.Message, l.Agent, r.plans[l.Round-1], r.question.Problem); err != nil {
		return m, &MessageError{r.run, l.Round, l.Agent, err}
	}
	return m, nil
}

// notSent returns the error for a plan f that contains a message which the agent name did not publish.
func notSent(f Fact, round int, name string, p PlanBody) error {
	return &PlanError{f.Run, f.Round, fmt.Sprintf("the author of the plan, %s, passes on a message of %s in round %d that %s did not send",
		AgentName(p.Author), name, round, name)}
}

// inform passes late messages to the algorithm before it plans the next round. After an error the algorithm has learned
// the earlier ones; the plan is then refused, and the run is over for this replica.
func (r *replica) inform(all []Late) (err error) {
	defer try.Caught(&err)
	n := r.question.Problem.N()
	for _, l := range all {
		m := try.Of(r.parseLate(l))
		lo, hi := r.question.Problem.ArmsOf(l.Agent)
		// a batch has all arms; arms of other agents have count 0
		b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n)}
		copy(b.Counts[lo:hi], m.Counts)
		copy(b.Means[lo:hi], m.Means)
		// Squares is nil if the algorithm does not need squares
		if m.Squares != nil {
			b.Squares = make([]float64, n)
			copy(b.Squares[lo:hi], m.Squares)
		}
		try.To(r.asked.AddData(b))
		// parseLate refuses a later plan that lists this message again
		r.informed[[2]int{l.Round, l.Agent}] = true
	}
	return nil
}

// errOtherLate is returned if the published plan lists other late messages than those that the algorithm has learned. The
// replica must then be built again from the facts.
var errOtherLate = errors.New("another plan was made here")
