package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// An agent with another problem, other options, another algorithm or another version of the messages is refused. The error names the first
// difference. A refused agent has published nothing.
func TestAnotherQuestion(t *testing.T) {
	q := questionOf(t)
	other := q
	other.Problem = enginetest.Paper(t, 2, 0.4)
	delta, algorithm, measured := q, q, q
	delta.Options.Delta = 0.1
	algorithm.Algorithm = "CoBayesFC"
	measured.Simulated = false
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	for want, mine := range map[string]question.Question{
		"its problem differs in data": other, "its option Delta is 0.1, but the run has 0.05": delta,
		"it runs CoBayesFC (fc), but the run uses CoTestFC (fc)": algorithm, "its problem differs in data, kernel": measured,
	} {
		a := agentOf(t, x, q, 0)
		a.Make = maker(mine)
		_, err := a.Take(t.Context())
		if refused := (*cluster.RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
	a := agentOf(t, x, q, 0)
	a.Task = "nowhere"
	if _, err := a.Take(t.Context()); err == nil || !strings.Contains(err.Error(), `no task is called "nowhere"; there are `) {
		t.Errorf("another task: error %v", err)
	}
	a = agentOf(t, x, q, 0)
	a.Run = "other"
	if _, err := a.Take(t.Context()); !errors.Is(err, cluster.ErrNoRun) || !strings.Contains(err.Error(), "the server has r") {
		t.Errorf("another run: error %v", err)
	}
	// the fact that opened the run is the only one
	if facts, err := x.Runs(t.Context()); err != nil || len(facts) != 1 || len(cluster.FactsOfMemory(x)) != 1 {
		t.Errorf("who was refused said something: %d facts", len(cluster.FactsOfMemory(x)))
	}
	// messages of another version
	x = cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	cluster.FactsOfMemory(x)[0].Body = []byte(strings.Replace(string(cluster.FactsOfMemory(x)[0].Body), `"wire":1`, `"wire":2`, 1))
	if _, err := agentOf(t, x, q, 0).Take(t.Context()); err == nil || !strings.Contains(err.Error(), "its messages have version 1, but the run's messages have version 2") {
		t.Errorf("another version: error %v", err)
	}
}

// Refusals to open a run give the reason.
func TestOpenRefuses(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	if _, err := cluster.Open(t.Context(), x, "R 1", q, recipe, cluster.OpenOptions{}); err == nil {
		t.Error("a name that is none was taken")
	}
	if len(cluster.FactsOfMemory(x)) != 0 {
		t.Errorf("%d facts of runs that were refused", len(cluster.FactsOfMemory(x)))
	}
	opened(t, x, q, cluster.OpenOptions{})
	opened(t, x, q, cluster.OpenOptions{}) // again
	if len(cluster.FactsOfMemory(x)) != 1 {
		t.Errorf("%d facts of a run that was opened twice", len(cluster.FactsOfMemory(x)))
	}
	q.Options.Delta = 0.2
	if _, err := cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{}); err == nil || !strings.Contains(err.Error(), "another run named r was already opened") {
		t.Errorf("another run of that name: error %v", err)
	}
}

// A second agent of a task is refused with both named, also with the folder of the first while that is in use. The folder may
// come back with another build, and belongs to no other task.
func TestTwoAgentsForOneTask(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	first := agentOf(t, x, q, 0)
	ctx, cancel := context.WithCancel(t.Context())
	joined := make(chan bool)
	first.Notice = func(n cluster.Notice) {
		if n.Kind == cluster.NoticeJoined {
			close(joined)
		}
	}
	ended := make(chan error)
	go func() { _, err := first.Take(ctx); ended <- err }()
	<-joined
	// its folder is a new one
	second := agentOf(t, x, q, 0)
	_, err := second.Take(t.Context())
	if refused := (*cluster.RefusedError)(nil); !errors.As(err, &refused) || strings.Count(err.Error(), "instance ") != 2 || !strings.Contains(err.Error(), "already has an agent") {
		t.Errorf("error %v; want both instances named", err)
	}
	// the folder of the first while it is in use
	third := first
	third.Notice = nil
	if _, err := third.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "another program has the folder") {
		t.Errorf("the same folder: error %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the first agent ended with %v", err)
	}
	// the folder comes back, with a program of another build
	first.Notice, first.Build = nil, cluster.Build{Revision: "later", System: "linux/arm64"}
	all := []cluster.Agent{first}
	for v := 1; v < q.Problem.V(); v++ {
		all = append(all, agentOf(t, x, q, v))
	}
	for v, got := range takeAll(t, all) {
		sameAs(t, fmt.Sprintf("agent %d", v+1), got, inProcess(t, q))
	}
	// the folder of another task
	other := agentOf(t, x, q, 1)
	other.Folder = first.Folder
	if _, err := other.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "needs its own folder") {
		t.Errorf("the folder of another task: error %v", err)
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
