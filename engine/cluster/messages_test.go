package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// spoilt publishes, instead of agent-2's message of round 1, something else.
type spoilt struct {
	*cluster.Memory
	body func([]byte) []byte // what it says, given what it should say
}

func (s spoilt) Publish(ctx context.Context, f cluster.Fact) error {
	if f.Round == 1 && f.Name == cluster.AgentName(1) {
		f.Body = s.body(f.Body)
	}
	return s.Memory.Publish(ctx, f)
}

// A message that is malformed, of another agent, of an old round, of another plan, or with a reward that
// is not finite, is refused and named. Nobody learns from it; where the others go on, they go on without
// it.
func TestMessagesThatAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("waits two seconds for each agent that is gone")
	}
	q := questionOf(t)
	q.Options.MaxRounds = 2
	// merged returns a message that is whole except for a change
	merged := func(change func(*wire.Merged)) func([]byte) []byte {
		return func(b []byte) []byte {
			m := must(wire.ParseMerged(b))
			change(&m)
			return must(m.Append(nil))
		}
	}
	// by the words of the refusal
	for want, body := range map[string]func([]byte) []byte{
		"the data end within the version":                       func([]byte) []byte { return nil },
		"bytes follow the last entry":                           func(b []byte) []byte { return append(slices.Clone(b), 7) },
		"the message names agent-1 as its author":               merged(func(m *wire.Merged) { m.Agent = 0 }),
		"the message belongs to round 3":                        merged(func(m *wire.Merged) { m.Round = 3 }),
		"the message answers the plan 07":                       merged(func(m *wire.Merged) { m.Digest = wire.Digest{7} }),
		"the message has 5 arms":                                merged(func(m *wire.Merged) { m.Counts, m.Means = m.Counts[1:], m.Means[1:] }),
		"pulls of arm 1 of the task":                            merged(func(m *wire.Merged) { m.Counts[0]++ }),
		"the squared deviations do not match the plan":          merged(func(m *wire.Merged) { m.Squares = make([]float64, len(m.Counts)) }),
		"a reward is a number from -1e100 to 1e100, got 1e+300": merged(func(m *wire.Merged) { m.Means[len(m.Means)-1] = 1e300 }),
		"must be a finite number, got NaN": func(b []byte) []byte {
			m := must(wire.ParseMerged(b))
			// the next number is one that is not finite, in the same place
			i := len(b) - 8 // the last mean
			if m.Counts[len(m.Counts)-1] == 0 {
				panic("the last arm was not pulled")
			}
			return append(slices.Clone(b[:i]), 1, 0, 0, 0, 0, 0, 0xf8, 0x7f)
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			x := cluster.NewMemory()
			opened(t, x, q, cluster.OpenOptions{})
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			said := &notices{}
			finished := make([]cluster.Finished, q.Problem.V())
			errs := make([]error, q.Problem.V())
			var wg sync.WaitGroup
			for v := range q.Problem.V() {
				a := agentOf(t, x, q, v)
				mine, leave := ctx, func() {}
				if v == 1 { // it says one thing and is gone
					mine, leave = context.WithCancel(ctx)
					a.Facts, a.Notice = spoilt{x, body}, func(n cluster.Notice) {
						if n.Kind == cluster.NoticePulled {
							leave()
						}
					}
				} else {
					a.Patience, a.GoOn, a.Notice = 2*time.Second, true, said.take // longer than others need on a busy machine
				}
				wg.Go(func() { defer leave(); finished[v], errs[v] = a.Take(mine) })
			}
			wg.Wait()
			cancel()
			if err := errs[0]; err != nil {
				t.Fatal(err)
			}
			// the others go on without it, and say why
			if text := said.of(cluster.NoticeClosed); !strings.Contains(text, want) || !strings.Contains(text, "agent-2 (task ") {
				t.Errorf("noticed %q; want %q", text, want)
			}
			// what round 1 learned is the plan except for the arms of agent 2
			lo, hi := q.Problem.ArmsOf(1)
			if s := finished[0].Silent; len(s) == 0 || s[0].Round != 1 || s[0].Task != q.Problem.Tasks.Names[1] {
				t.Errorf("silent %v", s)
			}
			told := finished[0].Outcome.Rounds[0].Pulls
			var p cluster.PlanBody
			f, _, _ := x.Find(t.Context(), "r", 1, "plan")
			try.To(json.Unmarshal(f.Body, &p))
			own := 0
			for i := lo; i < hi; i++ {
				own += p.Counts[i]
			}
			if all := p; told != sum(all.Counts)-own {
				t.Errorf("%d pulls were learned in round 1, want %d", told, sum(all.Counts)-own)
			}
		})
	}
}

// Where the author of a plan counts a message that is refused, the others stop and name it: it learned
// something else than they can.
func TestPlanThatCountsARefusedMessage(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	var wg, other sync.WaitGroup
	for v := range q.Problem.V() {
		a := agentOf(t, x, q, v)
		if v == 1 {
			// agent 2 has its own message as it meant it, and plans the next round
			a.Facts = spoilt{x, func(b []byte) []byte { return b[:4] }}
			other.Go(func() { a.Take(ctx) })
			continue
		}
		wg.Go(func() {
			_, err := a.Take(ctx)
			if m := (*cluster.MessageError)(nil); !errors.As(err, &m) || m.Agent != 1 || m.Round != 1 {
				t.Errorf("agent %d: error %v", v+1, err)
			}
		})
	}
	wg.Wait()
	cancel()
	other.Wait()
}

// A reward that is not finite, or so huge that nothing is computed with it, is refused when it is reported, and nothing of it is kept.
func TestRewardNotFinite(t *testing.T) {
	q := questionOf(t)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 1e160} {
		x := cluster.NewMemory()
		opened(t, x, q, cluster.OpenOptions{})
		a := agentOf(t, x, q, 0)
		a.Puller = func(question.Question, cluster.RunBody) (cluster.Puller, error) {
			return pullFunc(func(_ context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
				return tell(cluster.Reward{Arm: p.Arms[0].Arm, Count: 1, Mean: bad})
			}), nil
		}
		if _, err := a.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "a reward is a number from -1e100 to 1e100, got") || !strings.Contains(err.Error(), "after 3 tries. Finished measurements are kept") {
			t.Errorf("%g: error %v", bad, err)
		}
		if _, ok, _ := x.Find(t.Context(), "r", 1, cluster.AgentName(0)); ok {
			t.Errorf("%g was told to the others", bad)
		}
	}
}

// A text of others that a terminal would obey is refused, with any escape that JSON has for it. A backslash before such a letter, tabs and
// line ends are accepted.
func TestTextsThatTerminalsObey(t *testing.T) {
	for text, refused := range map[string]bool{
		"plain": false, "a tab\tand a line\r\n": false, `a folder C:\bin\form`: false, `\u001b`: false, "é": false,
		"\x1b]0;x\x07": true, "\b": true, `a\` + "\b": true, "\f": true, "\x7f": true, "\u009b": true,
	} {
		body := must(json.Marshal(cluster.StopBody{Reason: text}))
		if err := cluster.CheckText(body); (err != nil) != refused {
			t.Errorf("%s: error %v, want one: %t", body, err, refused)
		}
	}
}
