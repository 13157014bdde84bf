package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// One agent never says anything: it is named after the patience, and the others wait; where they go on,
// its rounds are amended, and the result names its task and what it rests on.
func TestSilentAgent(t *testing.T) {
	q := questionOf(t)
	// measured, so that there is a result with warnings
	q.Simulated, q.Options.MaxRounds = false, 3
	p := *q.Problem
	q.Problem = &p
	for _, relay := range []bool{false, true} {
		t.Run(fmt.Sprint("relay ", relay), func(t *testing.T) {
			t.Parallel()
			x := cluster.NewMemory()
			opened(t, x, q, cluster.OpenOptions{Relay: relay})
			said := &notices{}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			var wg sync.WaitGroup
			folders := map[int]string{} // of the agents that wait first and go on later
			for v := range 4 {
				a := agentOf(t, x, q, v)
				folders[v] = a.Folder
				a.Patience, a.Notice = 50*time.Millisecond, said.take
				wg.Go(func() {
					if _, err := a.Take(ctx); !errors.Is(err, context.Canceled) {
						t.Errorf("agent %d did not wait: %v", v+1, err)
					}
				})
			}
			// On a busy machine another one may be named first, if it is silent, too.
			alone := regexp.MustCompile(`(?m)^round 1 waits for agent-5 \(task "[^"]*"\): it is silent$`)
			for ctx.Err() == nil && !alone.MatchString(said.of(cluster.NoticeSilent)) {
				time.Sleep(10 * time.Millisecond)
			}
			if ctx.Err() != nil {
				t.Errorf("noticed %q", said.of(cluster.NoticeSilent))
			}
			cancel()
			wg.Wait()
			s := must(cluster.StatusOf(t.Context(), x, "r"))
			if !s.Open || s.Round != 1 || !s.Agents[4].Silent || s.Agents[3].Silent || s.Agents[4].Joined || s.String() != "round 1 waits for 1 of 5 agents" {
				t.Errorf("status %+v", s)
			}
			// the same folders, and now they go on
			// the second half: what was pulled is not pulled again
			var all []cluster.Agent
			for v := range 4 {
				a := agentOf(t, x, q, v)
				a.Folder, a.Patience, a.GoOn = folders[v], 4*time.Second, v == 0 || !relay
				all = append(all, a)
			}
			if relay { // the agent that relays must be one that goes on
				for v := range all {
					all[v].GoOn = true
				}
			}
			for v, got := range takeAll(t, all) {
				if len(got.Silent) != got.Rounds || got.Silent[0].Task != p.Tasks.Names[4] {
					t.Errorf("agent %d: silent %v in %d rounds", v+1, got.Silent, got.Rounds)
				}
				text := ""
				for _, w := range got.Result.Warnings {
					text += w.String() + "\n"
				}
				want := fmt.Sprintf("the agent of task %q sent nothing in %d of %d rounds, which continued without it. The guarantee holds only if this did not depend on its rewards", p.Tasks.Names[4], got.Rounds, got.Rounds)
				if !strings.Contains(text, want) {
					t.Errorf("agent %d: warnings %q; want %q", v+1, text, want)
				}
				for i, a := range got.Answers[:4] {
					if a.Decided && a.Arm != bestArm(q, i) {
						t.Errorf("agent %d: task %q has the answer %q", v+1, a.Task, a.Arm)
					}
				}
			}
		})
	}
}

// bestArm returns the truly best arm of a task. It is by the expected rewards of the problem.
func bestArm(q question.Question, v int) string {
	lo, hi := q.Problem.ArmsOf(v)
	best := lo
	for i := lo; i < hi; i++ {
		if q.Problem.Mean[i] > q.Problem.Mean[best] {
			best = i
		}
	}
	return q.Problem.Arms.Names[best]
}

// An algorithm that takes rounds only as planned says so when an agent is missing.
func TestSilentAgentOfFixedPlans(t *testing.T) {
	q := questions(t)[0].Question
	q.Options.Schedule = engine.SchedulePaper
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	var wg sync.WaitGroup
	for v := range 4 {
		a := agentOf(t, x, q, v)
		a.Patience, a.GoOn = 30*time.Millisecond, true
		wg.Go(func() {
			if _, err := a.Take(t.Context()); !errors.Is(err, engine.ErrFixedPlans) || !strings.Contains(err.Error(), "an agent missed round") {
				t.Errorf("agent %d: error %v", v+1, err)
			}
		})
	}
	wg.Wait()
}
