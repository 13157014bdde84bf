package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	ours "github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
)

// member is a server of a cluster that gonb-cope has not made.
type member struct {
	Name, Dir        string
	Clients, Servers string   // addresses on which it is reached
	Others           []string // addresses of the others for servers
}

// serve serves until the process is killed.
func (m member) serve() error {
	o := &server.Options{
		ServerName: m.Name, NoSigs: true, JetStream: true, StoreDir: m.Dir, SyncAlways: true, MaxPayload: 1 << 20,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
		Routes: server.RoutesFromStr("nats://" + strings.Join(m.Others, ",nats://")),
	}
	o.Cluster.Name = "three"
	// both addresses are of loopback, known before
	for at, to := range map[string]struct {
		host *string
		port *int
	}{m.Clients: {&o.Host, &o.Port}, m.Servers: {&o.Cluster.Host, &o.Cluster.Port}} {
		host, port, err := net.SplitHostPort(at)
		if err != nil {
			return err
		}
		*to.host = host
		if *to.port, err = strconv.Atoi(port); err != nil {
			return err
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	select {}
}

// newMembers starts some servers of a cluster of three in processes of their own, and opens a run there.
func newMembers(t *testing.T, question int, seed uint64, there int) *apart {
	t.Helper()
	a := &apart{t: t, question: questions(t)[question], dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 5))}
	var among []string
	for range 3 {
		among = append(among, testport.Address(t))
	}
	for i := range 3 {
		name := fmt.Sprint("server-", i)
		m := member{Name: name, Dir: filepath.Join(a.dir, name), Clients: testport.Address(t), Servers: among[i]}
		m.Others = []string{among[(i+1)%3], among[(i+2)%3]}
		// members that are not there yet have their role, and are started by again
		p := &process{t: t, binary: os.Args[0], role: role{Member: m}}
		if i < there {
			p.again()
		}
		t.Cleanup(func() {
			if p.cmd != nil {
				p.kill()
			}
		})
		a.members = append(a.members, p)
	}
	a.open()
	return a
}

// leader returns which server leads the stream of facts, and how many servers keep it and are up to date;
// -1 if there is no leader now.
func (a *apart) leader(x *nats.Conn) (leader, copies int) {
	ctx, stop := context.WithTimeout(a.t.Context(), 2*time.Second)
	defer stop()
	stream, err := must(jetstream.New(x)).Stream(ctx, "COPE")
	if err != nil {
		return -1, 0
	}
	c := stream.CachedInfo().Cluster
	if c == nil || c.Leader == "" {
		return -1, 0
	}
	copies = 1
	for _, r := range c.Replicas {
		if r.Current && !r.Offline {
			copies++
		}
	}
	return must(strconv.Atoi(strings.TrimPrefix(c.Leader, "server-"))), copies
}

// awaitCopies waits until so many servers keep the facts and are up to date, and returns their leader.
func (a *apart) awaitCopies(x *nats.Conn, want int) int {
	a.t.Helper()
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if leader, copies := a.leader(x); leader >= 0 && copies >= want {
			return leader
		}
	}
	a.t.Fatalf("no %d servers keep the facts", want)
	return 0
}

// Five processes over a cluster of three servers, whose leader is killed in the middle of the run, comes
// back while another leads, and whose next leader is killed then, make the run of one process. Three
// servers keep each fact.
func TestClusterOfServers(t *testing.T) {
	if !long() {
		t.Skip("eight processes, and elections: CLUSTER_LONG=1")
	}
	for i, q := range questions(t) {
		t.Run(q.name, func(t *testing.T) {
			// the leader is killed twice, in rounds 2 and 4, and comes back while another leads
			a := newMembers(t, i, 9, 3)
			x := must(nats.Connect(a.url(), nats.MaxReconnects(-1)))
			defer x.Close()
			a.awaitCopies(x, 3)
			a.begin(i, func(_ int, r *role) string { r.Slow = 20 * time.Millisecond; return "" })
			killed := 0
			for round := 2; round <= 4; round += 2 {
				a.await(round)
				if over, _ := a.agents[0].ended(); over {
					break
				}
				first := a.awaitCopies(x, 3)
				a.members[first].kill()
				killed++
				began := time.Now()
				// two that are up to date elect another one
				next := a.awaitCopies(x, 2)
				took := time.Since(began)
				if next == first {
					t.Fatalf("%d leads, and was killed", next)
				}
				a.members[first].again()
				t.Logf("the leader, server %d, was killed in round %d or later; server %d leads after %v", first, round, next, took.Round(10*time.Millisecond))
				if q.Algorithm == "CoKernelFC" { // it has three rounds
					break
				}
			}
			a.disturb(0, 0)
			a.awaitCopies(x, 3)
			a.check()
			if killed == 0 {
				t.Error("no leader was killed")
			}
			a.checkCopies(x, 3)
		})
	}
}

// checkCopies reports streams that do not have so many copies.
func (a *apart) checkCopies(x *nats.Conn, want int) {
	a.t.Helper()
	for _, name := range []string{"COPE", "COPE-WORK"} {
		s := must(must(jetstream.New(x)).Stream(a.t.Context(), name))
		if c := s.CachedInfo().Config; c.Replicas != want {
			a.t.Errorf("%s is to have %d copies; want %d", name, c.Replicas, want)
		}
	}
}

// A run is opened while one of three servers is away. Facts have one copy then, which a sentence says, and three as soon as a program joins
// after the third server has come. The run is the one of one process.
func TestClusterGrows(t *testing.T) {
	if !long() {
		t.Skip("eight processes, and elections: CLUSTER_LONG=1")
	}
	const question = 2
	a := newMembers(t, question, 10, 2)
	x := must(nats.Connect(a.url(), nats.MaxReconnects(-1)))
	defer x.Close()
	a.checkCopies(x, 1)
	said := ""
	// a program that joins receives a notice of the one copy
	y := must(ours.Dial(t.Context(), a.url(), ours.DialOptions{Notice: func(text string) { said += text + "\n" }}))
	defer y.Close()
	if !strings.Contains(said, "one copy of every message") {
		t.Errorf("noticed %q", said)
	}
	a.members[2].again()
	// everybody who joins asks for more copies
	for until := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		a.dial().Close()
		s := must(must(jetstream.New(x)).Stream(t.Context(), "COPE-WORK"))
		if s.CachedInfo().Config.Replicas == 3 || time.Now().After(until) {
			break
		}
	}
	a.checkCopies(x, 3)
	a.begin(question, func(_ int, r *role) string { r.Slow = 20 * time.Millisecond; return "" })
	a.disturb(0, 0)
	a.check()
}

// A run goes on after the server with the only copy was away for longer than an election takes, while a
// third server had come.
func TestClusterGrowsWhileItsLeaderIsAway(t *testing.T) {
	if !long() {
		t.Skip("eight processes, and a minute of waiting: CLUSTER_LONG=1")
	}
	const question = 2
	a := newMembers(t, question, 10, 2)
	x := must(nats.Connect(a.url(), nats.MaxReconnects(-1)))
	defer x.Close()
	a.checkCopies(x, 1)
	a.begin(question, func(_ int, r *role) string { r.Slow = 300 * time.Millisecond; return "" })
	a.await(1)
	leader := a.awaitCopies(x, 1)
	a.members[2].again()
	a.members[leader].kill()
	// longer than an election takes, and than agents wait before they report a missing answer
	time.Sleep(45 * time.Second)
	if next, _ := a.leader(x); next >= 0 {
		t.Errorf("server %d leads, and has no copy", next)
	}
	a.members[leader].again()
	a.disturb(0, 0)
	a.check()
}
