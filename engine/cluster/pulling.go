package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// pull makes what is left of its own pulls of the open round, and publishes its message.
func (w *agent) pull(ctx context.Context, p PlanBody) error {
	r, plan := p.Round, w.replica.plan
	f, told := w.history.get(r, AgentName(w.v))
	if !told && !w.fresh { // the reader may not have come to it yet, and through a relay never does
		var err error
		if f, told, err = w.Facts.Find(ctx, w.Run, r, AgentName(w.v)); err != nil {
			return err
		}
	}
	if told {
		w.history.add(f)
		return w.compare(r, f)
	}
	if w.leftOut(r) && w.journal.pullsOf(w.question.Problem, plan, w.lo, w.hi).Left() > 0 {
		w.once(Notice{Kind: NoticeClosed, Round: r, Tasks: []string{w.Task},
			Text: fmt.Sprintf("round %d went on without this agent: its pulls are not made", r)})
		return nil
	}
	left := w.journal.pullsOf(w.question.Problem, plan, w.lo, w.hi)
	w.say(Notice{Kind: NoticePlan, Round: r, Pulls: left.Left(),
		Text: fmt.Sprintf("round %d: %s to make for task %q (%d of all agents; plan of %s)", r, pulls(left.Left()), w.Task, plan.Pulls(),
			AgentName(p.Author))})
	if err := w.finish(ctx, r); err != nil {
		if errors.Is(err, errLeftOut) {
			return nil
		}
		return err
	}
	b := w.journal.batch(r, w.question.Problem, plan.WantSquares)
	body, err := message(w.v, plan, b, w.lo, w.hi)
	if err != nil {
		return err
	}
	f = Fact{Run: w.Run, Round: r, Name: AgentName(w.v), Body: body}
	err = w.Facts.Publish(ctx, f)
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		return fmt.Errorf("another program speaks as %s (task %q), or the folder %s was changed: %w", AgentName(w.v), w.Task, w.Folder, err)
	}
	if err != nil {
		return err
	}
	w.fresh = true
	w.history.add(f)
	w.say(Notice{Kind: NoticePulled, Round: r, Text: fmt.Sprintf("round %d: all pulls of task %q are made and told", r, w.Task)})
	return nil
}

// compare says that the folder has other rewards of a round than were told. What was told counts.
func (w *agent) compare(r int, said Fact) error {
	plan, p := w.replica.plan, w.question.Problem
	text := fmt.Sprintf("round %d: other rewards were told for task %q than %s has", r, w.Task, w.Folder)
	if left := w.journal.pullsOf(p, plan, w.lo, w.hi).Left(); left > 0 {
		text = fmt.Sprintf("round %d: %s lacks the rewards of %s that were told for task %q", r, w.Folder, pulls(left), w.Task)
	} else if body, err := message(w.v, plan, w.journal.batch(r, p, plan.WantSquares), w.lo, w.hi); err != nil ||
		bytes.Equal(body, said.Body) {
		return err
	}
	w.once(Notice{Kind: NoticeDiffers, Round: r, Tasks: []string{w.Task},
		Text: text + ": it is older than the run, or was changed; what was told counts"})
	return nil
}

// errLeftOut says that a round went on without the agent.
var errLeftOut = errors.New("the round went on without this agent")

// leftOut reports whether a round is over without a message of this agent.
func (w *agent) leftOut(r int) bool {
	f, ok := w.history.get(r+1, namePlan)
	if !ok {
		return false
	}
	next, err := readPlan(f, w.opened)
	for _, a := range next.Absent {
		if err == nil && a.Agent == w.v {
			return true
		}
	}
	return false
}

// finish asks for pulls until none is left, the run is stopped, or the round goes on without it. It
// gives up after some tries in which nothing was told.
func (w *agent) finish(ctx context.Context, r int) error {
	pulling, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		_, err := w.history.wait(pulling, 0, func() bool { return w.stopped() != nil || w.leftOut(r) })
		switch {
		case err != nil:
		case w.stopped() != nil:
			cancel(errStopped)
		default:
			cancel(errLeftOut)
		}
	}()
	most := w.tries
	if most == 0 {
		most = 3
	}
	p, plan := w.question.Problem, w.replica.plan
	for tries := 1; ; tries++ {
		left := w.journal.pullsOf(p, plan, w.lo, w.hi)
		if left.Left() == 0 {
			return nil
		}
		if err := context.Cause(pulling); err != nil {
			return err
		}
		left.Algorithm = w.question.Algorithm
		err := w.puller.Pull(pulling, left, func(rewards ...Reward) error {
			return w.journal.tell(p, plan, w.lo, w.hi, rewards...)
		})
		now := w.journal.pullsOf(p, plan, w.lo, w.hi).Left()
		if cause := context.Cause(pulling); cause != nil && now > 0 {
			return cause
		}
		if now < left.Left() {
			tries = 0
		} else if tries >= most {
			return fmt.Errorf("run %s, round %d: task %q has %s without a reward after %s; what was measured is kept, start the agent "+
				"again when its cause is gone: %w", w.Run, r, w.Task, pulls(now), attempts(tries), orNothing(err))
		}
		if err != nil && now == 0 {
			w.once(Notice{Kind: NoticePlan, Round: r, Text: fmt.Sprintf("round %d: all rewards are there, though %v", r, err)})
		} else if err != nil {
			w.once(Notice{Kind: NoticePlan, Round: r, Pulls: now,
				Text: fmt.Sprintf("round %d: %s still to make after an error: %v", r, pulls(now), err)})
			select {
			case <-pulling.Done():
			case <-time.After(min(time.Second, 50*time.Millisecond<<tries)):
			}
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

// orNothing returns an error for pulls that ended without one.
func orNothing(err error) error {
	if err == nil {
		return errors.New("no reward was given")
	}
	return err
}

// pulls counts pulls in words.
func pulls(n int) string { return count(n, "pull") }
