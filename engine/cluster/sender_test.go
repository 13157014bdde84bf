package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// forgery is a fact in the name of another.
type forgery struct {
	name  string // for people
	round int    // of the fact
	fact  string // its name
	body  any    // of the fact, in JSON
	own   string // credentials whose own it is, besides agent 2's; "" for none
	may   bool   // whether agents of the run may say it at all, so that their names are compared
}

// forgeries returns one of each kind. The plans are such that nothing else is wrong with them.
func forgeries(t *testing.T, q question.Question) []forgery {
	t.Helper()
	plan := func(change func(*cluster.PlanBody)) (p cluster.PlanBody) {
		firstPlan(t, q, func(made *cluster.PlanBody) {
			made.Author = 1
			change(made)
			p = *made
		})
		return p
	}
	// an end that decides every task
	end := plan(func(p *cluster.PlanBody) {
		p.Done, p.Status, p.Counts, p.Digest = true, engine.StatusDecided, nil, ""
		for _, task := range q.Problem.Tasks.Names {
			p.Answers = append(p.Answers, engine.Answer{Task: task, Arm: q.Problem.Arms.Names[0], Leader: q.Problem.Arms.Names[0], Decided: true})
		}
	})
	return []forgery{
		{"the opening of a run", 0, "run", cluster.RunBody{Tasks: []string{"a"}, Arms: 1}, "owner.creds", false},
		{"the stop of a run", 0, "stop", cluster.StopBody{By: "the owner"}, "owner.creds", false},
		{"agent 2 joins", 0, "agent-2", cluster.JoinBody{Task: q.Problem.Tasks.Names[1], Instance: "x"}, "", false},
		{"a batch of agent 2", 1, "agent-2", "batch", "", false},
		{"a plan of agent 2", 1, "plan", plan(func(p *cluster.PlanBody) { p.Build.System = "other" }), "", true},
		{"the plan that agent 2 will make", 1, "plan", plan(func(*cluster.PlanBody) {}), "", true},
		{"an end by agent 2", 1, "plan", end, "", true},
	}
}

// Every role says every kind of fact in the name of another: with facts that it may publish, with headers that claim to be of the server,
// and at the server's own address. The server refuses it, or keeps the true sender with it, and then every replica names both.
func TestAttackWrongAuthor(t *testing.T) {
	if testing.Short() {
		t.Skip("a server with keys")
	}
	q := questionOf(t)
	q.Simulated = false
	s := serveWithKeys(t, q.Problem.V())
	t.Cleanup(func() { s.Close() })
	s.keys("other-", jetstream.KeyOptions{Run: "other", Agents: 1})
	owner, all := s.dial("owner.creds"), forgeries(t, q)
	for _, who := range []string{"agent-1.creds", "other-agent-1.creds", "owner.creds"} {
		t.Run(who, func(t *testing.T) {
			tries := 0
			for _, f := range all {
				// three ways of saying it
				for k, way := range []string{"plainly", "with headers of the server", "at the server's own address"} {
					if f.own == who {
						continue
					}
					tries++
					run := fmt.Sprintf("%s%d-%d", strings.TrimSuffix(who, ".creds"), tries, k) // stored facts are permanent
					must(cluster.Open(t.Context(), owner, run, q, recipe, cluster.OpenOptions{}))
					file := s.files[who]
					// an agent has rights in its own run alone
					if who == "agent-1.creds" {
						s.keys(run+"-", jetstream.KeyOptions{Run: run, Agents: q.Problem.V()})
						file = s.files[run+"-"+who]
					}
					at := cluster.Fact{Run: run, Round: f.round, Name: f.fact, Body: must(json.Marshal(f.body))}
					if f.fact == "run" {
						at.Run = "new-" + run
					}
					forge(t, s, file, at, k)
					_, stands, err := owner.Find(t.Context(), at.Run, at.Round, at.Name)
					// only plans of agents of the run may be stored, and then with the true sender
					if may := f.may && who == "agent-1.creds" && k < 2; err != nil || stands != may {
						t.Fatalf("%s, %s: it stands: %t, want %t, error %v", f.name, way, stands, may, err)
					} else if may {
						refusedByAll(t, s, run, q, "the plan names agent-2 as its author, but agent-1 published it")
					}
				}
			}
			t.Logf("%d tries", tries)
		})
	}
}

// A plan that the server itself publishes has no sender, and agents accept it. The sender of any other plan is kept, and its own agent
// accepts it.
func TestPlansWithoutASender(t *testing.T) {
	if testing.Short() {
		t.Skip("a server with keys")
	}
	q := questionOf(t)
	for _, c := range []struct{ of, sender string }{{"", ""}, {"agent-2.creds", "agent-2"}} {
		s := serveWithKeys(t, q.Problem.V())
		t.Cleanup(func() { s.Close() })
		opened(t, s.dial("owner.creds"), q, cluster.OpenOptions{})
		var x cluster.Facts = must(s.Dial(t.Context(), jetstream.DialOptions{})) // the server itself, as a file of its store
		if c.of != "" {
			x = s.dial(c.of)
		}
		first := firstPlan(t, q, func(p *cluster.PlanBody) { p.Author = 1 })
		try.To(x.Publish(t.Context(), first))
		if err := x.Publish(t.Context(), first); err != nil { // as after an answer that was lost
			t.Error(err)
		}
		if f := mustFind(t, s.dial("agent-1.creds"), 1, "plan"); f.Sender != c.sender {
			t.Errorf("the sender is %q, want %q", f.Sender, c.sender)
		}
		var all []cluster.Agent
		for v := range q.Problem.V() {
			all = append(all, agentOf(t, s.dial(cluster.AgentName(v)+".creds"), q, v))
		}
		want := inProcess(t, q)
		for v, got := range takeAll(t, all) {
			sameAs(t, fmt.Sprintf("%s after a plan of %q", cluster.AgentName(v), c.sender), got, want)
		}
	}
}

// keys makes credentials while the server runs, whose names in files begin with something.
func (s withKeys) keys(begin string, o jetstream.KeyOptions) {
	s.t.Helper()
	for _, f := range must(jetstream.Keys(s.t.Context(), s.Folder(), o)) {
		s.files[begin+filepath.Base(f.Path)] = f.Path
	}
}

// forge publishes a fact without this project's client: plainly, with headers, or at the address of the server.
func forge(t *testing.T, s withKeys, file string, f cluster.Fact, way int) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(filepath.Join(s.Folder(), "keys", "server.pem"))))
	nc := must(nats.Connect(s.URL(), must(nats.NkeyOptionFromSeed(file)), nats.Secure(&tls.Config{RootCAs: roots}), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})))
	defer nc.Close()
	m := nats.NewMsg(fmt.Sprintf("cope.%s.%d.%s", f.Run, f.Round, f.Name))
	m.Data = f.Body
	// headers as the server writes them, with the account of agent 2
	if way > 0 {
		m.Header = nats.Header{"Nats-Request-Info": {`{"acc":"agent/` + f.Run + `/2"}`}, "Cope-Sender": {"agent-2"}}
	}
	if way > 1 {
		m.Subject = "cope-say" + strings.TrimPrefix(m.Subject, "cope")
	}
	_, _ = nc.RequestMsg(m, 300*time.Millisecond) // of refusals nothing is said here
}

// refusedByAll checks that no replica takes the plan of round 1: neither the agent whose name it has, nor another one, nor
// who looks later.
func refusedByAll(t *testing.T, s withKeys, run string, q question.Question, want string) {
	t.Helper()
	check := func(who string, got cluster.Finished, err error) {
		t.Helper()
		if refused := (*cluster.PlanError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %q", who, err, want)
		}
		if got.Status != engine.StatusInterrupted || got.Result == nil || got.Result.Standing != engine.StandingNone {
			t.Errorf("%s: status %q, result %+v", who, got.Status, got.Result)
		}
	}
	owner := s.dial("owner.creds")
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	for _, v := range []int{1, 2} {
		a := agentOf(t, s.dial(run+"-"+cluster.AgentName(v)+".creds"), q, v)
		a.Run, a.Build = run, cluster.BuildHere()
		got, err := a.Take(soon())
		check(cluster.AgentName(v), got, err)
	}
	got, _, _, err := cluster.Replay(soon(), owner, run, maker(q))
	check("who looks later", got, err)
	status, err := cluster.StatusOf(soon(), owner, run)
	if err == nil {
		err = status.Check(soon(), owner, maker(q))
	}
	if err != nil || !strings.Contains(status.String(), want) || len(status.Answers) > 0 {
		t.Errorf("status %q, error %v", status, err)
	}
}
