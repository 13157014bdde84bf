package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// listen begins to read: all facts, or plans and the stop alone. Reading all after plans alone starts a second reader; the first
// one continues, and the history takes each fact once. A second call that asks for all changes nothing.
func (w *agent) listen(all bool) {
	var names []string
	if !all {
		names = []string{namePlan, nameStop} // through a relay, as long as this agent does not take its place
	}
	if !w.reads {
		w.reads = all // set once; nothing is read by names alone after that
		go w.history.take(w.follow, w.Facts.Read(w.follow, w.Run, names...))
	}
}

// await returns the messages of the open round that count, in agent order, nil of absent agents. It
// waits until all have spoken, or the next plan says which do. The second value has the agents whose messages do not count,
// which is what the next plan of this agent would say. An error is errStopped, or the one of the readers.
func (w *agent) await(ctx context.Context) ([][]byte, []Absence, error) {
	r := w.replica.plan.Round
	// the author of the plan is the relay of its round
	author := 0
	if f, ok := w.history.get(r, namePlan); ok {
		if p, err := readPlan(f, w.opened); err == nil {
			author = p.Author
		}
	}
	if author == w.v {
		// the author needs all messages, to send them on in its next plan
		w.listen(true)
	}
	// waited counts the patience over several waits: they end for other reasons, too
	for waited := time.Duration(0); ; {
		limit := w.limit(r, author)
		since := time.Now()
		ok, err := w.history.wait(ctx, limit, func() bool {
			// over when the next plan is there, which states what counts; when the run was stopped; or when all agents have published
			_, next := w.history.get(r+1, namePlan)
			return next || w.stopped() != nil || w.reads && len(w.missing(r)) == 0
		})
		if err != nil {
			return nil, nil, err
		}
		// the plan goes before everything else: whatever this agent has heard, the plan says which messages count
		if f, next := w.history.get(r+1, namePlan); next {
			return w.closed(ctx, r, f)
		}
		if err := w.stopped(); err != nil {
			return nil, nil, err
		}
		if ok {
			return w.messages(r, nil), nil, nil
		}
		// only the limit is over; without a reader of all facts it was not the patience but the wait for a relay
		if waited += time.Since(since); !w.reads {
			w.listen(true) // instead of a relay that may be gone
			continue
		}
		// the patience of the round may have become shorter or longer meanwhile, see patience
		if w.Patience == 0 || waited < w.patience(r) {
			continue
		}
		// the next notice comes after the same patience again
		waited = 0
		absent := w.missing(r)
		w.name(r, absent)
		// its own next plan will state so, but an agent that has read more may publish its plan first
		if w.GoOn {
			return w.messages(r, agents(absent)), absent, nil
		}
	}
}

// limit returns the time to wait before anything else is done; 0 means for ever. It is the patience once this agent reads all
// messages, and the wait for a relay before.
func (w *agent) limit(r, author int) time.Duration {
	if w.reads {
		return w.patience(r)
	}
	// the next agent after the author replaces it after a while, the one after that after twice as long; so few agents read without need if
	// pulls take long
	after := cmp.Or(w.relayAfter, 10*time.Second)
	n := len(w.opened.Tasks)
	// the shift is 0 for the first in line, and ends at 20, which is four months, so that the time does not overflow
	return after << min((w.v-author+n-1)%n, 20)
}

// patience returns the time to wait for the messages of a round. Agents that were absent from the
// round before get a tenth. One of them that went silent for good so costs the others little. A second one that falls silent is
// waited for in full.
func (w *agent) patience(r int) time.Duration {
	// the round before was not learned here, as in the first round
	if r < 2 || len(w.replica.absent) < r-1 {
		return w.Patience
	}
	before := agents(w.replica.absent[r-2])
	if slices.ContainsFunc(w.missing(r), func(a Absence) bool { return !slices.Contains(before, a.Agent) }) {
		return w.Patience
	}
	return w.Patience / 10
}

// name says who is silent. The text depends on GoOn: either all wait, or the round continues. Each set of agents is named once a round.
func (w *agent) name(r int, absent []Absence) {
	var tasks, words []string
	for _, a := range absent {
		tasks = append(tasks, w.opened.Tasks[a.Agent])
		words = append(words, fmt.Sprintf("%s (task %q): %s", AgentName(a.Agent), w.opened.Tasks[a.Agent], a))
	}
	kind, text := NoticeSilent, fmt.Sprintf("round %d waits for %s", r, strings.Join(words, "; "))
	if w.GoOn {
		kind, text = NoticeClosed, fmt.Sprintf("round %d continues without %s", r, strings.Join(words, "; "))
	}
	w.once(Notice{Kind: kind, Round: r, Tasks: tasks, Text: text})
}

// missing returns the agents from whom there is no message that can be taken. A message that is refused counts as missing, and
// its absence has the reason. The address of such a message is used up, so waiting for another one is in vain.
func (w *agent) missing(r int) []Absence {
	var out []Absence
	for v := range w.opened.Tasks {
		f, ok := w.history.get(r, AgentName(v))
		if !ok {
			out = append(out, Absence{Agent: v, Why: ReasonSilent})
			continue
		}
		// the plan is the one of the open round, which must be r
		if _, err := parseMessage(f.Body, v, w.replica.plan, w.question.Problem); err != nil {
			out = append(out, Absence{Agent: v, Why: ReasonRefused, Error: err.Error()})
		}
	}
	return out
}

// messages returns the messages of a round, nil for absent agents. It returns them unchanged: the replica parses them, see replica.batch.
func (w *agent) messages(r int, absent []int) [][]byte {
	out := make([][]byte, len(w.opened.Tasks))
	for v := range out {
		if f, ok := w.history.get(r, AgentName(v)); ok && !slices.Contains(absent, v) {
			out[v] = f.Body
		}
	}
	return out
}

// closed returns the messages that count in a round whose next plan is published. The plan is in f, which may not have been adopted yet. It
// decides even if other messages were read here meanwhile. The error is a *PlanError if the plan counts or forwards something that its
// agent did not publish.
func (w *agent) closed(ctx context.Context, r int, f Fact) ([][]byte, []Absence, error) {
	next, err := readPlan(f, w.opened)
	if err != nil {
		return nil, nil, err
	}
	absent := agents(next.Absent)
	// what the relay sends on is compared with the messages that this agent has alone
	if w.opened.Relay {
		out, err := next.messages(ctx, w.Facts, w.Run, len(w.opened.Tasks))
		if err != nil {
			return nil, nil, err
		}
		// a plan that names an agent as absent and has its message: the message does not count
		for _, v := range absent {
			out[v] = nil
		}
		for v, m := range out { // one's own message is there, and others' where they were read
			if said, ok := w.history.get(r, AgentName(v)); ok && m != nil && !bytes.Equal(said.Body, m) {
				return nil, nil, notSent(f, r, AgentName(v), next)
			}
		}
		return out, next.Absent, nil
	}
	if v := w.lacks(r, absent); v >= 0 && w.follow == nil { // there are no readers, and the plan's author had all of them
		return nil, nil, &PlanError{w.Run, r + 1, fmt.Sprintf("it refers to a message of %s in round %d, but there is none", AgentName(v), r)}
	}
	// the author of the plan has read these messages, so each of them is on its way to this reader
	if _, err = w.history.wait(ctx, 0, func() bool { return w.lacks(r, absent) < 0 || w.stopped() != nil }); err != nil {
		return nil, nil, err
	}
	// the wait has ended for a stop
	if w.lacks(r, absent) >= 0 {
		return nil, nil, w.stopped()
	}
	return w.messages(r, absent), next.Absent, nil
}

// lacks returns the first agent whose message of a round is not there, except for those absent; -1 if all are. Whether a message
// can be taken is another question, which replica.batch answers.
func (w *agent) lacks(r int, absent []int) int {
	for v := range w.opened.Tasks {
		if _, there := w.history.get(r, AgentName(v)); !there && !slices.Contains(absent, v) {
			return v
		}
	}
	return -1
}

// pull makes this agent's remaining pulls of the open round, and publishes its message. It does so once for each round, also after a
// restart: rewards that were published or are in the folder are not pulled again. If the round continued without this agent, it publishes
// nothing and returns nil.
func (w *agent) pull(ctx context.Context, p PlanBody) error {
	r, plan := p.Round, w.replica.plan
	// a program that ended between publishing and learning begins here again
	f, published := w.history.get(r, AgentName(w.v))
	if !published && !w.fresh { // the reader may not have come to it yet, and through a relay never does
		var err error
		if f, published, err = w.Facts.Find(ctx, w.Run, r, AgentName(w.v)); err != nil {
			return err
		}
	}
	// the message is permanent, so the folder can only agree with it
	if published {
		w.history.add(f)
		return w.compare(r, f)
	}
	// the folder may have all pulls of a round that this agent was left out of: then the message is published nevertheless, and is late
	remaining := w.remaining().Total()
	if remaining > 0 && w.leftOut(r) {
		w.once(Notice{Kind: NoticeClosed, Round: r, Tasks: []string{w.Task},
			Text: fmt.Sprintf("round %d continued without this agent, so its pulls are not made", r)})
		return nil
	}
	w.say(Notice{Kind: NoticePlan, Round: r, Pulls: remaining,
		Text: fmt.Sprintf("round %d: %s to make for task %q (%d of all agents; plan of %s)", r, pulls(remaining), w.Task, plan.Pulls(),
			AgentName(p.Author))})
	// the rewards stay in the folder; pulls that are left are no longer made
	if err := w.finish(ctx, r); errors.Is(err, errLeftOut) {
		return nil
	} else if err != nil {
		return err
	}
	// from here on all pulls of the round are on the disk
	b := w.journal.batch(r, w.question.Problem, plan.WantSquares)
	body, err := message(w.v, plan, b, w.lo, w.hi)
	if err != nil {
		return err
	}
	f = Fact{Run: w.Run, Round: r, Name: AgentName(w.v), Body: body}
	err = w.Facts.Publish(ctx, f)
	// the same message of this agent would have been no conflict
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		return fmt.Errorf("another program sends messages as %s (task %q), or the folder %s was changed: "+
			"%w", AgentName(w.v), w.Task, w.Folder, err)
	}
	if err != nil {
		return err
	}
	w.fresh = true
	// the reader will bring it as well; await must not wait for that
	w.history.add(f)
	w.say(Notice{Kind: NoticePulled, Round: r, Text: fmt.Sprintf("round %d: all pulls of task %q are made and sent", r, w.Task)})
	return nil
}

// remaining returns this agent's remaining pulls in the open round. They are in arm order. Nothing remains where Arms is empty.
func (w *agent) remaining() Pulls {
	p, plan := w.question.Problem, w.replica.plan
	out := Pulls{Run: w.Run, Task: w.Task, Algorithm: w.question.Algorithm, Plan: plan, Problem: p}
	made := w.journal.made(plan.Round, p.N())
	for i := w.lo; i < w.hi; i++ {
		if remaining := plan.Counts[i] - made[i]; remaining > 0 {
			out.Arms = append(out.Arms, ArmPulls{Arm: i, Count: remaining, Made: made[i]})
		}
	}
	return out
}

// compare gives a notice if the folder's rewards of a round differ from the published ones. The published ones count. It returns an error
// only if the folder's rewards make no message.
func (w *agent) compare(r int, said Fact) error {
	// the usual case is that both are equal, and then nothing is said
	plan, p := w.replica.plan, w.question.Problem
	text := fmt.Sprintf("round %d: the rewards sent for task %q differ from those in %s", r, w.Task, w.Folder)
	if remaining := w.remaining().Total(); remaining > 0 {
		text = fmt.Sprintf("round %d: %s lacks the rewards of %s that were sent for task %q", r, w.Folder, pulls(remaining), w.Task)
	} else if body, err := message(w.v, plan, w.journal.batch(r, p, plan.WantSquares), w.lo, w.hi); err != nil ||
		bytes.Equal(body, said.Body) {
		return err
	}
	w.once(Notice{Kind: NoticeDiffers, Round: r, Tasks: []string{w.Task},
		Text: text + ". It is older than the run, or was changed. The rewards already sent are used"})
	return nil
}

// errLeftOut states that a round continued without the agent.
var errLeftOut = errors.New("the round went on without this agent")

// leftOut reports whether a round is over without a message of this agent. The next plan states so. It is false if that plan is
// not there or cannot be read.
func (w *agent) leftOut(r int) bool {
	f, ok := w.history.get(r+1, namePlan)
	if !ok {
		return false
	}
	next, err := readPlan(f, w.opened)
	return slices.ContainsFunc(next.Absent, func(a Absence) bool { return err == nil && a.Agent == w.v })
}

// finish asks for pulls until none is left, the run is stopped, or the round goes on without it. It gives up after some tries that brought
// no reward. Its error is errLeftOut, errStopped, the one of the context, or the one of the last try. The context of the puller ends when
// the run stops or the round continues.
func (w *agent) finish(ctx context.Context, r int) error {
	// its cause says why: the puller sees a context that has ended, and this function which of the two it was
	pulling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// the goroutine ends with pulling, which this function ends when it returns
	go func() {
		_, err := w.history.wait(pulling, 0, func() bool { return w.stopped() != nil || w.leftOut(r) })
		switch {
		case err != nil: // finish has returned; or the readers have failed, which await will meet: the pulls continue
		case w.stopped() != nil:
			cancel(errStopped)
		default:
			cancel(errLeftOut)
		}
	}()
	// three tries in a row in which no reward came
	most := cmp.Or(w.tries, 3)
	p, plan := w.question.Problem, w.replica.plan
	for tries := 1; ; tries++ {
		// the journal is asked each time: a try that failed may have recorded some rewards
		remaining := w.remaining()
		if remaining.Total() == 0 {
			return nil
		}
		if err := context.Cause(pulling); err != nil {
			return err
		}
		// tell writes to the disk before it returns nil, so no reported reward can be lost
		err := w.puller.Pull(pulling, remaining, func(rewards ...Reward) error {
			return w.journal.tell(p, plan, w.lo, w.hi, rewards...)
		})
		now := w.remaining().Total()
		// a complete round is published, even if the run was stopped meanwhile
		if cause := context.Cause(pulling); cause != nil && now > 0 {
			return cause
		}
		// some rewards came: the tries begin again, however long it takes in all
		if now < remaining.Total() {
			tries = 0
		} else if tries >= most {
			return fmt.Errorf("run %s, round %d: task %q still has %s without a reward after %s. Finished measurements are kept. Remove the "+
				"cause and start the agent again: %w", w.Run, r, w.Task, pulls(now), attempts(tries), cmp.Or(err, errors.New("no reward was given")))
		}
		// an error after the last reward, as of a program that lingers, is reported and needs no other try
		if err != nil && now == 0 {
			w.once(Notice{Kind: NoticePlan, Round: r, Text: fmt.Sprintf("round %d: all rewards were received, although %v", r, err)})
		} else if err != nil {
			w.once(Notice{Kind: NoticePlan, Round: r, Pulls: now,
				Text: fmt.Sprintf("round %d: %s still to make after an error: %v", r, pulls(now), err)})
			// longer from try to try, up to a second; the end of pulling is met at the head of the loop
			_ = await.Pause(pulling, min(time.Second, 50*time.Millisecond<<tries))
		}
	}
}

// attempts counts tries in words.
func attempts(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

// pulls counts pulls in words.
func pulls(n int) string { return sentence.Count(n, "pull") }
