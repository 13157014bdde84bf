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
)

// Follower follows a run from its first round to its end, without taking part: it has no task, makes
// no pull and publishes nothing. It learns what the plans state that counts, so that it can be ended and
// begun at any moment. A round shows once the plan of the next one is there.
type Follower struct {
	Facts Facts  // where the facts of the run are kept
	Run   string // its name
	Make  Maker  // makes the question from the recipe of the run

	// how long the run may make no progress before the agents it waits for are named; 0 means that none is. A
	// follower waits for ever in any case.
	Patience time.Duration
	Notice   func(Notice) // may be nil; never called concurrently; of the goroutine that follows
	// Heard receives the number of agents that have published in the open round, also when that is not known before its end, as through a
	// relay; may be nil. Round is 0 before the first plan.
	Heard func(round, spoken, agents int)
	// Learned receives the steps of the replica after each round; may be nil
	Learned func(s *engine.Steps)
}

// Follow follows until the run is done or stopped, or the context ends. Finished is set as far as the run came, also together with an
// error. A stopped run is not an error. The errors are those of Agent.Take; nothing is written anywhere.
func (f Follower) Follow(ctx context.Context) (Finished, error) {
	// an agent without a task, a folder and a puller: only its parts that read are used
	w := newAgent(Agent{Facts: f.Facts, Run: f.Run, Make: f.Make, Patience: f.Patience, Notice: f.Notice})
	if err := w.load(ctx); err != nil {
		return Finished{}, err
	}
	return w.drive(ctx, func(ctx context.Context) (bool, error) { return f.round(ctx, w) })
}

// round waits for the plan of the next round, learns the round before it, and takes the plan. The plan of a round states what
// counts of the round before, which is why the round is learned no earlier.
func (f Follower) round(ctx context.Context, w *agent) (over bool, err error) {
	// plans that were taken, the one of the open round included
	r := len(w.replica.plans) + 1
	fact, err := f.plan(ctx, w, r)
	if err != nil {
		return false, err
	}
	// as an agent does: a plan with a late message that its agent did not send is refused
	p, err := w.read(ctx, fact)
	if err != nil {
		return false, err
	}
	if r > 1 {
		messages, absent, err := w.closed(ctx, r-1, fact)
		if err == nil {
			err = w.replica.learn(ctx, messages, absent)
		}
		if err != nil {
			return false, err
		}
		if f.Learned != nil {
			f.Learned(w.replica.asked.Steps)
		}
	}
	// adopt compares the plan with what this replica would plan
	if err := w.adopt(ctx, p, len(fact.Body)); err != nil {
		return false, err
	}
	if p.Done {
		w.done = p
		return true, nil
	}
	w.say(Notice{Kind: NoticePlan, Round: r, Pulls: w.replica.plan.Pulls(),
		Text: fmt.Sprintf("round %d: %s of all agents (plan of %s)", r, pulls(w.replica.plan.Pulls()), AgentName(p.Author))})
	return false, nil
}

// plan waits for the plan of a round, and names those for whom it waits. Heard is called at every change. After the patience of silence the
// missing ones are named, and it waits on.
func (f Follower) plan(ctx context.Context, w *agent, r int) (Fact, error) {
	for {
		fact, ok, err := w.someone(ctx, r, w.Patience, func() {
			if f.Heard != nil {
				f.Heard(r-1, lists.Count(w.messages(r-1, nil), func(m []byte) bool { return m != nil }), len(w.opened.Tasks))
			}
		})
		if ok || err != nil { // the plan is there, or it will not come
			return fact, err
		}
		if err := w.standstill(ctx, r-1); err != nil {
			return Fact{}, err
		}
	}
}

// standstill names those for whom the run waits; r is the round that is open, 0 before the first. It looks for messages at the
// exchange itself: the readers have only plans if there is a relay.
func (w *agent) standstill(ctx context.Context, r int) error {
	for _, round := range []int{0, r} { // through a relay, which sends no messages before the next plan
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
	// who is missing by its messages may have never been there at all
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
	// said once for each round
	w.once(Notice{Kind: NoticeSilent, Round: r, Text: fmt.Sprintf("all agents have sent round %d, but none of them plans the next. "+
		"They may have ended", r)})
	return nil
}

// absentees names the agents that have not joined, before the first plan. At most twelve are named in the text; Tasks has all.
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

// history holds the facts of a run that were read so far, by their addresses. The order in which they came does not count, nor how often.
// Readers fill it, and so do callers that published or found a fact. It is safe for concurrent use. Facts are permanent, so nothing in it
// changes or disappears.
type history struct {
	mu      sync.Mutex     // guards all fields
	facts   map[inRun]Fact // by round and name
	changed chan struct{}  // closed when something is added; and replaced then
	err     error          // error of the reader; final; nil while the readers continue
}

// inRun is the address of a fact within its run.
type inRun struct {
	round int    // 0 of facts of the run as a whole
	name  string // as Fact.Name
}

func newHistory() *history { return &history{facts: map[inRun]Fact{}, changed: make(chan struct{})} }

// add takes a fact in; the first of an address counts. Another one of the same address can only be the same fact, from another reader.
func (h *history) add(f Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.facts[inRun{f.Round, f.Name}]; !known {
		h.facts[inRun{f.Round, f.Name}] = f
		h.wake()
	}
}

// wake ends all waits for a change; it needs the lock.
func (h *history) wake() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// get returns the fact of an address, and whether it was read so far.
func (h *history) get(round int, name string) (Fact, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.facts[inRun{round, name}]
	return f, ok
}

// wait returns true once ready, which is asked after every change, does; and false when the time is over first. A limit of 0 means no
// limit. An error is the one of the context or of the readers; a fact that is there counts before both. Ready is called without the lock,
// so that it may call get.
func (h *history) wait(ctx context.Context, limit time.Duration, ready func() bool) (bool, error) {
	// a timer that never fires represents no limit
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	for {
		// the channel is taken before ready is asked: a change in between closes it, and is not missed
		h.mu.Lock()
		changed, err := h.changed, h.err
		h.mu.Unlock()
		if ready() {
			return true, nil
		}
		// no reader adds anything any more
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

// take takes in facts until there are no more. It ends with the context of the reader, or with its error, which then represents
// all that wait. It runs in a goroutine of its own.
func (h *history) take(ctx context.Context, facts iter.Seq2[Fact, error]) {
	for f, err := range facts {
		if err != nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			// an error after the end of the context says only that
			if h.err == nil && ctx.Err() == nil {
				h.err = err
				h.wake()
			}
			return
		}
		h.add(f)
	}
}
