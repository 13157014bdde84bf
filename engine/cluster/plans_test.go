package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// firstPlan returns the first plan of a question as an agent would publish it, changed. It is the plan of round 1 by agent 1,
// which ends once it has pulled.
func firstPlan(t *testing.T, q question.Question, change func(*cluster.PlanBody)) cluster.Fact {
	t.Helper()
	x := cluster.NewMemory()
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
	try.To(json.Unmarshal(f.Body, &p))
	change(&p)
	f.Body = must(json.Marshal(p))
	return f
}

// A plan that answers no question of this run is refused before any pull is made, with the reason.
func TestForgedPlan(t *testing.T) {
	q := questionOf(t)
	for want, change := range map[string]func(*cluster.PlanBody){
		"the plan belongs to round 2":                            func(p *cluster.PlanBody) { p.Round = 2 },
		"the plan has 29 arms, but the problem has 30":           func(p *cluster.PlanBody) { p.Counts = p.Counts[1:] },
		"arm 1 has -1 pulls":                                     func(p *cluster.PlanBody) { p.Counts[0] = -1 },
		"the plan's author is agent-6, but the run has 5 agents": func(p *cluster.PlanBody) { p.Author = 5 },
		"has another history":                                    func(p *cluster.PlanBody) { p.Digest = "0123456789abcdef" },
		"has another history (digest ":                           func(p *cluster.PlanBody) { p.Counts[3]++ }, // the digest is of other counts
		"asks for other squared deviations":                      func(p *cluster.PlanBody) { p.Squares = true },
		"the plan has 0 counts, but done is false":               func(p *cluster.PlanBody) { p.Counts = nil },
		"the plan answers 0 tasks":                               func(p *cluster.PlanBody) { p.Done, p.Counts = true, nil },
		"the plan refers to a round before":                      func(p *cluster.PlanBody) { p.Absent = []cluster.Absence{{Agent: 1}} },
		`answer 1 is for task "elsewhere", but`: func(p *cluster.PlanBody) {
			// the answers are of no task of the run
			p.Done, p.Counts, p.Answers = true, nil, slices.Repeat([]engine.Answer{{Task: "elsewhere"}}, 5)
		},
	} {
		x := cluster.NewMemory()
		opened(t, x, q, cluster.OpenOptions{})
		try.To(x.Publish(t.Context(), firstPlan(t, q, change)))
		a := agentOf(t, x, q, 2)
		count := &counting{pulls: map[[2]int]int{}}
		a.Puller = func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
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
	// no JSON, something after it, and an unknown field
	for _, body := range []string{"", "{", "null}", `{"round":1,"later":true}`, `{"round":1} {}`} {
		x := cluster.NewMemory()
		opened(t, x, q, cluster.OpenOptions{})
		x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1, Name: "plan", Body: []byte(body)})
		if _, err := agentOf(t, x, q, 2).Take(t.Context()); err == nil || !strings.Contains(err.Error(), "the plan of round 1 is refused: the message r/1/plan cannot be read") {
			t.Errorf("%q: error %v", body, err)
		}
	}
}

// A plan that another build made is taken, and counted; a decision that its author made otherwise is
// named with the task, the leaders and the arms left, and the answers come from the end's author.
func TestPlanOfAnotherBuild(t *testing.T) {
	q := questionOf(t)
	// the rewards of the tests' simulation
	env := func(plan engine.Plan) engine.Batch {
		puller := must(simulated(q, cluster.RunBody{})).(cluster.Simulated)
		return must(puller.Environment.Pull(t.Context(), plan))
	}
	// what another build would plan: a pull more, and its digest
	e := must(q.Entry())
	steps := must(cluster.BeginForTest(t.Context(), q))
	plan, _, err := steps.Next(t.Context())
	if err != nil {
		t.Fatal(err, e)
	}
	plan.Counts[4]++
	try.To(steps.Amend(plan.Counts))
	plan, _, _ = steps.Next(t.Context())
	build := cluster.Build{System: "linux/other"}
	first := firstPlan(t, q, func(p *cluster.PlanBody) { p.Counts, p.Digest, p.Build, p.Author = plan.Counts, plan.Digest, build, 3 })
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	try.To(x.Publish(t.Context(), first))
	// and that after round 1 it has fewer arms left in the first task
	try.To(steps.Learn(t.Context(), env(plan)))
	plan, _ = try.Two(steps.Next(t.Context()))
	here := cluster.DecisionsForTest(steps.Algorithm().Answers())
	there := slices.Clone(here)
	there[0].Open, there[0].Margin = there[0].Open-1, 0.75
	second := cluster.PlanBody{Round: 2, Author: 3, Build: build, Counts: plan.Counts, Digest: plan.Digest, Before: there}
	try.To(x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 2, Name: "plan", Body: must(json.Marshal(second))}))
	var all []cluster.Agent
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, x, q, v))
	}
	want := inProcess(t, q)
	for v, got := range takeAll(t, all) {
		// the first round has the pull more, and counts as amended
		if got.Taken != 1 || got.Outcome.Rounds[0].Pulls != want.Trace[0].Pulls+1 || !got.Outcome.Rounds[0].Amended {
			t.Errorf("agent %d: %d plans taken, first round %+v", v+1, got.Taken, got.Outcome.Rounds[0])
		}
		for i, a := range got.Answers {
			if a.Arm != want.Answers[i].Arm {
				t.Errorf("agent %d, task %s: answer %s, want %s", v+1, a.Task, a.Arm, want.Answers[i].Arm)
			}
		}
		// the difference is that of the first task, as both see it
		if want := []cluster.Difference{{Round: 1, Here: here[0], There: there[0]}}; !slices.Equal(got.Differences, want) {
			t.Errorf("agent %d: %v, want %v", v+1, got.Differences, want)
		}
	}
}

// An end that the rewards do not come to is refused by every agent, by who follows the run, and by who
// looks at it later. It gives no answer and no standing. So is one at the right moment with another answer. The run is made
// once; then each forgery takes the place of one of its plans.
func TestForgedEnd(t *testing.T) {
	q := questionOf(t)
	q.Simulated = false
	whole := cluster.NewMemory()
	opened(t, whole, q, cluster.OpenOptions{})
	var all []cluster.Agent
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, whole, q, v))
	}
	last := takeAll(t, all)[0].Rounds + 1
	facts := map[int]cluster.Fact{} // the plans
	var end cluster.PlanBody
	for r := 1; r <= last; r++ {
		facts[r], _, _ = whole.Find(t.Context(), "r", r, "plan")
	}
	if err := json.Unmarshal(facts[last].Body, &end); err != nil || !end.Done {
		t.Fatalf("no end: %v", err)
	}
	for _, c := range []struct {
		name, want string
		round      int
		forge      func(*cluster.PlanBody)
	}{
		{"before any pull", "of 5 tasks are open", 1, func(p *cluster.PlanBody) { p.Round, p.Absent = 1, nil }},
		{"another answer", "answers task \"" + end.Answers[0].Task + "\" by \"" + q.Problem.Arms.Names[3] + "\", but after the recorded rewards the answer is \"" + end.Answers[0].Arm + "\"", last,
			func(p *cluster.PlanBody) {
				p.Answers[0].Arm, p.Answers[0].Leader = q.Problem.Arms.Names[3], q.Problem.Arms.Names[3]
			}},
		{"another status", `states that the run ended as "budget used"`, last, func(p *cluster.PlanBody) { p.Status = engine.StatusBudget }},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := cluster.NewMemory()
			opened(t, x, q, cluster.OpenOptions{})
			var p cluster.PlanBody
			try.To(json.Unmarshal(facts[last].Body, &p))
			f := cluster.Fact{Run: "r", Round: c.round, Name: "plan"}
			c.forge(&p)
			f.Body = must(json.Marshal(p))
			// everything that was said before the forgery
			for r := 1; r < c.round; r++ {
				said := []cluster.Fact{facts[r]}
				for v := range q.Problem.V() {
					m, _, _ := whole.Find(t.Context(), "r", r, cluster.AgentName(v))
					said = append(said, m)
				}
				for _, m := range said {
					try.To(x.Publish(t.Context(), m))
				}
			}
			try.To(x.Publish(t.Context(), f))
			check := func(who string, got cluster.Finished, err error) {
				t.Helper()
				if refused := (*cluster.PlanError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error %v; want %q", who, err, c.want)
				}
				if got.Status != engine.StatusInterrupted || got.Result == nil || got.Result.Status != engine.StatusInterrupted || got.Result.Standing != engine.StandingNone || !strings.Contains(got.Result.Guarantee, c.want) {
					t.Errorf("%s: status %q, result %+v", who, got.Status, got.Result)
				}
			}
			// an agent, a replay and the status see the same
			a := agentOf(t, x, q, 2)
			f1, err := a.Take(t.Context())
			check("an agent", f1, err)
			f2, _, _, err := cluster.Replay(t.Context(), x, "r", maker(q))
			check("who looks later", f2, err)
			if !strings.Contains(f2.Refused, c.want) {
				t.Errorf("refused %q", f2.Refused)
			}
			s := must(cluster.StatusOf(t.Context(), x, "r"))
			if err := s.Check(t.Context(), x, maker(q)); err != nil || !strings.Contains(s.String(), c.want) || len(s.Answers) > 0 || s.Status != engine.StatusInterrupted {
				t.Errorf("status %+v, %q, error %v", s, s, err)
			}
		})
	}
	// a check takes nothing away from runs that nothing is wrong with
	begun := cluster.NewMemory()
	opened(t, begun, q, cluster.OpenOptions{})
	s := must(cluster.StatusOf(t.Context(), begun, "r"))
	if err := s.Check(t.Context(), begun, maker(q)); err != nil || s.Refused != "" || len(s.Answers) > 0 {
		t.Errorf("a run that goes on: %+v, error %v", s, err)
	}
	s = must(cluster.StatusOf(t.Context(), whole, "r"))
	if err := s.Check(t.Context(), whole, maker(q)); err != nil || s.Refused != "" || s.Status != end.Status || len(s.Answers) != 5 {
		t.Errorf("the whole run: %+v, error %v", s, err)
	}
}
