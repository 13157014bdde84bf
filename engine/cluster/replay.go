package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// RoundCounts holds the counts and means that the agents published of one round. Arms without pulls have mean 0. Replay returns one for
// each round that is over.
type RoundCounts struct {
	Round   int       // from 1
	Counts  []int     // N pulls in arm order; 0 if the agent's message does not count
	Means   []float64 // reward units, in the sign of the data; of this round alone; 0 without pulls
	Squares []float64 // nil if the plan did not ask for them
}

// Replay replays the present facts of a run, without taking part, and returns what became of it and what the agents published in each round
// that is over; also together with a *PlanError or *MessageError, before which they end. It waits for nothing. With an error it also
// returns the parts of the question that were made.
func Replay(ctx context.Context, x Facts, run string, make Maker) (Finished, []RoundCounts, question.Question, error) {
	// an agent that neither reads in the background nor pulls
	w := newAgent(Agent{Facts: x, Run: run, Make: make})
	if err := w.load(ctx); err != nil {
		return Finished{}, nil, w.question, err
	}
	done, rounds, err := w.replay(ctx)
	// an error of the outcome matters beside the one that ended the folding, so both are returned
	out, failed := w.replica.finished(done, err)
	// a stop counts where the run did not come to its end before
	if f, ok, found := x.Find(ctx, run, 0, nameStop); found == nil && ok && done == nil {
		out.Stopped = readStop(f)
	}
	return out, rounds, w.question, errors.Join(err, failed)
}

// refused reports whether an error is a plan or a message that no replica takes. Such an error is the same for everybody; other
// errors are of the exchange, the context or this program.
func refused(err error) bool {
	return errors.As(err, new(*PlanError)) || errors.As(err, new(*MessageError))
}

// replay takes in the rounds that are over; done is nil if more may come. Each round is learned when the plan after it is
// looked for, as its plan states what counts. The last round is also learned without a plan after it, where all its messages are
// there. The error ends the folding; rounds are those before.
func (w *agent) replay(ctx context.Context) (done *PlanBody, rounds []RoundCounts, err error) {
	for r := 1; ; r++ {
		f, planned, err := w.Facts.Find(ctx, w.Run, r, namePlan)
		if planned {
			w.history.add(f)
		}
		if err == nil && r > 1 {
			// nil if the round is open, or cannot be learned
			var counts *RoundCounts
			if counts, err = w.retold(ctx, r-1, f, planned); counts != nil {
				rounds = append(rounds, *counts)
			}
		}
		if err != nil || !planned {
			return nil, rounds, err
		}
		// the plan is taken only after the round before was learned, as agents do
		p, err := w.read(ctx, f)
		if err == nil {
			err = w.replica.adopt(ctx, p, len(f.Body))
		}
		if err != nil {
			return nil, rounds, err
		}
		if p.Done {
			return &p, rounds, nil
		}
	}
}

// retold feeds round r, the next round of the replica, to it if all its messages are there or the next plan closed it. It returns the
// recorded counts, or nil if agents may still answer.
func (w *agent) retold(ctx context.Context, r int, next Fact, planned bool) (*RoundCounts, error) {
	// a reader is missing here: what closed and missing look up is fetched before
	err := w.find(ctx, r)
	var messages [][]byte
	var absent []Absence
	switch {
	case err != nil:
	case planned:
		messages, absent, err = w.closed(ctx, r, next)
	// not all have spoken, and no plan states that they need not
	case len(w.missing(r)) > 0:
		return nil, nil
	default:
		// all have spoken, and the next plan will state so
		messages = w.messages(r, nil)
	}
	if err != nil {
		return nil, err
	}
	// the batch is read twice, since learn does not give it away
	batch, err := w.replica.batch(messages, agents(absent))
	if err == nil {
		err = w.replica.learn(ctx, messages, absent)
	}
	if err != nil {
		return nil, err
	}
	return &RoundCounts{r, batch.Counts, batch.Means, batch.Squares}, nil
}

// find takes in the messages of a round that are there and were not. It asks for each message alone, and costs a question
// for every agent that was not heard.
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

// Status says how far a run is, from its facts alone: it makes no problem and reads no script. A program without the script can ask for it.
// Check finds the other faults, such as an end that no replica reaches.
type Status struct {
	Run       string           `json:"run"`  // the name of the run
	Mode      string           `json:"mode"` // as RunBody has it; so are Algorithm, Settings, Relay and Build
	Algorithm string           `json:"algorithm"`
	Settings  []engine.Setting `json:"settings"`
	Status    engine.Status    `json:"status"` // interrupted while it continues; else what the author of the end says
	// why it cannot continue, which Check finds; "" if nothing was found
	Refused   string          `json:"refused,omitempty"`
	Unchecked string          `json:"unchecked,omitempty"` // why Check could not find that
	Stopped   *StopBody       `json:"stopped,omitempty"`   // by whom and why; nil of a run that was not
	Round     int             `json:"round"`               // that is open, or the last; from 1; 0 before the first plan
	Rounds    int             `json:"rounds"`              // that are over
	Open      bool            `json:"open"`                // whether a round waits for messages
	Relay     bool            `json:"relay"`               // whether one agent sends the messages of a round on
	Agents    []AgentStatus   `json:"agents"`              // in the order of their numbers
	Traffic   Traffic         `json:"traffic"`             // of all rounds, the open one included
	Answers   []engine.Answer `json:"answers,omitempty"`   // as the end has them, which Check confirms; nil before
	Build     Build           `json:"build"`               // build of the program that opened the run
}

// AgentStatus states how far an agent is.
type AgentStatus struct {
	Agent  int    `json:"agent"`           // from 1, as in its name
	Task   string `json:"task"`            // its task
	Joined bool   `json:"joined"`          // whether it has joined; also with a join that is refused
	Host   string `json:"host,omitempty"`  // the name of its machine, as it says
	Build  string `json:"build,omitempty"` // in words, of the program that joined first
	// why it cannot take part, of a join that was not made by this program; "" if it can
	Refused string `json:"refused,omitempty"`
	Silent  bool   `json:"silent"` // whether the open round waits for it
	Absent  int    `json:"absent"` // rounds that continued without it
}

// StatusOf returns how far a run is. It asks for each fact alone: V + 1 questions per round. A run that was not opened is an ErrNoRun.
func StatusOf(ctx context.Context, x Facts, run string) (Status, error) {
	b, err := Opened(ctx, x, run)
	if err != nil {
		return Status{}, err
	}
	s := Status{Run: run, Mode: b.Mode, Algorithm: b.Algorithm, Settings: b.Settings, Status: engine.StatusInterrupted,
		Relay: b.Relay, Build: b.Build}
	for v, task := range b.Tasks {
		a := AgentStatus{Agent: v + 1, Task: task}
		// joins
		f, ok, err := x.Find(ctx, run, 0, AgentName(v))
		if err != nil {
			return s, err
		}
		var j JoinBody
		if ok {
			// a join that cannot be read has nothing to show but that it is there
			if err = decode(f, &j); err == nil {
				err = j.check(run, b, v)
			}
			if a.Joined, a.Host, a.Build = true, j.Host, j.Build.String(); err != nil {
				a.Refused = err.Error()
			}
		}
		s.Agents = append(s.Agents, a)
	}
	// the stop is shown beside whatever the rounds say
	if f, ok, err := x.Find(ctx, run, 0, nameStop); err != nil {
		return s, err
	} else if ok {
		s.Stopped = readStop(f)
	}
	return s, s.rounds(ctx, x, b)
}

// Check replays the run as an agent would, without pulling. If the replay does not reach the recorded end, Status becomes interrupted and
// Answers nil. The error is ctx.Err(); other failures are part of the status.
func (s *Status) Check(ctx context.Context, x Facts, make Maker) error {
	out, _, _, err := Replay(ctx, x, s.Run, make)
	switch {
	// an interrupt says nothing about the run
	case ctx.Err() != nil:
		return ctx.Err()
	case refused(err):
		// no program can continue with the run
		s.Refused = err.Error()
	case err != nil:
		// the script or a file cannot be had here, or the exchange does not answer: the end is not confirmed
		s.Unchecked = err.Error()
	default:
		// the answers of the replicas replace the author's, to which they are equal if the run is done
		if s.Status = out.Status; s.Status != engine.StatusInterrupted {
			s.Answers = out.Answers
		}
		return nil
	}
	// what the author of the end says does not count without the check
	s.Status, s.Answers = engine.StatusInterrupted, nil
	return nil
}

// rounds looks at the rounds, one after the other. It uses the plans alone, and stops at the first round without one. A plan
// that cannot be followed ends the run.
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
		// the round before is over, since this one is planned
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
			// the round is open as long as one message is missing
			s.Agents[v].Silent, s.Open = !ok, s.Open || !ok
			if ok {
				s.Traffic.Messages++
				s.Traffic.Bytes += int64(len(f.Body))
			}
		}
		// all have spoken: the round is over though the next one is not planned
		if !s.Open {
			s.Rounds = r
		}
	}
}

// String returns the number of agents that the open round waits for, in words. If the run is over or cannot continue, it says why.
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
