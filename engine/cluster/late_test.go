package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// delayed holds the message of one agent in one round back until another round is planned: the network
// was cut, and the others went on.
type delayed struct {
	*cluster.Memory
	name         string     // of the agent
	round, until int        // the round of the message, and the round whose plan frees it
	held, free   chan bool  // closed when the message is there, and when it is published
	once         *sync.Once // free is closed once, though several agents publish the plan
}

func (d delayed) Publish(ctx context.Context, f cluster.Fact) error {
	if f.Round == d.round && f.Name == d.name {
		// the agent waits for its acknowledgement, and the others go on without it
		close(d.held)
		select {
		case <-d.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		return d.Memory.Publish(ctx, f)
	}
	err := d.Memory.Publish(ctx, f)
	// the next plan is published now, and the late message comes before any agent looks for it
	if f.Round == d.until && f.Name == "plan" {
		d.once.Do(func() { close(d.free) })
		for { // no agent goes on before it is there
			if _, there, err := d.Find(ctx, f.Run, d.round, d.name); there || err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	return err
}

// Messages that come after their round went on without them guide the rounds that follow: all replicas
// are informed of them at the same place, those that joined late, a relay and who follows included, and
// all find the same.
func TestLateMessages(t *testing.T) {
	for _, asked := range someQuestions(t)[1:] { // CoKernelFC uses the data of its own rounds alone
		for _, relay := range []bool{false, true} {
			q := asked.Question
			// a small error, so that the run has rounds enough
			q.Options.MaxRounds = 6
			q.Options.Delta = 1e-6
			x := cluster.NewMemory()
			opened(t, x, q, cluster.OpenOptions{Relay: relay})
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			out := make([]cluster.Finished, 5)
			errs := make([]error, 5)
			var all sync.WaitGroup
			// agent 5 in round 1, until round 2 is planned
			d := delayed{x, cluster.AgentName(4), 1, 2, make(chan bool), make(chan bool), new(sync.Once)}
			for _, v := range []int{4, 0, 1, 2, 3} {
				a := agentOf(t, x, q, v).WithRelayAfter(5 * time.Millisecond)
				a.Patience, a.GoOn, a.Facts = 100*time.Millisecond, true, d
				all.Go(func() { out[v], errs[v] = a.Take(ctx) })
				if v == 4 {
					<-d.held
				}
			}
			all.Wait()
			cancel()
			if err := errors.Join(errs...); err != nil {
				t.Fatalf("%s, relay %t: %v", asked.name, relay, err)
			}
			// On a busy machine other messages may be late, too. The algorithms learned all late messages of the plans.
			informed, among := 0, false
			for r := 1; r <= out[0].Rounds+1; r++ { // the last plan says that the run is over
				for _, l := range must(cluster.ReadPlanForTest(mustFind(t, x, r, "plan"))).Late {
					among = among || l.Round == 1 && l.Agent == 4
					lo, hi := q.Problem.ArmsOf(l.Agent)
					for _, c := range must(cluster.ReadPlanForTest(mustFind(t, x, l.Round, "plan"))).Counts[lo:hi] {
						informed += c
					}
				}
			}
			if !among || out[0].Outcome.SamplesAdded != informed || out[0].Rounds < 3 {
				t.Errorf("%s, relay %t: informed of %d rewards in %d rounds; the plans have %d, the rewards of agent-5 in round 1 among them: %t", asked.name, relay, out[0].Outcome.SamplesAdded, out[0].Rounds, informed, among)
			}
			// who was never there learns it from the plans
			replayed, _, _, err := cluster.Replay(t.Context(), x, "r", maker(q))
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range append(out[1:], replayed) {
				if d := cmp.Diff(out[0].Outcome, got.Outcome); d != "" {
					t.Errorf("%s, relay %t: party %d found something else: %s", asked.name, relay, i+2, d)
				}
				if len(got.Differences) > 0 {
					t.Errorf("%s, relay %t: party %d: %v", asked.name, relay, i+2, got.Differences)
				}
			}
		}
	}
}

// mustFind returns a fact that must be there.
func mustFind(t *testing.T, x cluster.Facts, round int, name string) cluster.Fact {
	t.Helper()
	f, ok, err := x.Find(t.Context(), "r", round, name)
	if err != nil || !ok {
		t.Fatalf("there is no %s of round %d: %v", name, round, err)
	}
	return f
}

// A plan with a late message that was not sent, or whose round did not continue without it, is refused.
func TestForgedLateMessages(t *testing.T) {
	q := questionOf(t)
	for want, late := range map[string]cluster.Late{
		"passes on a message of agent-3 in round 1 that agent-3 did not send": {Round: 1, Agent: 2},
		"but no such round continued without that agent":                      {Round: -1, Agent: 7},
	} {
		x := cluster.NewMemory()
		opened(t, x, q, cluster.OpenOptions{})
		f := firstPlan(t, q, func(p *cluster.PlanBody) { p.Late = []cluster.Late{late} })
		try.To(x.Publish(t.Context(), f))
		_, err := agentOf(t, x, q, 2).Take(t.Context())
		if refused := (*cluster.PlanError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v; want %q", late, err, want)
		}
	}
	text := string(must(json.Marshal(cluster.PlanBody{})))
	if strings.Contains(text, "late") {
		t.Errorf("a plan without late messages is written as %s, which programs of before cannot read", text)
	}
}
