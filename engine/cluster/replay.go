package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// RoundCounts holds the counts and means that agents published in one round. Replay returns one for each round that is
// over.
type RoundCounts struct {
	Round   int       // from 1
	Counts  []int     // pulls of each of N arms; 0 if the agent's message does not count
	Means   []float64 // reward units, with the sign of the data; of this round only; 0 without pulls
	Squares []float64 // sums of squared deviations; nil if the plan did not ask for them
}

// Replay replays the present facts of a run without taking part. It returns the outcome so far, the published counts of
// each round that is over, and the question. It does not wait for further facts. If it returns a *PlanError or
// *MessageError, the outcome and the counts end before the faulty fact. After another error, the question may be
// incomplete.
func Replay(ctx context.Context, x Facts, run string, make Maker) (Finished, []RoundCounts, question.Question, error) {
	// an agent that neither reads in the background nor pulls
	w := newAgent(Agent{Facts: x, Run: run, Make: make})
	if err := w.load(ctx); err != nil {
		return Finished{}, nil, w.question, err
	}
	done, rounds, err := w.replay(ctx)
	// both the error that ended the replay and an error of the outcome are returned
	out, failed := w.replica.finished(done, err)
	// a stop counts only if the run did not reach its end before
	if f, ok, found := x.Find(ctx, run, 0, nameStop); found == nil && ok && done == nil {
		out.Stopped = readStop(f)
	}
	return out, rounds, w.question, errors.Join(err, failed)
}

// refused reports whether an error is a plan or a message that no replica accepts. Every program gets such an error; other
// errors come from the exchange, the context or this program.
func refused(err error) bool {
	return errors.As(err, new(*PlanError)) || errors.As(err, new(*MessageError))
}

// replay learns the rounds that are over. A round is learned when the next plan is found, which states which messages
// count. The last round is also learned without a next plan, if all its messages are present. done is the plan that ends
// the run, or nil. After an error, rounds has the rounds before it.
func (w *agent) replay(ctx context.Context) (done *PlanBody, rounds []RoundCounts, err error) {
	defer try.Caught(&err)
	w.replica.learned = func(b engine.Batch) {
		rounds = append(rounds, RoundCounts{w.replica.plan.Round, b.Counts, b.Means, b.Squares})
	}
	for r := 1; ; r++ {
		f, planned := try.Two(w.Facts.Find(ctx, w.Run, r, namePlan))
		// there is no reader: fetch the messages that closed and missing look up
		if r > 1 {
			try.To(w.find(ctx, r-1))
		}
		switch {
		case planned:
			w.history.add(f)
			if p := try.Of(w.next(ctx, f)); p.Done {
				return &p, rounds, nil
			}
		// all agents have published, and so all messages count
		case r > 1 && len(w.missing(r-1)) == 0:
			return nil, rounds, w.replica.learn(ctx, w.messages(r-1, nil), nil)
		default:
			return nil, rounds, nil
		}
	}
}

// next learns the round before a plan, which states the messages that count, and adopts the plan.
func (w *agent) next(ctx context.Context, f Fact) (p PlanBody, err error) {
	defer try.Caught(&err)
	if f.Round > 1 {
		messages, absent := try.Two(w.closed(ctx, f.Round-1, f))
		try.To(w.replica.learn(ctx, messages, absent))
	}
	// like an agent, it refuses a plan with a late message that its agent did not publish
	p = try.Of(w.read(ctx, f))
	// adopt compares the plan with this replica's own plan
	return p, w.adopt(ctx, p, len(f.Body))
}

// find fetches the messages of round r that are not in the history, with one request for each agent.
func (w *agent) find(ctx context.Context, r int) error {
	for v := range w.opened.Tasks {
		if _, known := w.history.get(r, AgentName(v)); known {
			continue
		}
		f, ok, err := w.Facts.Find(ctx, w.Run, r, AgentName(v))
		if err != nil {
			return err
		}
		if ok {
			w.history.add(f)
		}
	}
	return nil
}

// Status is the progress of a run, from the published facts alone: neither the problem nor the script is needed. Check
// finds further faults, such as an end that no replica reaches.
type Status struct {
	Run       string           `json:"run"`  // name of the run
	Mode      string           `json:"mode"` // from RunBody, like Algorithm, Settings, Relay and Build
	Algorithm string           `json:"algorithm"`
	Settings  []engine.Setting `json:"settings"`
	Status    engine.Status    `json:"status"` // interrupted while the run continues; otherwise the status in the end's plan
	// why the run cannot continue, found by Check; "" if it can
	Refused   string          `json:"refused,omitempty"`
	Unchecked string          `json:"unchecked,omitempty"` // why Check could not be completed; "" otherwise
	Stopped   *StopBody       `json:"stopped,omitempty"`   // who stopped the run and why; nil if it was not stopped
	Round     int             `json:"round"`               // the open round, or the last one, from 1; 0 before the first plan
	Rounds    int             `json:"rounds"`              // number of rounds that are over
	Open      bool            `json:"open"`                // a round waits for messages
	Relay     bool            `json:"relay"`               // one agent passes on the messages of a round
	Agents    []AgentStatus   `json:"agents"`              // in agent order
	Traffic   Traffic         `json:"traffic"`             // of all rounds, including the open one
	Answers   []engine.Answer `json:"answers,omitempty"`   // answers in the end's plan, which Check confirms; nil before
	Build     Build           `json:"build"`               // build of the program that opened the run
}

// AgentStatus is the progress of an agent.
type AgentStatus struct {
	Agent  int    `json:"agent"`           // from 1, as in its name
	Task   string `json:"task"`            // the agent's task
	Joined bool   `json:"joined"`          // it has joined, also if its join is refused
	Host   string `json:"host,omitempty"`  // name of its machine, as it stated
	Build  string `json:"build,omitempty"` // build of the program that joined first, in words
	// why the agent cannot take part, if another program made its join; "" if it can
	Refused string `json:"refused,omitempty"`
	Silent  bool   `json:"silent"` // the open round waits for it
	Absent  int    `json:"absent"` // number of rounds that continued without it
}

// StatusOf returns the progress of a run. It makes one request for each fact: V + 1 for each round. The error wraps
// ErrNoRun if the run was not opened.
func StatusOf(ctx context.Context, x Facts, run string) (Status, error) {
	b, err := Opened(ctx, x, run)
	if err != nil {
		return Status{}, err
	}
	s := Status{Run: run, Mode: b.Mode, Algorithm: b.Algorithm, Settings: b.Settings, Status: engine.StatusInterrupted,
		Relay: b.Relay, Build: b.Build}
	for v, task := range b.Tasks {
		a := AgentStatus{Agent: v + 1, Task: task}
		// the agent's join
		f, ok, err := x.Find(ctx, run, 0, AgentName(v))
		if err != nil {
			return s, err
		}
		var j JoinBody
		if ok {
			// of an unreadable join, only its existence is shown
			if err = decode(f, &j); err == nil {
				err = j.check(run, b, v)
			}
			if a.Joined, a.Host, a.Build = true, j.Host, j.Build.String(); err != nil {
				a.Refused = err.Error()
			}
		}
		s.Agents = append(s.Agents, a)
	}
	// the stop is shown whatever the rounds contain
	if f, ok, err := x.Find(ctx, run, 0, nameStop); err != nil {
		return s, err
	} else if ok {
		s.Stopped = readStop(f)
	}
	return s, s.rounds(ctx, x, b)
}

// Check replays the run like an agent, without pulling. If the replay does not reach the recorded end, Status becomes
// interrupted and Answers nil. It returns only ctx.Err(); other failures are stored in the status.
func (s *Status) Check(ctx context.Context, x Facts, make Maker) error {
	out, _, _, err := Replay(ctx, x, s.Run, make)
	switch {
	// an interruption is not a property of the run
	case ctx.Err() != nil:
		return ctx.Err()
	case refused(err):
		// no program can continue the run
		s.Refused = err.Error()
	case err != nil:
		// the script or a file is missing here, or the exchange does not answer: the end is not confirmed
		s.Unchecked = err.Error()
	default:
		// at the end, the replica's answers equal the author's
		if s.Status = out.Status; s.Status != engine.StatusInterrupted {
			s.Answers = out.Answers
		}
		return nil
	}
	// the recorded end does not count unless confirmed
	s.Status, s.Answers = engine.StatusInterrupted, nil
	return nil
}

// rounds adds the progress of each round to the status, from the plans. It stops at the first round without a plan, and at
// a plan that cannot be followed.
func (s *Status) rounds(ctx context.Context, x Facts, b RunBody) error {
	for r := 1; ; r++ {
		f, ok, err := x.Find(ctx, s.Run, r, namePlan)
		if err != nil || !ok {
			return err
		}
		p, err := readPlan(f, b)
		if err != nil {
			s.Refused = err.Error()
			return nil
		}
		// the previous round is over, because this one is planned
		s.Rounds, s.Open = r-1, false
		for v := range s.Agents {
			s.Agents[v].Silent = false
		}
		// readPlan has checked the numbers
		for _, a := range p.Absent {
			s.Agents[a.Agent].Absent++
		}
		s.Traffic.Plans++
		s.Traffic.PlanBytes += int64(len(f.Body))
		// the end has no messages
		if p.Done {
			s.Status, s.Answers = p.Status, p.Answers
			return nil
		}
		s.Round = r
		for v := range b.Tasks {
			f, ok, err := x.Find(ctx, s.Run, r, AgentName(v))
			if err != nil {
				return err
			}
			// the round is open while a message is missing
			s.Agents[v].Silent, s.Open = !ok, s.Open || !ok
			if ok {
				s.Traffic.Messages++
				s.Traffic.Bytes += int64(len(f.Body))
			}
		}
		// all agents have published: the round is over, although the next one is not planned
		if !s.Open {
			s.Rounds = r
		}
	}
}

// String returns a sentence with the number of agents that the open round waits for. If the run is over or cannot continue,
// it returns the reason.
func (s Status) String() string {
	silent := lists.Count(s.Agents, func(a AgentStatus) bool { return a.Silent })
	switch {
	case s.Refused != "":
		return s.Refused
	case s.Status != engine.StatusInterrupted:
		return fmt.Sprintf("done after %s: %s", sentence.Count(s.Rounds, "round"), s.Status)
	case s.Stopped != nil:
		return s.Stopped.String()
	case s.Round == 0:
		return "open: no agent has planned the first round yet"
	case s.Open:
		return fmt.Sprintf("round %d waits for %d of %s", s.Round, silent, sentence.Count(len(s.Agents), "agent"))
	}
	return fmt.Sprintf("round %d is over, and the next is not planned yet", s.Round)
}
