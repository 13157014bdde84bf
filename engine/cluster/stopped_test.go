package cluster_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// counted publishes the first plan of a question, and a second one that counts the messages of all
// agents, though none of them has spoken.
func counted(t *testing.T, x cluster.Facts, q question.Question) {
	t.Helper()
	first := firstPlan(t, q, func(*cluster.PlanBody) {})
	p := must(cluster.ReadPlanForTest(first))
	// the same plan, for the next round
	p.Round = 2
	for _, f := range []cluster.Fact{first, {Run: "r", Round: 2, Name: "plan", Body: must(json.Marshal(p))}} {
		try.To(x.Publish(t.Context(), f))
	}
}

// A run that is stopped while messages of a round are missing that its next plan counts ends with who
// stopped it, and names no agent whose messages are missing.
func TestStopWhileMessagesAreMissing(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	// the agent has everything to learn round 1 but the messages of others
	counted(t, x, q)
	a := agentOf(t, x, q, 0)
	a.Notice = func(n cluster.Notice) {
		if n.Kind == cluster.NoticePulled {
			if err := cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Ann", Reason: "enough"}); err != nil {
				t.Error(err)
			}
		}
	}
	got, err := a.Take(t.Context())
	if err != nil || got.Stopped.String() != "the run was stopped by Ann: enough" || got.Status != engine.StatusInterrupted {
		t.Errorf("%q, %s, error %v", got.Stopped, got.Status, err)
	}
}

// A reader of a run does not wait for a message that a plan counts and that is not there.
func TestReplayWhileMessagesAreMissing(t *testing.T) {
	q := questionOf(t)
	q.Simulated = false
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	counted(t, x, questionOf(t))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_, rounds, _, err := cluster.Replay(ctx, x, "r", maker(q))
	if err == nil || !strings.Contains(err.Error(), "the plan of round 2 is refused: it refers to a message of agent-1 in round 1, but there is none") {
		t.Errorf("%d rounds, error %v", len(rounds), err)
	}
}

// A run that is over cannot be stopped: the caller receives an error, and the run is unchanged.
func TestStopAfterTheEnd(t *testing.T) {
	q := questionOf(t)
	q.Options.MaxRounds = 1
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	var all []cluster.Agent
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, x, q, v))
	}
	takeAll(t, all)
	const want = "run r was done after 1 round: round limit, so there is nothing to stop"
	if err := cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Ann"}); err == nil || err.Error() != want {
		t.Errorf("error %v; want %q", err, want)
	}
	if s := must(cluster.StatusOf(t.Context(), x, "r")); s.Stopped != nil || s.String() != "done after 1 round: round limit" {
		t.Errorf("status %q, stopped %q", s, s.Stopped)
	}
	if f, ok, _ := x.Find(t.Context(), "r", 0, "stop"); ok {
		t.Errorf("a stop was published: %s", f.Body)
	}
}
