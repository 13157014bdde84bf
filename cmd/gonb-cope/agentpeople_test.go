package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// One agent's pulls are the lists of a campaign, whose results people enter; the others draw theirs. The
// run continues as results arrive, and the campaign knows that it is led.
func TestAgentOfPeople(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	recipe := wells()
	q, err := makeQuestion(ctx, recipe)
	if err != nil {
		t.Fatal(err)
	}
	x := facts(t)
	try.Of(cluster.Open(ctx, x, "wells", q, recipe, cluster.OpenOptions{Simulation: &cluster.Simulation{Seed: 4}}))
	lab := filepath.Join(t.TempDir(), "lab")
	take := func(o *agentOptions) (cluster.Finished, error) {
		return cluster.Agent{Facts: x, Run: o.run, Task: o.task, Folder: t.TempDir(), Make: o.make, Build: cluster.BuildHere(), Puller: o.puller(ctx)}.Take(ctx)
	}
	var wg sync.WaitGroup
	var people, drawn cluster.Finished
	done := make(chan bool)
	wg.Go(func() {
		defer close(done)
		var err error
		if people, err = take(&agentOptions{run: "wells", task: "oslo", campaign: lab}); err != nil {
			t.Errorf("people: %v", err)
		}
	})
	wg.Go(func() {
		var err error
		if drawn, err = take(&agentOptions{run: "wells", task: "rome", simulate: true}); err != nil {
			t.Errorf("simulated: %v", err)
		}
	})
	rng, told := rand.New(rand.NewPCG(1, 1)), 0
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(20 * time.Millisecond):
			told += work(t, ctx, lab, rng)
		}
	}
	wg.Wait()
	for who, f := range map[string]cluster.Finished{"people": people, "simulated": drawn} {
		if f.Status != "decided" || len(f.Answers) != 2 || f.Answers[0].Arm != "c" || f.Answers[1].Arm != "c" {
			t.Errorf("%s: %s, answers %+v", who, f.Status, f.Answers)
		}
	}
	_, rounds, _, err := cluster.Replay(ctx, x, "wells", makeQuestion)
	if err != nil {
		t.Fatal(err)
	}
	of := 0
	for _, r := range rounds {
		of += r.Counts[0] + r.Counts[1] + r.Counts[2]
	}
	if told == 0 || told != of {
		t.Errorf("people told %d results, the run has %d of their task", told, of)
	}
	k := open(t, ctx, lab)
	defer k.Close()
	s, err := k.Status(ctx)
	if err != nil || len(s.Notes) == 0 || !strings.Contains(s.Notes[0].String(), `planned by run wells for task "oslo"`) {
		t.Errorf("status: notes %q, error %v", s.Notes, err)
	}
	if _, err := k.Do(ctx, &campaign.Close{Reason: "no time", By: "Ann"}); err == nil || !strings.Contains(err.Error(), "belongs to a run of agents (run wells") {
		t.Errorf("closing a round of a led campaign: %v", err)
	}
	other := &agentOptions{run: "wells", task: "rome", campaign: lab, recipe: recipe}
	if _, err := other.openLed(ctx); err == nil || !strings.Contains(err.Error(), "does not belong to run wells for task \"rome\"") {
		t.Errorf("the campaign of another agent: %v", err)
	}
}

// wells returns the recipe of a run with two tasks of three arms.
func wells() question.Recipe {
	text := []byte("p = problem(\"wells.csv\", kernel=arm(linear()), noise=1)\nwells = protocol(p, delta=0.05, algorithm=\"CoTestFC\", runs=0, seed=3)\n")
	data := []byte("task,arm,x_heat,mean\noslo,a,1,1\noslo,b,2,2\noslo,c,3,3\nrome,a,1,1\nrome,b,2,2\nrome,c,3,3\n")
	return question.Recipe{Script: question.File{Path: "wells.cope", Content: text}, Data: []question.File{{Path: "wells.csv", Content: data}}}
}

// open opens the campaign.
func open(t *testing.T, ctx context.Context, dir string) *folder.Campaign {
	t.Helper()
	return try.Of(folder.Open(ctx, dir, dsl.MakeProtocol, folder.Options{}))
}

// work asks for a list, records its results, and returns their number.
func work(t *testing.T, ctx context.Context, dir string, rng *rand.Rand) int {
	if _, err := os.Stat(filepath.Join(dir, folder.DatabaseFile)); err != nil {
		return 0 // the agent has not begun
	}
	k := open(t, ctx, dir)
	defer k.Close()
	list, err := k.Ask(ctx, campaign.Request{By: "Ann"})
	if err != nil || len(list.Rows) == 0 {
		return 0
	}
	sheet := "id,reward\n"
	for _, r := range list.Rows {
		if r.Task != "oslo" {
			t.Errorf("the list has a pull of task %q", r.Task)
		}
		sheet += fmt.Sprintf("%s,%g\n", r.ID, r.X[0]+0.8*rng.NormFloat64())
	}
	receipt, err := k.Tell(ctx, []byte(sheet), campaign.TellOptions{By: "Ann", Sure: true})
	if err != nil || !receipt.Taken {
		t.Errorf("telling: %+v, error %v", receipt, err)
	}
	return len(list.Rows)
}

// An agent that restarts after it reported a part of its list reports the rest, and nothing twice;
// results that cannot make the pulls are an error.
func TestFitting(t *testing.T) {
	one := func(arm int, mean float64) cluster.Reward { return cluster.Reward{Arm: arm, Count: 1, Mean: mean} }
	two := func(arm int, mean float64) cluster.Reward { return cluster.Reward{Arm: arm, Count: 2, Mean: mean} }
	for name, c := range map[string]struct {
		all          []cluster.Reward
		counts, left []int
		want         string
	}{
		"at first":           {[]cluster.Reward{one(0, 1), one(0, 2), one(1, 3)}, []int{2, 1}, []int{2, 1}, "[1 2 3]"},
		"more than asked":    {[]cluster.Reward{one(0, 1), one(0, 2), one(0, 9), one(1, 3)}, []int{2, 1}, []int{2, 1}, "[1 2 3]"},
		"the first was told": {[]cluster.Reward{one(0, 1), one(0, 2), one(1, 3)}, []int{2, 1}, []int{1, 1}, "[2 3]"},
		"an arm was told":    {[]cluster.Reward{one(0, 1), one(0, 2), one(1, 3)}, []int{2, 1}, []int{0, 1}, "[3]"},
		"all was told":       {[]cluster.Reward{one(0, 1), one(0, 2), one(1, 3)}, []int{2, 1}, []int{0, 0}, "[]"},
		"means":              {[]cluster.Reward{one(0, 1), two(0, 9), one(0, 2)}, []int{2}, []int{1}, "[2]"},
		"too much at once":   {[]cluster.Reward{one(0, 1), two(0, 9)}, []int{2}, []int{2}, "arm 1: 1 left"},
		"half was told":      {[]cluster.Reward{two(0, 9)}, []int{2}, []int{1}, "arm 1: 1 left"},
	} {
		got, arm, left := selectResults(c.all, c.counts, c.left)
		text := fmt.Sprintf("arm %d: %d left", arm+1, left)
		if left == 0 {
			means := []float64{}
			for _, r := range got {
				means = append(means, r.Mean)
			}
			text = fmt.Sprint(means)
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// Whoever interrupts an agent of people does not wait for its campaign.
func TestPeopleAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lab := filepath.Join(t.TempDir(), "lab")
	if _, err := (&agentOptions{run: "wells", task: "oslo", campaign: lab, recipe: wells()}).people(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(lab); err == nil {
		t.Error("the campaign was made")
	}
}

// facts starts a server on a free port of loopback and joins it, for the time of a test.
func facts(t *testing.T) cluster.Exchange {
	t.Helper()
	s := try.Of(jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: "127.0.0.1:0"}))
	t.Cleanup(func() { s.Close() })
	x := try.Of(jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{}))
	t.Cleanup(func() { x.Close() })
	return x
}
