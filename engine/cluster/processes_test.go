package cluster_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// Helper, Fatal and Fatalf are the methods of testing.TB that questions calls outside of a test.
func (outside) Helper() {}

func (outside) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (outside) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// long reports whether the long forms of these tests are asked for.
func long() bool { return os.Getenv("CLUSTER_LONG") != "" }

// Five processes over a server on loopback answer the paper's case 2 as one process does, bit for bit.
func TestProcessesAreTheRun(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes for each of four runs")
	}
	for i := range questions(t) {
		a := newApart(t, i, 1)
		a.begin(i, nil)
		a.disturb(0, 0)
		a.check()
	}
}

// Every agent is killed once at its own place, in round 2: before, during and after its pulls, and
// before it hears that its message was taken. The run is as if nothing had happened.
func TestAgentKilledAtItsWorstMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes")
	}
	// each agent has one of these places, the last one the first again
	places := []string{"before-pulls", "during-pulls", "after-pulls", "before-acknowledgement"}
	for i := 1; i < len(questions(t)); i += 2 {
		a := newApart(t, i, 2)
		a.begin(i, func(v int, r *role) string {
			r.Kill = places[v%len(places)] + ":2"
			return ""
		})
		a.disturb(0, 0)
		a.check()
		for v, p := range a.agents {
			if _, err := os.Stat(p.role.Log + "." + places[v%len(places)]); errors.Is(err, os.ErrNotExist) {
				t.Errorf("agent-%d was not killed %s", v, places[v%len(places)])
			}
		}
	}
}

// kills makes a run with kills at random moments, and returns how many there were. Question is an index of questions, and agents
// and server are the most kills of each.
func kills(t *testing.T, question int, seed uint64, agents, server int) (int, int) {
	t.Helper()
	a := newApart(t, question, seed)
	a.begin(question, func(_ int, r *role) string {
		r.Slow = 10 * time.Millisecond
		if question == 0 { // it has one round, or two
			r.Slow = 60 * time.Millisecond
		}
		return ""
	})
	a.disturb(agents, server)
	a.check()
	t.Logf("%s: %d kills of agents, %d of the server", a.question.name, a.killed.agents, a.killed.server)
	return a.killed.agents, a.killed.server
}

// Agents are killed at random moments; then the server; then both.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes, killed again and again")
	}
	var agents, server int
	for seed := uint64(1); seed == 1 || long() && seed <= 3; seed++ {
		for i := range questions(t) {
			a, s := kills(t, i, seed, 8, 0)
			agents, server = agents+a, server+s
			a, s = kills(t, i, seed+10, 0, 8)
			agents, server = agents+a, server+s
			if long() {
				a, s = kills(t, i, seed+20, 6, 6)
				agents, server = agents+a, server+s
			}
		}
	}
	t.Logf("%d kills of agents, %d of the server", agents, server)
	if agents < 20 || server < 20 {
		t.Errorf("%d kills of agents and %d of the server: too few to say anything", agents, server)
	}
}

// Everything is killed in the middle, server and agents, and started again from its files.
func TestEverythingStartedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes")
	}
	a := newApart(t, 2, 3)
	a.begin(2, func(_ int, r *role) string { r.Slow = 20 * time.Millisecond; return "" })
	a.await(3)
	// all are dead for a moment, and then come back in any order
	for _, p := range append(slices.Clone(a.agents), a.server) {
		p.kill()
	}
	a.server.again()
	var wg sync.WaitGroup
	for _, p := range a.agents {
		wg.Go(p.again)
	}
	wg.Wait()
	a.disturb(0, 0)
	a.check()
}
