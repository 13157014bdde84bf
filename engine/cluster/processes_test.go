package cluster_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/clocktest"
)

// The test binary is server and agent, too: processes that can be killed at any moment. What they are
// told comes by one variable.
const roleVariable = "GONB_COPE_CLUSTER_TEST"

// role says what a process does.
type role struct {
	Serve  string // folder of the server
	Listen string
	Member member // of a cluster of servers, where it has a name

	URL      string
	Question int // of questions
	Agent    int
	Folder   string
	Log      string // file of what was acknowledged
	Out      string // file of an ending
	Slow     time.Duration
	Kill     string // where the agent kills itself: place:round
	Patience time.Duration
	GoOn     bool

	Creds  string // file of credentials
	Clock  string // file with the offset of the clock, where the program has one that can jump
	Inside string // namespace of the network that the process is in; that of the test where it is empty

	Echo, From string // address to ask for echoes, and the one of this host
	Times      int    // how often
}

// ending is what an agent leaves.
type ending struct {
	cluster.Finished
	Outcome engine.Outcome
	Clock   time.Time // what it was by the clock of the agent
}

func TestMain(m *testing.M) {
	text := os.Getenv(roleVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	switch {
	case err != nil:
	case r.Member.Name != "":
		err = r.Member.serve()
	case r.Serve != "":
		err = r.serve()
	case r.Echo != "":
		err = r.echo()
	default:
		err = r.take()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve serves until the process is killed.
func (r role) serve() error {
	s, err := jetstream.Serve(context.Background(), r.Serve, jetstream.ServeOptions{Listen: r.Listen})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	select {}
}

// all is a testing.TB for what questions needs outside of a test.
type outside struct{ testing.TB }

func (outside) Helper()                   {}
func (outside) Fatal(args ...any)         { panic(fmt.Sprint(args...)) }
func (outside) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// take takes part.
func (r role) take() error {
	ctx := context.Background()
	x, err := jetstream.Dial(ctx, r.URL, jetstream.DialOptions{Wait: time.Minute, Credentials: r.Creds})
	if err != nil {
		return err
	}
	q := questions(outside{})[r.Question].Question
	a := cluster.Agent{
		Facts: acknowledging{x, r}, Run: "r", Task: q.Problem.Tasks.Names[r.Agent], Folder: r.Folder, Make: maker(q), Build: cluster.BuildHere("test"),
		Puller: func(q cluster.Question, b cluster.RunBody) (cluster.Puller, error) {
			p, err := simulated(q, b)
			return slow{p.(cluster.Simulated), r}, err
		},
		Patience: r.Patience, GoOn: r.GoOn,
	}
	f, err := a.Take(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(ending{f, f.Outcome, time.Now()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Out+".new", text, 0o666); err != nil {
		return err
	}
	return os.Rename(r.Out+".new", r.Out)
}

// die kills the process where it was told to, once.
func (r role) die(place string, round int) {
	if r.Kill != fmt.Sprintf("%s:%d", place, round) {
		return
	}
	if f, err := os.OpenFile(r.Log+"."+place, os.O_CREATE|os.O_EXCL, 0o666); err == nil {
		f.Close()
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// note writes a line about something that was acknowledged.
func (r role) note(line string) {
	f, err := os.OpenFile(r.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		panic(err)
	}
}

// acknowledging notes the facts whose publication was acknowledged.
type acknowledging struct {
	cluster.Facts
	role role
}

func (a acknowledging) Publish(ctx context.Context, f cluster.Fact) error {
	message := f.Name == cluster.AgentName(a.role.Agent)
	if message {
		a.role.die("after-pulls", f.Round)
	}
	err := a.Facts.Publish(ctx, f)
	if message {
		a.role.die("before-acknowledgement", f.Round)
	}
	if err == nil {
		a.role.note(fmt.Sprintf("fact %s %x", f.Address(), sha256.Sum256(f.Body)))
	}
	return err
}

// slow pulls arm by arm, and notes what was acknowledged.
type slow struct {
	cluster.Simulated
	role role
}

func (s slow) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	s.role.die("before-pulls", p.Plan.Round)
	return s.Simulated.Pull(ctx, p, func(all ...cluster.Reward) error {
		for i, r := range all {
			time.Sleep(s.role.Slow)
			if err := tell(r); err != nil {
				return err
			}
			s.role.note(fmt.Sprintf("pull %d/%d %d", p.Plan.Round, r.Arm, r.Count))
			if i == len(all)/2 {
				s.role.die("during-pulls", p.Plan.Round)
			}
		}
		return nil
	})
}

// process is one that can be killed and started again.
type process struct {
	t      *testing.T
	binary string
	role   role
	cmd    *exec.Cmd
	out    io.ReadCloser
	err    *strings.Builder
}

// start starts a process with a role.
func start(t *testing.T, binary string, r role) *process {
	t.Helper()
	p := &process{t: t, binary: binary, role: r}
	p.again()
	return p
}

// again starts it again.
func (p *process) again() {
	p.t.Helper()
	p.err = &strings.Builder{}
	p.cmd = exec.Command(p.binary)
	if p.role.Inside != "" {
		p.cmd = exec.Command("ip", "netns", "exec", p.role.Inside, p.binary)
	}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(must(json.Marshal(p.role))))
	if p.role.Clock != "" {
		p.cmd.Env = append(p.cmd.Env, clocktest.Variable+"="+p.role.Clock)
	}
	p.cmd.Stderr = p.err
	p.cmd.SysProcAttr = endsWithTest()
	p.out = must(p.cmd.StdoutPipe())
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// kill ends it at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// ended reports whether the process has ended, and how.
func (p *process) ended() (bool, error) {
	if _, err := os.Stat(p.role.Out); err == nil {
		return true, nil
	}
	var status syscall.WaitStatus
	id, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WNOHANG, nil)
	if err != nil || id == 0 {
		return false, nil
	}
	if status.Signaled() {
		p.again() // it has killed itself, as it was told
		return false, nil
	}
	if _, err := os.Stat(p.role.Out); err == nil {
		return true, nil
	}
	return true, fmt.Errorf("status %d: %s", status.ExitStatus(), p.err)
}

// freePort returns an address that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// apart is a run of five processes over a server.
type apart struct {
	t        *testing.T
	question asked
	dir      string
	creds    map[string]string // files of credentials by their names; none on loopback
	server   *process
	members  []*process // of a cluster in place of the server
	agents   []*process
	rng      *rand.Rand
	killed   struct{ agents, server int }
}

// newApart starts a server and opens a run on it.
func newApart(t *testing.T, question int, seed uint64) *apart {
	t.Helper()
	return newApartAt(t, question, seed, os.Args[0], role{Listen: freePort(t)}, "")
}

// newApartAt starts a server, a program with a role, and opens a run on it. The server asks for
// credentials where a host is named under which others reach it.
func newApartAt(t *testing.T, question int, seed uint64, binary string, server role, host string) *apart {
	t.Helper()
	a := &apart{t: t, question: questions(t)[question], dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 5))}
	server.Serve = filepath.Join(a.dir, "server")
	if host != "" {
		files, err := jetstream.Keys(t.Context(), server.Serve, jetstream.KeyOptions{Run: "r", Agents: a.question.Problem.V(), Hosts: []string{host}})
		if err != nil {
			t.Fatal(err)
		}
		a.creds = map[string]string{}
		for _, f := range files {
			a.creds[filepath.Base(f.Path)] = f.Path
		}
	}
	a.server = start(t, binary, server)
	t.Cleanup(func() { a.server.kill() })
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

// url returns that of the server.
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
	x, err := jetstream.Dial(a.t.Context(), a.url(), jetstream.DialOptions{Wait: time.Minute, Credentials: a.creds["owner.creds"]})
	if err != nil {
		a.t.Fatal(err)
	}
	return x
}

// begin starts the agents; change may say more of each.
func (a *apart) begin(question int, change func(v int, r *role) (binary string)) {
	for v := range a.question.Problem.V() {
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

// disturb kills at random moments until all agents are done, but at most as often as told.
func (a *apart) disturb(agents, server int) {
	a.t.Helper()
	for until := time.Now().Add(3 * time.Minute); ; {
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
		all := a.killed.agents < agents || a.killed.server < server
		if !all {
			continue
		}
		if a.killed.server < server && (a.killed.agents >= agents || a.rng.IntN(2) == 0) {
			a.server.kill()
			time.Sleep(time.Duration(a.rng.IntN(50)) * time.Millisecond)
			a.server.again()
			a.killed.server++
			continue
		}
		p := open[a.rng.IntN(len(open))]
		if over, _ := p.ended(); !over {
			p.kill()
			p.again()
			a.killed.agents++
		}
	}
}

// endings returns what the agents left.
func (a *apart) endings() []ending {
	var out []ending
	for _, p := range a.agents {
		var e ending
		if err := json.Unmarshal(must(os.ReadFile(p.role.Out)), &e); err != nil {
			a.t.Fatal(err)
		}
		e.Finished.Outcome = e.Outcome
		out = append(out, e)
	}
	return out
}

// account counts what faults must not cause: acknowledged facts that are lost or otherwise, facts that
// are there twice, and acknowledged pulls that were made again.
func (a *apart) account() (lost, doubled, repeated int) {
	a.t.Helper()
	x := a.dial()
	defer x.Close()
	ctx, cancel := context.WithTimeout(a.t.Context(), 20*time.Second)
	defer cancel()
	there := map[string]int{}
	sum := map[string]string{}
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
	for at, n := range pulls {
		round, arm, _ := strings.Cut(at, "/")
		f, _, err := x.Find(ctx, "r", must(strconv.Atoi(round)), "plan")
		if err != nil {
			a.t.Fatal(err)
		}
		var plan cluster.PlanBody
		if err := json.Unmarshal(f.Body, &plan); err != nil {
			a.t.Fatal(err)
		}
		repeated += max(0, n-plan.Counts[must(strconv.Atoi(arm))])
	}
	return lost, doubled, repeated
}

// await waits until a round has its plan.
func (a *apart) await(round int) {
	a.t.Helper()
	x := a.dial()
	defer x.Close()
	for range 3000 {
		_, ok, err := x.Find(a.t.Context(), "r", round, "plan")
		if err != nil {
			a.t.Fatal(err)
		}
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	a.t.Fatalf("round %d has no plan", round)
}

// rounds returns how many rounds the first agent made.
func (a *apart) rounds() int { return a.endings()[0].Rounds }

// check reports whatever is not as in a run that nobody disturbed.
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

// kills makes a run with kills at random moments, and returns how many there were.
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
