package cluster_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A follower has the agents' result at the end of a run, bit for bit, through a relay, too; and on the way it receives every round once.
func TestFollow(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, relay := range []bool{false, true} {
		for _, asked := range someQuestions(t) {
			q := asked.Question
			x := cluster.NewMemory()
			opened(t, x, q, cluster.OpenOptions{Relay: relay})
			// the calls of Learned: the rounds of the steps at that moment
			var rounds []int
			f := cluster.Follower{Facts: x, Run: "r", Make: maker(q), Learned: func(s *engine.Steps) { rounds = append(rounds, len(s.Outcome().Rounds)) }}
			type ending struct {
				cluster.Finished
				err error
			}
			followed := make(chan ending)
			go func() {
				out, err := f.Follow(t.Context())
				followed <- ending{out, err}
			}()
			var all []cluster.Agent
			for v := range q.Problem.V() {
				all = append(all, agentOf(t, x, q, v))
			}
			agents := takeAll(t, all)
			// it ends by itself, as the agents do
			got := <-followed
			if got.err != nil {
				t.Fatalf("%s, relay %t: %v", asked.name, relay, got.err)
			}
			want := inProcess(t, q)
			sameAs(t, asked.name+", who follows", got.Finished, want)
			if got.Author != agents[0].Author || got.Traffic != agents[0].Traffic {
				t.Errorf("%s: author %d, traffic %+v; want an agent's: %d, %+v", asked.name, got.Author, got.Traffic, agents[0].Author, agents[0].Traffic)
			}
			for i, r := range rounds {
				if r != i+1 {
					t.Errorf("%s: told after rounds %v", asked.name, rounds)
				}
			}
			if float64(len(rounds)) != want.Rounds {
				t.Errorf("%s: told of %d rounds, want %g", asked.name, len(rounds), want.Rounds)
			}
			// who comes when all is over finds the same
			late := try.Of(cluster.Follower{Facts: x, Run: "r", Make: maker(q)}.Follow(t.Context()))
			sameAs(t, asked.name+", who comes late", late, want)
		}
	}
}

// A follower receives the names of missing agents: those that never came, and those that are silent. It follows a round that goes on
// without an agent, and if it stops, it has all that was learned.
func TestFollowSilence(t *testing.T) {
	for _, relay := range []bool{false, true} {
		q := questionOf(t)
		x := cluster.NewMemory()
		opened(t, x, q, cluster.OpenOptions{Relay: relay})
		ctx, cancel := context.WithCancel(t.Context())
		said := new(notices)
		// a notice has come, for until below
		seen := make(chan bool, 100)
		f := cluster.Follower{Facts: x, Run: "r", Make: maker(q), Patience: 20 * time.Millisecond, Notice: func(n cluster.Notice) {
			said.take(n)
			select {
			case seen <- true:
			default:
			}
		}}
		var got cluster.Finished
		var err error
		var over sync.WaitGroup
		over.Go(func() { got, err = f.Follow(ctx) })
		// until waits for words in the notices of a kind
		until := func(kind cluster.NoticeKind, want string) {
			t.Helper()
			end := time.After(2 * time.Minute)
			for !strings.Contains(said.of(kind), want) {
				select {
				case <-seen:
				case <-end:
					t.Fatalf("relay %t: %q was not said but %q", relay, want, said.of(kind))
				}
			}
		}
		// no agent has joined; then all but one; then the last one falls silent after round 1
		until(cluster.NoticeSilent, `waits for agents that have not joined: agent-1 (task "task 1"), agent-2 (task "task 2"), agent-3 (task "task 3"), agent-4 (task "task 4"), agent-5 (task "task 5")`)
		for v := range 4 {
			a := agentOf(t, x, q, v)
			over.Go(func() { a.Take(ctx) })
		}
		until(cluster.NoticeSilent, `round 1 waits for agent-5 (task "task 5"): it has not joined`)
		a := agentOf(t, x, q, 4)
		ends, end := context.WithCancel(ctx)
		a.Notice = func(n cluster.Notice) {
			if n.Kind == cluster.NoticePulled {
				end()
			}
		}
		over.Go(func() { a.Take(ends) })
		until(cluster.NoticeSilent, `round 2 waits for agent-5 (task "task 5"): it is silent`)
		cancel()
		over.Wait()
		// round 1 was learned, and round 2 is open
		if !errors.Is(err, context.Canceled) || got.Rounds != 1 || got.Status != engine.StatusInterrupted || len(got.Answers) != 5 {
			t.Errorf("relay %t: %d rounds, %s, error %v", relay, got.Rounds, got.Status, err)
		}
	}
}

// A stopped run ends its followers, which receive the name of the person who stopped it.
func TestFollowStopped(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	time.AfterFunc(20*time.Millisecond, func() {
		cluster.Stop(context.Background(), x, "r", cluster.StopBody{By: "Ann", Reason: "enough"})
	})
	got, err := cluster.Follower{Facts: x, Run: "r", Make: maker(q)}.Follow(t.Context())
	if err != nil || got.Stopped.String() != "the run was stopped by Ann: enough" || got.Status != engine.StatusInterrupted {
		t.Errorf("%q, %s, error %v", got.Stopped, got.Status, err)
	}
}

// The same run is opened again by a program of another build.
func TestOpenAgainByAnotherBuild(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	// the build of the first is kept, and everything else is the same
	first := must(cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{Build: cluster.Build{Revision: "first"}}))
	again, err := cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{Build: cluster.Build{Revision: "second"}})
	if err != nil || again.Build != first.Build {
		t.Errorf("opened again with build %v: %v, error %v", first.Build, again.Build, err)
	}
	if _, err := cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{Simulation: &cluster.Simulation{Seed: 4}}); err == nil || !strings.Contains(err.Error(), "another run named r was already opened") {
		t.Errorf("with another seed: error %v", err)
	}
}
