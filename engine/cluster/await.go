package cluster

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// A NamedReader is a Facts that can leave out the facts that nobody asked for. Where it is none, all
// are read.
type NamedReader interface {
	// ReadNamed is Read of the facts with these names.
	ReadNamed(ctx context.Context, run string, names ...string) iter.Seq2[Fact, error]
}

// listen begins to read: all facts, or plans and the stop alone.
func (w *agent) listen(all bool) {
	if w.reads {
		return
	}
	n, able := w.Facts.(NamedReader)
	if all || !able {
		w.reads = true
		go w.history.read(w.follow, w.Facts, w.Run)
		return
	}
	go w.history.take(w.follow, n.ReadNamed(w.follow, w.Run, namePlan, nameStop))
}

// await returns the messages of the open round that count, in agent order, nil of absent agents. It
// waits until all have spoken, or the next plan says which do.
func (w *agent) await(ctx context.Context) ([][]byte, []Absence, error) {
	r := w.replica.plan.Round
	author := 0
	if f, ok := w.history.get(r, namePlan); ok {
		if p, err := readPlan(f, w.opened); err == nil {
			author = p.Author
		}
	}
	if author == w.v {
		w.listen(true)
	}
	for waited := time.Duration(0); ; {
		limit := w.limit(r, author)
		since := time.Now()
		ok, err := w.history.wait(ctx, limit, func() bool {
			_, next := w.history.get(r+1, namePlan)
			return next || w.stopped() != nil || w.reads && len(w.missing(r)) == 0
		})
		if err != nil {
			return nil, nil, err
		}
		if f, next := w.history.get(r+1, namePlan); next {
			return w.closed(ctx, r, f)
		}
		if err := w.stopped(); err != nil {
			return nil, nil, err
		}
		if ok {
			return w.messages(r, nil), nil, nil
		}
		if waited += time.Since(since); !w.reads {
			w.listen(true) // in place of a relay that may be gone
			continue
		}
		if w.Patience == 0 || waited < w.patience(r) {
			continue
		}
		waited = 0
		gone := w.missing(r)
		w.name(r, gone)
		if w.GoOn {
			return w.messages(r, agents(gone)), gone, nil
		}
	}
}

// limit returns how long to wait before anything else is done; 0 is for ever.
func (w *agent) limit(r, author int) time.Duration {
	if w.reads {
		return w.patience(r)
	}
	// the next agent after the author takes its place after a while, the one after that after twice as
	// long, so that few agents read in vain when pulls take long
	after := w.relayAfter
	if after == 0 {
		after = 10 * time.Second
	}
	n := len(w.opened.Tasks)
	return after << min((w.v-author+n-1)%n, 20)
}

// patience returns how long the messages of a round are waited for. Agents that were absent from the
// round before get a tenth.
func (w *agent) patience(r int) time.Duration {
	if r < 2 || len(w.replica.absent) < r-1 {
		return w.Patience
	}
	before := agents(w.replica.absent[r-2])
	for _, a := range w.missing(r) {
		if !slices.Contains(before, a.Agent) {
			return w.Patience
		}
	}
	return w.Patience / 10
}

// name says who is silent.
func (w *agent) name(r int, gone []Absence) {
	var tasks, words []string
	for _, a := range gone {
		tasks = append(tasks, w.opened.Tasks[a.Agent])
		words = append(words, fmt.Sprintf("%s (task %q): %s", AgentName(a.Agent), w.opened.Tasks[a.Agent], a))
	}
	kind, text := NoticeSilent, fmt.Sprintf("round %d waits for %s", r, strings.Join(words, "; "))
	if w.GoOn {
		kind, text = NoticeClosed, fmt.Sprintf("round %d goes on without %s", r, strings.Join(words, "; "))
	}
	w.once(Notice{Kind: kind, Round: r, Tasks: tasks, Text: text})
}

// missing returns the agents of which there is no message that can be taken.
func (w *agent) missing(r int) []Absence {
	var out []Absence
	for v := range w.opened.Tasks {
		f, ok := w.history.get(r, AgentName(v))
		if !ok {
			out = append(out, Absence{Agent: v, Why: ReasonSilent})
			continue
		}
		if _, err := parseMessage(f.Body, v, w.replica.plan, w.question.Problem); err != nil {
			out = append(out, Absence{Agent: v, Why: ReasonRefused, Error: err.Error()})
		}
	}
	return out
}

// messages returns the messages of a round, nil of those absent.
func (w *agent) messages(r int, absent []int) [][]byte {
	out := make([][]byte, len(w.opened.Tasks))
	for v := range out {
		if f, ok := w.history.get(r, AgentName(v)); ok && !slices.Contains(absent, v) {
			out[v] = f.Body
		}
	}
	return out
}

// closed returns what counts of a round whose next plan stands.
func (w *agent) closed(ctx context.Context, r int, f Fact) ([][]byte, []Absence, error) {
	next, err := readPlan(f, w.opened)
	if err != nil {
		return nil, nil, err
	}
	absent := agents(next.Absent)
	if w.opened.Relay {
		out, err := next.messages(ctx, w.Facts, w.Run, len(w.opened.Tasks))
		if err != nil {
			return nil, nil, err
		}
		for _, v := range absent {
			out[v] = nil
		}
		for v, m := range out { // one's own message is there, and those of others where they were read
			if said, ok := w.history.get(r, AgentName(v)); ok && m != nil && !bytes.Equal(said.Body, m) {
				return nil, nil, notSent(f, r, AgentName(v), next)
			}
		}
		return out, next.Absent, nil
	}
	missing := func() int {
		for v := range w.opened.Tasks {
			if _, ok := w.history.get(r, AgentName(v)); !ok && !slices.Contains(absent, v) {
				return v
			}
		}
		return -1
	}
	if _, err = w.history.wait(ctx, 0, func() bool { return missing() < 0 || w.stopped() != nil }); err != nil {
		return nil, nil, err
	}
	if missing() >= 0 {
		return nil, nil, w.stopped()
	}
	return w.messages(r, absent), next.Absent, nil
}
