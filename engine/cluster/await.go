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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// listen starts a reader of all facts, or only of plans and stops. Calling it with all after plans only starts a second
// reader; the first one continues, and the history ignores repeated facts. Later calls change nothing.
func (w *agent) listen(all bool) {
	var names []string
	if !all {
		names = []string{namePlan, nameStop} // with a relay, unless this agent replaces it
	}
	if !w.reads {
		w.reads = all // after a reader of all facts, no other is started
		go w.history.take(w.follow, w.Facts.Read(w.follow, w.Run, names...))
	}
}

// await returns the messages of the open round that count, in agent order, nil for absent agents. It waits until all
// agents have published, or the next plan states which messages count. It also returns the absent agents, as this agent's
// next plan would list them. The error is errStopped, or comes from the readers.
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
		// the author needs all messages, because its next plan passes them on
		w.listen(true)
	}
	// waited adds up several waits, which may end for other reasons
	for waited := time.Duration(0); ; {
		limit := w.limit(r, author)
		since := time.Now()
		ok, err := w.history.wait(ctx, limit, func() bool {
			// ends if the next plan is published, the run was stopped, or all agents have published
			_, next := w.history.get(r+1, namePlan)
			return next || w.stopped() != nil || w.reads && len(w.missing(r)) == 0
		})
		if err != nil {
			return nil, nil, err
		}
		// the plan has priority: it decides which messages count, whatever this agent has read
		if f, next := w.history.get(r+1, namePlan); next {
			return w.closed(ctx, r, f)
		}
		if err := w.stopped(); err != nil {
			return nil, nil, err
		}
		if ok {
			return w.messages(r, nil), nil, nil
		}
		// the limit is over; before this agent reads all facts, it was the wait for a relay
		if waited += time.Since(since); !w.reads {
			w.listen(true) // replace a relay that may have ended
			continue
		}
		// the patience of the round may have changed meanwhile, see patience
		if w.Patience == 0 || waited < w.patience(r) {
			continue
		}
		// the next notice follows after another patience
		waited = 0
		absent := w.missing(r)
		w.name(r, absent)
		// its next plan would state the same, but another agent may publish its plan first
		if w.GoOn {
			return w.messages(r, agents(absent)), absent, nil
		}
	}
}

// limit returns how long await waits before it acts; 0 means no limit. It is the patience if this agent reads all
// messages, otherwise the time until it replaces the relay.
func (w *agent) limit(r, author int) time.Duration {
	if w.reads {
		return w.patience(r)
	}
	// the agent after the author waits for this time, and each further one twice as long as the agent before it: if pulls
	// take long, few agents read all messages
	after := cmp.Or(w.relayAfter, 10*time.Second)
	n := len(w.opened.Tasks)
	// the shift is between 0 and 20 (about four months), so that the duration does not overflow
	return after << min((w.v-author+n-1)%n, 20)
}

// patience returns how long to wait for the messages of round r. It is a tenth of Patience if all missing agents were
// absent in the previous round: an agent that is gone for good then costs the others little time. Otherwise it is
// Patience.
func (w *agent) patience(r int) time.Duration {
	// this replica did not learn the previous round, or r is the first round
	if r < 2 || len(w.replica.absent) < r-1 {
		return w.Patience
	}
	before := agents(w.replica.absent[r-2])
	if slices.ContainsFunc(w.missing(r), func(a Absence) bool { return !slices.Contains(before, a.Agent) }) {
		return w.Patience
	}
	return w.Patience / 10
}

// name gives a notice that names the silent agents. With GoOn it states that the round continues, otherwise that the round
// waits. The same set of agents is named once for each round.
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

// missing returns the agents without a valid message in round r. A refused message counts as missing, and its Absence has
// the reason. The agent cannot replace it, because its address is used.
func (w *agent) missing(r int) []Absence {
	var out []Absence
	for v := range w.opened.Tasks {
		f, ok := w.history.get(r, AgentName(v))
		if !ok {
			out = append(out, Absence{Agent: v, Why: ReasonSilent})
			continue
		}
		// round r must be the open round, to which the plan belongs
		if _, err := parseMessage(f.Body, v, w.replica.plan, w.question.Problem); err != nil {
			out = append(out, Absence{Agent: v, Why: ReasonRefused, Error: err.Error()})
		}
	}
	return out
}

// messages returns the messages of a round, nil for absent agents, unparsed: replica.batch parses them.
func (w *agent) messages(r int, absent []int) [][]byte {
	out := make([][]byte, len(w.opened.Tasks))
	for v := range out {
		if f, ok := w.history.get(r, AgentName(v)); ok && !slices.Contains(absent, v) {
			out[v] = f.Body
		}
	}
	return out
}

// closed returns the messages that count in round r, and the absent agents. f is the next plan, which may not have been
// adopted yet; it decides even if this agent has read other messages. The error is a *PlanError if the plan contains a
// message that its agent did not publish.
func (w *agent) closed(ctx context.Context, r int, f Fact) (_ [][]byte, _ []Absence, err error) {
	defer try.Caught(&err)
	next := try.Of(readPlan(f, w.opened))
	absent := agents(next.Absent)
	// messages passed on by the relay are compared with those that this agent has read
	if w.opened.Relay {
		out := try.Of(next.messages(ctx, w.Facts, w.Run, len(w.opened.Tasks)))
		// the message of an agent that the plan names as absent does not count
		for _, v := range absent {
			out[v] = nil
		}
		for v, m := range out { // the agent's own message is in the history, and perhaps others
			if said, ok := w.history.get(r, AgentName(v)); ok && m != nil && !bytes.Equal(said.Body, m) {
				return nil, nil, notSent(f, r, AgentName(v), next)
			}
		}
		return out, next.Absent, nil
	}
	if v := w.lacks(r, absent); v >= 0 && w.follow == nil { // in Replay no message will arrive
		return nil, nil, &PlanError{w.Run, r + 1, fmt.Sprintf("it refers to a message of %s in round %d, but there is none", AgentName(v), r)}
	}
	// the author has read these messages, and so the reader will deliver them
	try.Of(w.history.wait(ctx, 0, func() bool { return w.lacks(r, absent) < 0 || w.stopped() != nil }))
	// the wait ended because of a stop
	if w.lacks(r, absent) >= 0 {
		return nil, nil, w.stopped()
	}
	return w.messages(r, absent), next.Absent, nil
}

// lacks returns the first agent, not in absent, whose message of round r was not read; -1 if there is none. The message
// may be invalid: replica.batch checks it.
func (w *agent) lacks(r int, absent []int) int {
	for v := range w.opened.Tasks {
		if _, there := w.history.get(r, AgentName(v)); !there && !slices.Contains(absent, v) {
			return v
		}
	}
	return -1
}

// pull makes this agent's remaining pulls of the open round, and publishes its message. After a restart, it does not
// repeat pulls that were published or are in the folder. If the round continued without this agent, it publishes nothing
// and returns nil.
func (w *agent) pull(ctx context.Context, p PlanBody) (err error) {
	defer try.Caught(&err)
	r, plan := p.Round, w.replica.plan
	// a program that ended after publishing and before learning continues here
	f, published := w.history.get(r, AgentName(w.v))
	if !published && !w.fresh { // the reader may not have delivered it yet, and with a relay never does
		f, published = try.Two(w.Facts.Find(ctx, w.Run, r, AgentName(w.v)))
	}
	// a published message is permanent; the folder can only agree with it or not
	if published {
		w.history.add(f)
		return w.compare(r, f)
	}
	// if the folder has all pulls of a round that continued without this agent, the message is published late
	remaining := w.remaining().Total()
	if remaining > 0 && w.leftOut(r) {
		w.once(Notice{Kind: NoticeClosed, Round: r, Tasks: []string{w.Task},
			Text: fmt.Sprintf("round %d continued without this agent, so its pulls are not made", r)})
		return nil
	}
	w.say(Notice{Kind: NoticePlan, Round: r, Pulls: remaining,
		Text: fmt.Sprintf("round %d: %s to make for task %q (%d of all agents; plan of %s)", r, pulls(remaining), w.Task, plan.Pulls(),
			AgentName(p.Author))})
	// recorded rewards stay in the folder; the remaining pulls are not made
	if err := w.finish(ctx, r); errors.Is(err, errLeftOut) {
		return nil
	} else if err != nil {
		return err
	}
	// now all pulls of the round are on disk
	b := w.journal.batch(r, w.question.Problem, plan.WantSquares)
	body := try.Of(message(w.v, plan, b, w.lo, w.hi))
	f = Fact{Run: w.Run, Round: r, Name: AgentName(w.v), Body: body}
	err = w.Facts.Publish(ctx, f)
	// Publish accepts a repetition of the same message, so this is another message
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		return fmt.Errorf("another program sends messages as %s (task %q), or the folder %s was changed: "+
			"%w", AgentName(w.v), w.Task, w.Folder, err)
	}
	if err != nil {
		return err
	}
	w.fresh = true
	// added here, because await must not wait until the reader delivers it
	w.history.add(f)
	w.say(Notice{Kind: NoticePulled, Round: r, Text: fmt.Sprintf("round %d: all pulls of task %q are made and sent", r, w.Task)})
	return nil
}

// remaining returns this agent's remaining pulls in the open round, in arm order. Arms is empty if none remain.
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

// compare gives a notice if the folder's rewards of a round differ from the published message said. The published ones
// count. It returns an error only if the folder's rewards cannot be encoded.
func (w *agent) compare(r int, said Fact) error {
	// the usual case is that both are equal; no notice is then given
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

// errLeftOut is returned if the round continued without this agent.
var errLeftOut = errors.New("the round went on without this agent")

// leftOut reports whether the next plan lists this agent as absent in round r. It is false if that plan is not known or
// cannot be parsed.
func (w *agent) leftOut(r int) bool {
	f, ok := w.history.get(r+1, namePlan)
	if !ok {
		return false
	}
	next, err := readPlan(f, w.opened)
	return slices.ContainsFunc(next.Absent, func(a Absence) bool { return err == nil && a.Agent == w.v })
}

// finish calls the puller until no pulls remain, the run is stopped, or the round continues without this agent; the
// context of the puller then ends. It gives up after several calls without a reward. The error is errLeftOut, errStopped,
// that of the context, or that of the last call.
func (w *agent) finish(ctx context.Context, r int) error {
	// its cause distinguishes the two reasons for the end
	pulling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// the goroutine ends with pulling, which is cancelled when finish returns
	go func() {
		_, err := w.history.wait(pulling, 0, func() bool { return w.stopped() != nil || w.leftOut(r) })
		switch {
		case err != nil: // finish has returned, or the readers failed: await will return their error, and pulls continue
		case w.stopped() != nil:
			cancel(errStopped)
		default:
			cancel(errLeftOut)
		}
	}()
	// calls in a row without a reward
	most := cmp.Or(w.tries, 3)
	p, plan := w.question.Problem, w.replica.plan
	for tries := 1; ; tries++ {
		// read again each time: a failed call may have recorded some rewards
		remaining := w.remaining()
		if remaining.Total() == 0 {
			return nil
		}
		if err := context.Cause(pulling); err != nil {
			return err
		}
		// the journal has the rewards on disk when it returns nil, so that no reported reward is lost
		err := w.puller.Pull(pulling, remaining, func(rewards ...Reward) error {
			return w.journal.tell(p, plan, w.lo, w.hi, rewards...)
		})
		now := w.remaining().Total()
		// a complete round is published even if the run was stopped meanwhile
		if cause := context.Cause(pulling); cause != nil && now > 0 {
			return cause
		}
		// some rewards came: the count of failed calls starts again
		if now < remaining.Total() {
			tries = 0
		} else if tries >= most {
			return fmt.Errorf("run %s, round %d: task %q still has %s without a reward after %s. Finished measurements are kept. Remove the "+
				"cause and start the agent again: %w", w.Run, r, w.Task, pulls(now), attempts(tries), cmp.Or(err, errors.New("no reward was given")))
		}
		// an error after the last reward, for example of a program that does not end, is only reported
		if err != nil && now == 0 {
			w.once(Notice{Kind: NoticePlan, Round: r, Text: fmt.Sprintf("round %d: all rewards were received, although %v", r, err)})
		} else if err != nil {
			w.once(Notice{Kind: NoticePlan, Round: r, Pulls: now,
				Text: fmt.Sprintf("round %d: %s still to make after an error: %v", r, pulls(now), err)})
			// the pause grows up to a second; the loop then checks whether pulling has ended
			_ = await.Pause(pulling, min(time.Second, 50*time.Millisecond<<tries))
		}
	}
}

// attempts returns a number of tries in words.
func attempts(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

// pulls returns a number of pulls in words.
func pulls(n int) string { return sentence.Count(n, "pull") }
