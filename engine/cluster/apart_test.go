package cluster_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// apart is a run of five processes over a server. Its faults are kills of agents and of the server.
type apart struct {
	t        *testing.T
	question asked                        // by its index in questions
	dir      string                       // of everything that the run leaves
	creds    map[string]string            // files of credentials by their names; none on loopback
	server   *process                     // nil where members keep the facts
	members  []*process                   // of a cluster instead of the server
	agents   []*process                   // by their numbers
	rng      *rand.Rand                   // of the moments and kinds of faults
	killed   struct{ agents, server int } // how often so far
}

// newApart starts a server and opens a run on it.
func newApart(t *testing.T, question int, seed uint64) *apart {
	t.Helper()
	return newApartAt(t, question, seed, os.Args[0], role{Listen: testport.Address(t)}, false)
}

// newApartAt starts a server, a program with a role, and opens a run on it. With
// keys, the server asks for credentials.
func newApartAt(t *testing.T, question int, seed uint64, binary string, server role, keys bool) *apart {
	t.Helper()
	a := &apart{t: t, question: questions(t)[question], dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 5))}
	server.Serve = filepath.Join(a.dir, "server")
	if keys {
		files := try.Of(jetstream.Keys(t.Context(), server.Serve, jetstream.KeyOptions{Run: "r", Agents: a.question.Problem.V()}))
		// credentials are called as their files are
		a.creds = map[string]string{}
		for _, f := range files {
			a.creds[filepath.Base(f.Path)] = f.Path
		}
	}
	a.server = start(t, binary, server)
	t.Cleanup(func() { a.server.kill() })
	// the run is opened once the server is there
	a.open()
	return a
}

// open opens the run, and has the agents killed at the end of the test.
func (a *apart) open() {
	a.t.Helper()
	a.t.Cleanup(func() {
		for _, p := range a.agents {
			p.kill()
		}
	})
	x := a.dial()
	defer x.Close()
	opened(a.t, x, a.question.Question, cluster.OpenOptions{})
}

// url returns the URL of the server. It names all members of a cluster, so that the loss of one does not matter.
func (a *apart) url() string {
	if a.members != nil {
		all := []string{}
		for _, m := range a.members {
			all = append(all, "nats://"+m.role.Member.Clients)
		}
		return strings.Join(all, ",")
	}
	if a.creds != nil {
		return "tls://" + a.server.role.Listen
	}
	return "nats://" + a.server.role.Listen
}

// dial joins the server.
func (a *apart) dial() cluster.Exchange {
	a.t.Helper()
	return try.Of(jetstream.Dial(a.t.Context(), a.url(), jetstream.DialOptions{Wait: 2 * time.Minute, Credentials: a.creds["owner.creds"]}))
}

// begin starts the agents; change may say more of each. Change gets the number of an agent and its role, and may return another
// binary for it.
func (a *apart) begin(question int, change func(v int, r *role) (binary string)) {
	for v := range a.question.Problem.V() {
		// folder, notes and ending of each, which stay through its kills
		r := role{URL: a.url(), Question: question, Agent: v, Folder: filepath.Join(a.dir, fmt.Sprint("agent-", v))}
		r.Log, r.Out, r.Creds = r.Folder+".log", r.Folder+".json", a.creds[cluster.AgentName(v)+".creds"]
		binary := os.Args[0]
		if change != nil {
			if b := change(v, &r); b != "" {
				binary = b
			}
		}
		a.agents = append(a.agents, start(a.t, binary, r))
	}
}

// disturb kills at random moments until all agents are done, with at most the given number of kills. It fails if an agent ends with an
// error. An agent that kills itself is started again as well.
func (a *apart) disturb(agents, server int) {
	a.t.Helper()
	for until := time.Now().Add(10 * time.Minute); ; {
		if time.Now().After(until) {
			a.t.Fatal("the agents have come to no end")
		}
		open := []*process{}
		for v, p := range a.agents {
			over, err := p.ended()
			if err != nil {
				a.t.Fatalf("agent-%d: %v", v, err)
			}
			if !over {
				open = append(open, p)
			}
		}
		if len(open) == 0 {
			return
		}
		time.Sleep(time.Duration(20+a.rng.IntN(150)) * time.Millisecond)
		// whether there is anybody left to kill
		all := a.killed.agents < agents || a.killed.server < server
		if !all {
			continue
		}
		// the server, or one of the agents that are not done
		if a.killed.server < server && (a.killed.agents >= agents || a.rng.IntN(2) == 0) {
			a.server.kill()
			time.Sleep(time.Duration(a.rng.IntN(50)) * time.Millisecond)
			a.server.again()
			a.killed.server++
			continue
		}
		p := open[a.rng.IntN(len(open))]
		// it may have come to its end meanwhile
		if over, _ := p.ended(); !over {
			p.kill()
			p.again()
			a.killed.agents++
		}
	}
}

// endings returns what the agents left. The outcome is apart in the file, since Finished does not write it.
func (a *apart) endings() []ending {
	var out []ending
	for _, p := range a.agents {
		var e ending
		try.To(json.Unmarshal(must(os.ReadFile(p.role.Out)), &e))
		e.Finished.Outcome = e.Outcome
		out = append(out, e)
	}
	return out
}

// account counts what faults must not cause: acknowledged facts that are lost or otherwise, facts that
// are there twice, and acknowledged pulls that were made again. Acknowledged is what the notes of the agents say.
func (a *apart) account() (lost, doubled, repeated int) {
	a.t.Helper()
	x := a.dial()
	defer x.Close()
	ctx, cancel := context.WithTimeout(a.t.Context(), 5*time.Minute)
	defer cancel()
	// by address: how often a fact was read, and the hash of its body
	there := map[string]int{}
	sum := map[string]string{}
	// the plan of the end is the last fact of a run
	last := fmt.Sprintf("r/%d/plan", a.rounds()+1)
	for f, err := range x.Read(ctx, "r") {
		if err != nil {
			a.t.Fatal(err)
		}
		there[f.Address()]++
		sum[f.Address()] = fmt.Sprintf("%x", sha256.Sum256(f.Body))
		if f.Address() == last {
			break
		}
	}
	if there[last] == 0 {
		a.t.Errorf("%s is not there", last)
	}
	for _, n := range there {
		doubled += n - 1
	}
	// acknowledged pulls by round and arm, through all lives of the agents
	pulls := map[string]int{}
	for _, p := range a.agents {
		for line := range strings.Lines(string(must(os.ReadFile(p.role.Log)))) {
			word := strings.Fields(line)
			switch word[0] {
			case "fact":
				if sum[word[1]] != word[2] {
					lost++
				}
			case "pull":
				pulls[word[1]] += must(strconv.Atoi(word[2]))
			}
		}
	}
	// more than the plan wanted were made again
	for at, n := range pulls {
		round, arm, _ := strings.Cut(at, "/")
		f, _ := try.Two(x.Find(ctx, "r", must(strconv.Atoi(round)), "plan"))
		var plan cluster.PlanBody
		try.To(json.Unmarshal(f.Body, &plan))
		repeated += max(0, n-plan.Counts[must(strconv.Atoi(arm))])
	}
	return lost, doubled, repeated
}

// await waits until a round has its plan.
func (a *apart) await(round int) {
	a.t.Helper()
	x := a.dial()
	defer x.Close()
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); {
		_, ok := try.Two(x.Find(a.t.Context(), "r", round, "plan"))
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	a.t.Fatalf("round %d has no plan", round)
}

// rounds returns how many rounds the first agent made.
func (a *apart) rounds() int { return a.endings()[0].Rounds }

// check reports every difference from an undisturbed run. The run of one process is made here, and compared in every bit.
func (a *apart) check() {
	a.t.Helper()
	want := inProcess(a.t, a.question.Question)
	for v, e := range a.endings() {
		sameAs(a.t, fmt.Sprintf("%s, agent-%d", a.question.name, v), e.Finished, want)
	}
	if lost, doubled, repeated := a.account(); lost+doubled+repeated > 0 {
		a.t.Errorf("%s: %d acknowledged facts lost, %d doubled, %d pulls repeated", a.question.name, lost, doubled, repeated)
	}
}
