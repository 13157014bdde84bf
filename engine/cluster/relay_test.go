package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// delivering counts the facts that its readers are given.
type delivering struct {
	*cluster.Memory
	messages *atomic.Int64 // of rounds, without plans
}

// count counts messages of agents while they are read.
func (d delivering) count(all iter.Seq2[cluster.Fact, error]) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		for f, err := range all {
			if f.Round > 0 && f.Name != "plan" {
				d.messages.Add(1)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func (d delivering) Read(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	return d.count(d.Memory.Read(ctx, run, names...))
}

// Above 32 agents each message is delivered to few of them, and not to all.
func TestManyAgents(t *testing.T) {
	const agents = cluster.RelayAbove + 2
	p := try.Of(problem.Classic([]float64{0, 1, 2}, agents))
	q := question.Question{Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05}, Simulated: true}
	x := delivering{cluster.NewMemory(), new(atomic.Int64)}
	opened(t, x, q, cluster.OpenOptions{})
	var all []cluster.Agent
	for v := range agents {
		all = append(all, agentOf(t, x, q, v))
	}
	want := inProcess(t, q)
	rounds := 0
	for v, got := range takeAll(t, all) {
		sameAs(t, fmt.Sprintf("agent-%d", v), got, want)
		rounds = got.Rounds
	}
	// each author reads all messages of its round, and earlier ones when it begins to read
	if n, most := int(x.messages.Load()), rounds*rounds*agents; n > most {
		t.Errorf("%d messages were delivered in %d rounds of %d agents; want at most %d", n, rounds, agents, most)
	}
	t.Logf("%d rounds of %d agents: %d messages delivered; all to all would be %d", rounds, agents, x.messages.Load(), rounds*agents*agents)
}

// The relay goes away in the middle of a round: another agent reads in its place.
func TestRelayGone(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{Relay: true})
	first := agentOf(t, x, q, 3) // alone it is the author of the first plan
	ctx, cancel := context.WithCancel(t.Context())
	first.Notice = func(n cluster.Notice) {
		if n.Kind == cluster.NoticePulled {
			cancel()
		}
	}
	first.Take(ctx)
	all := []cluster.Agent{}
	for v := range q.Problem.V() {
		a := agentOf(t, x, q, v).WithRelayAfter(50 * time.Millisecond)
		if v == 3 {
			a.Folder = first.Folder
			a.Puller = func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
				for { // it comes back late, when another has read in its place
					if _, ok, err := x.Find(t.Context(), "r", 2, "plan"); ok || err != nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				return simulated(q, b)
			}
		}
		all = append(all, a)
	}
	want := inProcess(t, q)
	for v, got := range takeAll(t, all) {
		sameAs(t, fmt.Sprintf("agent-%d", v), got, want)
	}
	f, ok, err := x.Find(t.Context(), "r", 2, "plan")
	if err != nil || !ok {
		t.Fatal("no plan of round 2")
	}
	if p := must(cluster.ReadPlanForTest(f)); p.Author == 3 {
		t.Error("the relay that was gone made the second plan")
	}
}

// A relay that changes a message of another agent is named by that agent, and by who looks at the run.
func TestForgedRelayedMessage(t *testing.T) {
	q := questionOf(t)
	whole, x := cluster.NewMemory(), cluster.NewMemory()
	var all []cluster.Agent
	for _, y := range []cluster.Facts{whole, x} {
		opened(t, y, q, cluster.OpenOptions{Relay: true})
	}
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, whole, q, v))
	}
	takeAll(t, all)
	// round 1 unchanged, and a plan of round 2 that sends on one other number
	said := []cluster.Fact{mustFind(t, whole, 1, "plan")}
	for v := range q.Problem.V() {
		said = append(said, mustFind(t, whole, 1, cluster.AgentName(v)))
	}
	next := mustFind(t, whole, 2, "plan")
	p := must(cluster.ReadPlanForTest(next))
	p.Author = 0
	m := must(wire.ParseMerged(p.Messages[2]))
	m.Means[0]++
	// the author is agent 1, whose own message stays
	p.Messages[2] = must(m.Append(nil))
	next.Body, next.Sender = must(json.Marshal(p)), "agent-1"
	for _, f := range append(said, next) {
		try.To(x.Publish(t.Context(), f))
	}
	_, agent := agentOf(t, x, q, 2).Take(t.Context())
	_, _, _, later := cluster.Replay(t.Context(), x, "r", maker(q))
	const want = "the author of the plan, agent-1, passes on a message of agent-3 in round 1 that agent-3 did not send"
	for who, err := range map[string]error{"agent-3": agent, "who looks later": later} {
		if refused := (*cluster.PlanError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", who, err, want)
		}
	}
}

// Agents with credentials of their own make the run of one process over TLS, with and without a relay.
func TestAgentsWithCredentials(t *testing.T) {
	if testing.Short() {
		t.Skip("a server with keys")
	}
	q := questionOf(t)
	for _, relay := range []bool{false, true} {
		s := serveWithKeys(t, q.Problem.V())
		dial := s.dial
		opened(t, dial("owner.creds"), q, cluster.OpenOptions{Relay: relay})
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, dial(cluster.AgentName(v)+".creds"), q, v))
		}
		want := inProcess(t, q)
		for v, got := range takeAll(t, all) {
			sameAs(t, fmt.Sprintf("agent-%d, relay %t", v, relay), got, want)
		}
		s.Close()
	}
}
