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

// RoundCounts holds the counts and means that the agents told of one round.
type RoundCounts struct {
	Round   int
	Counts  []int
	Means   []float64 // reward units, in the sign of the data
	Squares []float64 // nil where the plan did not ask for them
}

// Replay folds the facts of a run as they are now, without taking part, and returns what became of it
// and what the agents told in each round that is over; also together with a *PlanError or *MessageError,
// before which they end.
func Replay(ctx context.Context, x Facts, run string, make Maker) (Finished, []RoundCounts, question.Question, error) {
	w := newAgent(Agent{Facts: x, Run: run, Make: make})
	if err := w.load(ctx); err != nil {
		return Finished{}, nil, w.question, err
	}
	done, rounds, err := w.replay(ctx)
	out, failed := w.replica.finished(done, err)
	if f, ok, found := x.Find(ctx, run, 0, nameStop); found == nil && ok && done == nil {
		out.Stopped = readStop(f)
	}
	return out, rounds, w.question, errors.Join(err, failed)
}

// refused reports whether an error is a plan or a message that no replica takes.
func refused(err error) bool {
	return errors.As(err, new(*PlanError)) || errors.As(err, new(*MessageError))
}

// replay takes in the rounds that are over; done is nil where more may come.
func (w *agent) replay(ctx context.Context) (done *PlanBody, rounds []RoundCounts, err error) {
	for r := 1; ; r++ {
		f, planned, err := w.Facts.Find(ctx, w.Run, r, namePlan)
		if planned {
			w.history.add(f)
		}
		if err == nil && r > 1 {
			var counts *RoundCounts
			if counts, err = w.retold(ctx, r-1, f, planned); counts != nil {
				rounds = append(rounds, *counts)
			}
		}
		if err != nil || !planned {
			return nil, rounds, err
		}
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

// retold learns a round that is over, by the next plan where it is there, and returns what was told; nil of a round that
// is open.
func (w *agent) retold(ctx context.Context, r int, next Fact, planned bool) (*RoundCounts, error) {
	err := w.find(ctx, r)
	var messages [][]byte
	var absent []Absence
	switch {
	case err != nil:
	case planned:
		messages, absent, err = w.closed(ctx, r, next)
	case len(w.missing(r)) > 0:
		return nil, nil
	default:
		messages = w.messages(r, nil)
	}
	if err != nil {
		return nil, err
	}
	batch, err := w.replica.batch(messages, agents(absent))
	if err == nil {
		err = w.replica.learn(ctx, messages, absent)
	}
	if err != nil {
		return nil, err
	}
	return &RoundCounts{r, batch.Counts, batch.Means, batch.Squares}, nil
}

// find takes in the messages of a round that are there and were not.
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

// Status says how far a run is, from its facts alone: it makes no problem and reads no script.
type Status struct {
	Run       string           `json:"run"`
	Mode      string           `json:"mode"`
	Algorithm string           `json:"algorithm"`
	Settings  []engine.Setting `json:"settings"`
	Status    engine.Status    `json:"status"`              // interrupted while it goes on; else what the author of the end says
	Refused   string           `json:"refused,omitempty"`   // why it cannot go on, which Check finds
	Unchecked string           `json:"unchecked,omitempty"` // why Check could not find that
	Stopped   *StopBody        `json:"stopped,omitempty"`   // by whom and why; nil of a run that was not
	Round     int              `json:"round"`               // that is open, or the last
	Rounds    int              `json:"rounds"`              // that are over
	Open      bool             `json:"open"`                // whether a round waits for messages
	Relay     bool             `json:"relay"`
	Agents    []AgentStatus    `json:"agents"`
	Traffic   Traffic          `json:"traffic"` // of all rounds, the open one included
	Answers   []engine.Answer  `json:"answers,omitempty"`
	Build     Build            `json:"build"`
}

// AgentStatus says how far an agent is.
type AgentStatus struct {
	Agent  int    `json:"agent"` // from 1, as in its name
	Task   string `json:"task"`
	Joined bool   `json:"joined"`
	Host   string `json:"host,omitempty"`
	Build  string `json:"build,omitempty"`
	// why it cannot take part, of a join that was not made by this program; "" where it can
	Refused string `json:"refused,omitempty"`
	Silent  bool   `json:"silent"` // whether the open round waits for it
	Absent  int    `json:"absent"` // rounds that went on without it
}

// StatusOf returns how far a run is.
func StatusOf(ctx context.Context, x Facts, run string) (Status, error) {
	b, err := Opened(ctx, x, run)
	if err != nil {
		return Status{}, err
	}
	s := Status{Run: run, Mode: b.Mode, Algorithm: b.Algorithm, Settings: b.Settings, Status: engine.StatusInterrupted,
		Relay: b.Relay, Build: b.Build}
	for v, task := range b.Tasks {
		a := AgentStatus{Agent: v + 1, Task: task}
		f, ok, err := x.Find(ctx, run, 0, AgentName(v))
		if err != nil {
			return s, err
		}
		var j JoinBody
		if ok {
			if err = decode(f, &j); err == nil {
				err = j.check(run, b, v)
			}
			if a.Joined, a.Host, a.Build = true, j.Host, j.Build.String(); err != nil {
				a.Refused = err.Error()
			}
		}
		s.Agents = append(s.Agents, a)
	}
	if f, ok, err := x.Find(ctx, run, 0, nameStop); err != nil {
		return s, err
	} else if ok {
		s.Stopped = readStop(f)
	}
	return s, s.rounds(ctx, x, b)
}

// Check folds the run as its agents do, and takes back an end that they do not come to.
func (s *Status) Check(ctx context.Context, x Facts, make Maker) error {
	out, _, _, err := Replay(ctx, x, s.Run, make)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused(err):
		s.Refused = err.Error()
	case err != nil:
		s.Unchecked = err.Error()
	default:
		if s.Status = out.Status; s.Status != engine.StatusInterrupted {
			s.Answers = out.Answers
		}
		return nil
	}
	s.Status, s.Answers = engine.StatusInterrupted, nil
	return nil
}

// rounds looks at the rounds, one after the other.
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
		s.Rounds, s.Open = r-1, false
		for v := range s.Agents {
			s.Agents[v].Silent = false
		}
		for _, a := range p.Absent {
			s.Agents[a.Agent].Absent++
		}
		s.Traffic.Plans++
		s.Traffic.PlanBytes += int64(len(f.Body))
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
			s.Agents[v].Silent, s.Open = !ok, s.Open || !ok
			if ok {
				s.Traffic.Messages++
				s.Traffic.Bytes += int64(len(f.Body))
			}
		}
		if !s.Open {
			s.Rounds = r
		}
	}
}

// String returns the number of agents that the open round waits for, in words.
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
