package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// question is the one that most faults are tried on.
func question(t testing.TB) cluster.Question { return questions(t)[1].Question }

// notices collects what agents notice.
type notices struct {
	mu  sync.Mutex
	all []cluster.Notice
}

func (n *notices) take(x cluster.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, x)
}

// of returns the texts of a kind.
func (n *notices) of(kind cluster.NoticeKind) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, x := range n.all {
		if x.Kind == kind {
			out = append(out, x.Text)
		}
	}
	return strings.Join(out, "\n")
}

// must is a helper for values of which no error is expected.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAnotherQuestion(t *testing.T) {
	q := question(t)
	other := q
	other.Problem = enginetest.Paper(t, 2, 0.4)
	delta, algorithm, measured := q, q, q
	delta.Options.Delta = 0.1
	algorithm.Algorithm = "CoBayesFC"
	measured.Measured = true
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	for want, mine := range map[string]cluster.Question{
		"its problem is another one": other, "its option Delta is 0.1, and that of the run 0.05": delta,
		"it runs CoBayesFC (fc), and the run is of CoTestFC (fc)": algorithm, "its problem is another one: data, kernel": measured,
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
	if _, err := a.Take(t.Context()); !errors.Is(err, cluster.ErrNoRun) || !strings.Contains(err.Error(), "there are r") {
		t.Errorf("another run: error %v", err)
	}
	if facts, err := x.Runs(t.Context()); err != nil || len(facts) != 1 || len(x.facts) != 1 {
		t.Errorf("who was refused said something: %d facts", len(x.facts))
	}
	// messages of another version
	x = newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	x.facts[0].Body = []byte(strings.Replace(string(x.facts[0].Body), `"wire":1`, `"wire":2`, 1))
	if _, err := agentOf(t, x, q, 0).Take(t.Context()); err == nil || !strings.Contains(err.Error(), "its messages have version 1, and those of the run version 2") {
		t.Errorf("another version: error %v", err)
	}
}

// Who may not open a run is told why.
func TestOpenRefuses(t *testing.T) {
	q := question(t)
	alone := q
	alone.Algorithm = "IndTestFC"
	x := newStandIn()
	if _, err := cluster.Open(t.Context(), x, "r", alone, recipe, cluster.OpenOptions{}); err == nil || !strings.Contains(err.Error(), "its agents tell each other nothing") {
		t.Errorf("agents that tell nothing: error %v", err)
	}
	if _, err := cluster.Open(t.Context(), x, "R 1", q, recipe, cluster.OpenOptions{}); err == nil {
		t.Error("a name that is none was taken")
	}
	if len(x.facts) != 0 {
		t.Errorf("%d facts of runs that were refused", len(x.facts))
	}
	opened(t, x, q, cluster.OpenOptions{})
	opened(t, x, q, cluster.OpenOptions{}) // again
	if len(x.facts) != 1 {
		t.Errorf("%d facts of a run that was opened twice", len(x.facts))
	}
	q.Options.Delta = 0.2
	if _, err := cluster.Open(t.Context(), x, "r", q, recipe, cluster.OpenOptions{}); err == nil || !strings.Contains(err.Error(), "it is another one") {
		t.Errorf("another run of that name: error %v", err)
	}
}

func TestTwoAgentsForOneTask(t *testing.T) {
	q := question(t)
	x := newStandIn()
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
	second := agentOf(t, x, q, 0)
	_, err := second.Take(t.Context())
	if refused := (*cluster.RefusedError)(nil); !errors.As(err, &refused) || strings.Count(err.Error(), "instance ") != 2 || !strings.Contains(err.Error(), "has an agent already") {
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
	if _, err := other.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "needs a folder of its own") {
		t.Errorf("the folder of another task: error %v", err)
	}
}

// firstPlan returns the first plan of a question as an agent would publish it, changed.
func firstPlan(t *testing.T, q cluster.Question, change func(*cluster.PlanBody)) cluster.Fact {
	t.Helper()
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	a := agentOf(t, x, q, 0)
	a.Notice = func(n cluster.Notice) {
		if n.Kind == cluster.NoticePulled {
			cancel()
		}
	}
	a.Take(ctx)
	f, ok, err := x.Find(t.Context(), "r", 1, "plan")
	if err != nil || !ok {
		t.Fatal("no plan: ", err)
	}
	var p cluster.PlanBody
	if err := json.Unmarshal(f.Body, &p); err != nil {
		t.Fatal(err)
	}
	change(&p)
	f.Body = must(json.Marshal(p))
	return f
}

func TestForgedPlan(t *testing.T) {
	q := question(t)
	for want, change := range map[string]func(*cluster.PlanBody){
		"it is of round 2":                                func(p *cluster.PlanBody) { p.Round = 2 },
		"it has 29 arms, and the problem has 30":          func(p *cluster.PlanBody) { p.Counts = p.Counts[1:] },
		"arm 1 has -1 pulls":                              func(p *cluster.PlanBody) { p.Counts[0] = -1 },
		"its author is agent-6, and the run has 5 agents": func(p *cluster.PlanBody) { p.Author = 5 },
		"goes by another history":                         func(p *cluster.PlanBody) { p.Digest = "0123456789abcdef" },
		"goes by another history (digest ":                func(p *cluster.PlanBody) { p.Counts[3]++ }, // the digest is of other counts
		"asks for squared deviations":                     func(p *cluster.PlanBody) { p.Squares = true },
		"it has 0 counts, and done is false":              func(p *cluster.PlanBody) { p.Counts = nil },
		"it answers 0 tasks":                              func(p *cluster.PlanBody) { p.Done, p.Counts = true, nil },
		"it speaks of a round before":                     func(p *cluster.PlanBody) { p.Absent = []cluster.Absence{{Agent: 1}} },
		`answer 1 is of task "elsewhere", and`: func(p *cluster.PlanBody) {
			p.Done, p.Counts, p.Answers = true, nil, slices.Repeat([]engine.Answer{{Task: "elsewhere"}}, 5)
		},
	} {
		x := newStandIn()
		opened(t, x, q, cluster.OpenOptions{})
		if err := x.Publish(t.Context(), firstPlan(t, q, change)); err != nil {
			t.Fatal(err)
		}
		a := agentOf(t, x, q, 2)
		count := &counting{pulls: map[[2]int]int{}}
		a.Puller = func(q cluster.Question, b cluster.RunBody) (cluster.Puller, error) {
			count.Puller, _ = simulated(q, b)
			return count, nil
		}
		_, err := a.Take(t.Context())
		if refused := (*cluster.PlanError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
		if len(count.pulls) > 0 {
			t.Errorf("%s: pulls were made: %v", want, count.pulls)
		}
	}
	for _, body := range []string{"", "{", "null}", `{"round":1,"later":true}`, `{"round":1} {}`} {
		x := newStandIn()
		opened(t, x, q, cluster.OpenOptions{})
		x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1, Name: "plan", Body: []byte(body)})
		if _, err := agentOf(t, x, q, 2).Take(t.Context()); err == nil || !strings.Contains(err.Error(), "the plan of round 1 is refused: the fact r/1/plan cannot be read") {
			t.Errorf("%q: error %v", body, err)
		}
	}
}

// A plan that another build made is taken, and counted; a decision that its author made otherwise is
// named with the task, the arm and both statistics, and the answers come from the end's author.
func TestPlanOfAnotherBuild(t *testing.T) {
	q := question(t)
	env := func(plan engine.Plan) engine.Batch {
		puller := must(simulated(q, cluster.RunBody{})).(cluster.Simulated)
		return must(puller.Environment.Pull(t.Context(), plan))
	}
	// what another build would plan: a pull more, and its digest
	e := must(q.Entry())
	steps := must(cluster.BeginForTest(t.Context(), q))
	plan, _, err := steps.Next()
	if err != nil {
		t.Fatal(err, e)
	}
	plan.Counts[4]++
	if err := steps.Amend(plan.Counts); err != nil {
		t.Fatal(err)
	}
	plan, _, _ = steps.Next()
	build := cluster.Build{System: "linux/other"}
	first := firstPlan(t, q, func(p *cluster.PlanBody) { p.Counts, p.Digest, p.Build, p.Author = plan.Counts, plan.Digest, build, 3 })
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	if err := x.Publish(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	// and that after round 1 it holds arm 2 for out
	if err := steps.Learn(env(plan)); err != nil {
		t.Fatal(err)
	}
	plan, _, err = steps.Next()
	if err != nil {
		t.Fatal(err)
	}
	second := cluster.PlanBody{Round: 2, Author: 3, Build: build, Counts: plan.Counts, Digest: plan.Digest, Before: cluster.Decisions{
		Digest: "other", Out: []cluster.Out{{Arm: 2, Gap: 0.75, Width: 0.5}}, Leaders: slices.Repeat([]cluster.Leader{{Arm: 0}}, 5)}}
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 2, Name: "plan", Body: must(json.Marshal(second))}); err != nil {
		t.Fatal(err)
	}
	var all []cluster.Agent
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, x, q, v))
	}
	want := inProcess(t, q)
	for v, got := range takeAll(t, all) {
		if got.Taken != 1 || got.Outcome.Rounds[0].Pulls != want.Trace[0].Pulls+1 || !got.Outcome.Rounds[0].Amended {
			t.Errorf("agent %d: %d plans taken, first round %+v", v+1, got.Taken, got.Outcome.Rounds[0])
		}
		for i, a := range got.Answers {
			if a.Arm != want.Answers[i].Arm {
				t.Errorf("agent %d, task %s: answer %s, want %s", v+1, a.Task, a.Arm, want.Answers[i].Arm)
			}
		}
		i := slices.IndexFunc(got.Differences, func(d cluster.Difference) bool { return d.What == "out" && d.Arm == q.Problem.Arms.Names[2] })
		if i < 0 {
			t.Fatalf("agent %d: the difference is not named: %v", v+1, got.Differences)
		}
		d := got.Differences[i]
		if d.Task != q.Problem.Tasks.Names[0] || d.Round != 1 || d.There != "out (behind by 0.75 at a threshold of 0.5)" || !strings.HasPrefix(d.Here, "open (behind by ") {
			t.Errorf("agent %d: %+v", v+1, d)
		}
	}
}

// spoilt publishes, in place of agent-2's message of round 1, something else.
type spoilt struct {
	*standIn
	body func([]byte) []byte
}

func (s spoilt) Publish(ctx context.Context, f cluster.Fact) error {
	if f.Round == 1 && f.Name == cluster.AgentName(1) {
		f.Body = s.body(f.Body)
	}
	return s.standIn.Publish(ctx, f)
}

// A message that is malformed, of another agent, of an old round, of another plan, or with a reward that
// is not finite, is refused and named. Nobody learns from it; where the others go on, they go on without
// it.
func TestMessagesThatAreRefused(t *testing.T) {
	q := question(t)
	q.Options.MaxRounds = 3
	merged := func(change func(*wire.Merged)) func([]byte) []byte {
		return func(b []byte) []byte {
			m := must(wire.ParseMerged(b))
			change(&m)
			return must(m.Append(nil))
		}
	}
	for want, body := range map[string]func([]byte) []byte{
		"it ends within the version":    func([]byte) []byte { return nil },
		"bytes follow the last entry":   func(b []byte) []byte { return append(slices.Clone(b), 7) },
		"it says that it is of agent-1": merged(func(m *wire.Merged) { m.Agent = 0 }),
		"it is of round 3":              merged(func(m *wire.Merged) { m.Round = 3 }),
		"it answers the plan 07":        merged(func(m *wire.Merged) { m.Digest = wire.Digest{7} }),
		"it has 5 arms":                 merged(func(m *wire.Merged) { m.Counts, m.Means = m.Counts[1:], m.Means[1:] }),
		"pulls of arm 1 of the task":    merged(func(m *wire.Merged) { m.Counts[0]++ }),
		"squared deviations or none":    merged(func(m *wire.Merged) { m.Squares = make([]float64, len(m.Counts)) }),
		"must be a finite number, got NaN": func(b []byte) []byte {
			m := must(wire.ParseMerged(b))
			i := len(b) - 8 // the last mean
			if m.Counts[len(m.Counts)-1] == 0 {
				t.Fatal("the last arm was not pulled")
			}
			return append(slices.Clone(b[:i]), 1, 0, 0, 0, 0, 0, 0xf8, 0x7f)
		},
	} {
		x := newStandIn()
		opened(t, x, q, cluster.OpenOptions{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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
				a.Patience, a.GoOn, a.Notice = 300*time.Millisecond, true, said.take
			}
			wg.Go(func() { defer leave(); finished[v], errs[v] = a.Take(mine) })
		}
		wg.Wait()
		cancel()
		if err := errs[0]; err != nil {
			t.Errorf("%s: error %v", want, err)
			continue
		}
		if text := said.of(cluster.NoticeClosed); !strings.Contains(text, want) || !strings.Contains(text, "agent-2 (task ") {
			t.Errorf("noticed %q; want %q", text, want)
		}
		lo, hi := q.Problem.ArmsOf(1)
		if s := finished[0].Silent; len(s) == 0 || s[0].Round != 1 || s[0].Task != q.Problem.Tasks.Names[1] {
			t.Errorf("%s: silent %v", want, s)
		}
		told := finished[0].Outcome.Rounds[0].Pulls
		var p cluster.PlanBody
		f, _, _ := x.Find(t.Context(), "r", 1, "plan")
		if err := json.Unmarshal(f.Body, &p); err != nil {
			t.Fatal(err)
		}
		own := 0
		for i := lo; i < hi; i++ {
			own += p.Counts[i]
		}
		if all := p; told != sum(all.Counts)-own {
			t.Errorf("%s: %d pulls were learned in round 1, want %d", want, told, sum(all.Counts)-own)
		}
	}
}

// Where the author of a plan counts a message that is refused, the others stop and name it: it learned
// something else than they can.
func TestPlanThatCountsARefusedMessage(t *testing.T) {
	q := question(t)
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	var wg, other sync.WaitGroup
	for v := range q.Problem.V() {
		a := agentOf(t, x, q, v)
		if v == 1 {
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

func sum(counts []int) int {
	s := 0
	for _, c := range counts {
		s += c
	}
	return s
}

// A reward that is not finite is refused where it is told, and nothing of it is kept.
func TestRewardNotFinite(t *testing.T) {
	q := question(t)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := newStandIn()
		opened(t, x, q, cluster.OpenOptions{})
		a := agentOf(t, x, q, 0)
		a.Puller = func(cluster.Question, cluster.RunBody) (cluster.Puller, error) {
			return pullFunc(func(_ context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
				return tell(cluster.Reward{Arm: p.Arms[0].Arm, Count: 1, Mean: bad})
			}), nil
		}
		if _, err := a.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "must be a finite number") || !strings.Contains(err.Error(), "after 3 tries; what was measured is kept") {
			t.Errorf("%g: error %v", bad, err)
		}
		if _, ok, _ := x.Find(t.Context(), "r", 1, cluster.AgentName(0)); ok {
			t.Errorf("%g was told to the others", bad)
		}
	}
}

// pullFunc is a function as a Puller.
type pullFunc func(context.Context, cluster.Pulls, func(...cluster.Reward) error) error

func (f pullFunc) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	return f(ctx, p, tell)
}

// One agent never says anything: it is named after the patience, and the others wait; where they go on,
// its rounds are amended, and the result names its task and what it rests on.
func TestSilentAgent(t *testing.T) {
	q := question(t)
	q.Measured, q.Options.MaxRounds = true, 5
	p := *q.Problem
	q.Problem = &p
	for _, relay := range []bool{false, true} {
		x := newStandIn()
		opened(t, x, q, cluster.OpenOptions{Relay: relay})
		said := &notices{}
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		var wg sync.WaitGroup
		folders := map[int]string{}
		for v := range 4 {
			a := agentOf(t, x, q, v)
			folders[v] = a.Folder
			a.Patience, a.Notice = 50*time.Millisecond, said.take
			wg.Go(func() {
				if _, err := a.Take(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("agent %d did not wait: %v", v+1, err)
				}
			})
		}
		wg.Wait()
		cancel()
		if text := said.of(cluster.NoticeSilent); !strings.Contains(text, "round 1 waits for agent-5 (task ") || strings.Contains(text, "agent-4") {
			t.Errorf("noticed %q", text)
		}
		s := must(cluster.StatusOf(t.Context(), x, "r"))
		if !s.Open || s.Round != 1 || !s.Agents[4].Silent || s.Agents[3].Silent || s.Agents[4].Joined || s.String() != "round 1 waits for 1 of 5 agents" {
			t.Errorf("status %+v", s)
		}
		// the same folders, and now they go on
		var all []cluster.Agent
		for v := range 4 {
			a := agentOf(t, x, q, v)
			a.Folder, a.Patience, a.GoOn = folders[v], 400*time.Millisecond, v == 0 || !relay
			all = append(all, a)
		}
		if relay { // whoever relays must be one that goes on
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
			want := fmt.Sprintf("task %q: its agent was silent, and %d of %d rounds went on without it; the answers hold only if it was not silent because of its rewards", p.Tasks.Names[4], got.Rounds, got.Rounds)
			if !strings.Contains(text, want) {
				t.Errorf("agent %d: warnings %q; want %q", v+1, text, want)
			}
			for i, a := range got.Answers[:4] {
				if a.Decided && a.Arm != bestArm(q, i) {
					t.Errorf("agent %d: task %q has the answer %q", v+1, a.Task, a.Arm)
				}
			}
		}
	}
}

// bestArm returns the truly best arm of a task.
func bestArm(q cluster.Question, v int) string {
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
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	var wg sync.WaitGroup
	for v := range 4 {
		a := agentOf(t, x, q, v)
		a.Patience, a.GoOn = 30*time.Millisecond, true
		wg.Go(func() {
			if _, err := a.Take(t.Context()); !errors.Is(err, engine.ErrFixedPlans) || !strings.Contains(err.Error(), "lacks the pulls of an agent") {
				t.Errorf("agent %d: error %v", v+1, err)
			}
		})
	}
	wg.Wait()
}

func TestStop(t *testing.T) {
	q := question(t)
	x := newStandIn()
	opened(t, x, q, cluster.OpenOptions{})
	var wg sync.WaitGroup
	for v := range 4 { // the fifth never comes
		a := agentOf(t, x, q, v)
		wg.Go(func() {
			got, err := a.Take(t.Context())
			if err != nil || got.Stopped == nil || *got.Stopped != (cluster.StopBody{By: "Ann", Reason: "enough"}) || got.Status != engine.StatusInterrupted {
				t.Errorf("agent %d: %v, %s, error %v", v+1, got.Stopped, got.Status, err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	if err := cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Ann", Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := cluster.Stop(t.Context(), x, "r", cluster.StopBody{By: "Bob"}); err == nil || !strings.Contains(err.Error(), "run r was stopped already, by Ann: enough") {
		t.Errorf("stopped twice: %v", err)
	}
	if got, err := agentOf(t, x, q, 4).Take(t.Context()); err != nil || got.Stopped == nil || got.Stopped.String() != "the run was stopped by Ann: enough" {
		t.Errorf("who comes late: %v, %v", got.Stopped, err)
	}
}

// disturbed gives facts twice, late and out of order.
type disturbed struct {
	*standIn
	rng *rand.Rand
	mu  *sync.Mutex
}

func (d disturbed) Read(ctx context.Context, run string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		out := make(chan cluster.Fact)
		go func() {
			for f, err := range d.standIn.Read(ctx, run) {
				if err != nil {
					return
				}
				for range 2 {
					d.mu.Lock()
					wait := time.Duration(d.rng.IntN(20)) * time.Millisecond
					d.mu.Unlock()
					go func() {
						time.Sleep(wait)
						select {
						case out <- f:
						case <-ctx.Done():
						}
					}()
				}
			}
		}()
		for {
			select {
			case <-ctx.Done():
				yield(cluster.Fact{}, ctx.Err())
				return
			case f := <-out:
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

func TestFactsDoubledLateAndOutOfOrder(t *testing.T) {
	for _, q := range questions(t)[1:] {
		x := disturbed{newStandIn(), rand.New(rand.NewPCG(1, 2)), &sync.Mutex{}}
		opened(t, x, q.Question, cluster.OpenOptions{})
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, x, q.Question, v))
		}
		want := inProcess(t, q.Question)
		for v, got := range takeAll(t, all) {
			sameAs(t, fmt.Sprintf("%s, agent %d", q.name, v+1), got, want)
		}
	}
}
