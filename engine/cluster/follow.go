package cluster

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Follower follows a run from its first round to its end without taking part: it has no task, makes no pulls and publishes
// nothing. It learns the messages that the plans declare valid, and so can end and restart at any moment. It learns a
// round when the next plan is published.
type Follower struct {
	Facts Facts  // the exchange of the run
	Run   string // name of the run
	Make  Maker  // makes the question from the recipe of the run

	// time without progress after which the missing agents are named in a notice; 0 for never. The follower continues to
	// wait in any case.
	Patience time.Duration
	Notice   func(Notice) // may be nil; called by the goroutine of Follow, never concurrently
	// Heard receives the number of agents that have published in the open round; with a relay, it is known only when the
	// round is over. Heard may be nil. round is 0 before the first plan.
	Heard func(round, spoken, agents int)
	// Learned receives the replica's steps after each round; may be nil
	Learned func(s *engine.Steps)
}

// Follow follows until the run is done or stopped, or the context ends. Finished describes the run so far, also together
// with an error. A stopped run is not an error. The errors are those of Agent.Take, without those of folder and puller.
// Follow writes nothing.
func (f Follower) Follow(ctx context.Context) (Finished, error) {
	// an agent without task, folder and puller, of which only the reading parts are used
	w := newAgent(Agent{Facts: f.Facts, Run: f.Run, Make: f.Make, Patience: f.Patience, Notice: f.Notice})
	if err := w.load(ctx); err != nil {
		return Finished{}, err
	}
	if f.Learned != nil {
		w.replica.learned = func(engine.Batch) { f.Learned(w.replica.asked.Steps) }
	}
	return w.drive(ctx, func(ctx context.Context) (bool, error) { return f.round(ctx, w) })
}

// round waits for the next plan, learns the round before it, and adopts the plan. over is true if the plan ends the run.
func (f Follower) round(ctx context.Context, w *agent) (over bool, err error) {
	defer try.Caught(&err)
	// number of adopted plans, including that of the open round, plus 1
	r := len(w.replica.plans) + 1
	p := try.Of(w.next(ctx, try.Of(f.plan(ctx, w, r))))
	if p.Done {
		w.done = p
		return true, nil
	}
	w.say(Notice{Kind: NoticePlan, Round: r, Pulls: w.replica.plan.Pulls(),
		Text: fmt.Sprintf("round %d: %s of all agents (plan of %s)", r, pulls(w.replica.plan.Pulls()), AgentName(p.Author))})
	return false, nil
}

// plan returns the plan of round r. It calls Heard at every new fact. Each time Patience is over, it names the missing
// agents and continues to wait.
func (f Follower) plan(ctx context.Context, w *agent, r int) (Fact, error) {
	for {
		fact, ok, err := w.someone(ctx, r, w.Patience, func() {
			if f.Heard != nil {
				f.Heard(r-1, lists.Count(w.messages(r-1, nil), func(m []byte) bool { return m != nil }), len(w.opened.Tasks))
			}
		})
		if ok || err != nil { // the plan was published, or cannot be
			return fact, err
		}
		if err := w.standstill(ctx, r-1); err != nil {
			return Fact{}, err
		}
	}
}

// standstill gives a notice that names the agents for which the run waits. r is the open round, 0 before the first plan.
// It fetches messages from the exchange, because with a relay the readers deliver only plans.
func (w *agent) standstill(ctx context.Context, r int) error {
	for _, round := range []int{0, r} { // with a relay, messages are delivered only with the next plan
		if err := w.find(ctx, round); err != nil {
			return err
		}
	}
	// joins are facts of round 0
	joined := func(v int) bool { _, ok := w.history.get(0, AgentName(v)); return ok }
	if r == 0 {
		w.absentees(joined)
		return nil
	}
	// an agent without a message may never have joined
	absent := w.missing(r)
	for i, a := range absent {
		if !joined(a.Agent) {
			absent[i] = Absence{Agent: a.Agent, Why: ReasonNotJoined}
		}
	}
	if len(absent) > 0 {
		w.name(r, absent)
		return nil
	}
	// given once for each round
	w.once(Notice{Kind: NoticeSilent, Round: r, Text: fmt.Sprintf("all agents have sent round %d, but none of them plans the next. "+
		"They may have ended", r)})
	return nil
}

// absentees gives a notice with the agents that have not joined, before the first plan. The text names at most twelve;
// Tasks has all.
func (w *agent) absentees(joined func(v int) bool) {
	const most = 12
	var tasks, words []string
	for v, task := range w.opened.Tasks {
		if !joined(v) {
			tasks = append(tasks, task)
			words = append(words, fmt.Sprintf("%s (task %q)", AgentName(v), task))
		}
	}
	text := fmt.Sprintf("run %s waits for agents that have not joined: %s", w.Run, sentence.List(words, most))
	if len(words) == 0 {
		text = fmt.Sprintf("run %s: all agents have joined, but none of them plans the first round. They may have ended", w.Run)
	}
	w.once(Notice{Kind: NoticeSilent, Tasks: tasks, Text: text})
}

// history holds the facts of a run that were read so far, by address. Their order and repetitions do not matter. Readers
// add facts, and so do callers that published or found a fact. Facts are permanent, and so nothing is changed or removed.
// It is safe for concurrent use.
type history struct {
	mu      sync.Mutex     // guards all fields
	facts   map[inRun]Fact // by round and name
	changed chan struct{}  // closed and replaced when a fact or an error is added
	err     error          // final error of the reader; nil while readers continue
}

// inRun is the address of a fact within its run.
type inRun struct {
	round int    // 0 for facts of the whole run
	name  string // as Fact.Name
}

func newHistory() *history { return &history{facts: map[inRun]Fact{}, changed: make(chan struct{})} }

// add stores a fact, unless its address is already known: a second fact at an address is the same fact from another
// reader.
func (h *history) add(f Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.facts[inRun{f.Round, f.Name}]; !known {
		h.facts[inRun{f.Round, f.Name}] = f
		h.wake()
	}
}

// wake ends all waits for a change. The caller holds mu.
func (h *history) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// get returns the fact at an address, and whether it was read.
func (h *history) get(round int, name string) (Fact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.facts[inRun{round, name}]
	return f, ok
}

// wait calls ready after every change, and returns true as soon as ready returns true. It returns false when limit is
// over; 0 means no limit. The error comes from the context or the readers; a true ready has priority over both. wait calls
// ready without the lock, so that ready may call get.
func (h *history) wait(ctx context.Context, limit time.Duration, ready func() bool) (bool, error) {
	// a nil channel never fires, and so means no limit
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	for {
		// the channel is read before ready is called: a change in between closes it, and is not missed
		h.mu.Lock()
		changed, err := h.changed, h.err
		h.mu.Unlock()
		if ready() {
			return true, nil
		}
		// no reader adds facts any more
		if err != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-over:
			return false, nil
		case <-changed:
		}
	}
}

// take adds facts from a reader until its context ends or it fails. Its error then ends all waits. It runs in its own
// goroutine.
func (h *history) take(ctx context.Context, facts iter.Seq2[Fact, error]) {
	for f, err := range facts {
		if err != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			// an error after the end of the context is only its consequence
			if h.err == nil && ctx.Err() == nil {
				h.err = err
				h.wake()
			}
			return
		}
		h.add(f)
	}
}
