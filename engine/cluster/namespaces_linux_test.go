package cluster_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The network of these tests: 50 ms each way, and one packet in a hundred is lost.
const (
	farDelay = 50 * time.Millisecond
	farLoss  = 0.01
)

// net4 returns an address as packages of the network want it.
func net4(address string) (net.Addr, error) { return net.ResolveIPAddr("ip4", address) }

// newFarApart makes a run whose server is host 1 and whose agents are hosts 2 to 6 of a network.
func newFarApart(t *testing.T, f *far, question int, seed uint64) *apart {
	t.Helper()
	return newApartAt(t, question, seed, os.Args[0], role{Inside: f.hosts[1].name, Listen: f.address(1) + ":4222"}, true)
}

// beginFar starts the agents, each in its namespace.
func (a *apart) beginFar(f *far, question int, slow time.Duration) {
	a.begin(question, func(v int, r *role) string {
		r.Inside, r.Slow = f.hosts[2+v].name, slow
		return ""
	})
}

// Packets of the network wait and get lost as the tests below say: measured by echoes from one namespace
// to another, which the kernel answers.
func TestFarNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("makes namespaces of the network")
	}
	f := newFar(t, 2, farDelay, farLoss)
	const times = 500
	out := filepath.Join(t.TempDir(), "echoes.json")
	p := start(t, os.Args[0], role{Echo: f.address(1), From: f.address(2), Times: times, Out: out, Inside: f.hosts[2].name})
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.err)
	}
	var took []float64
	try.To(json.Unmarshal(must(os.ReadFile(out)), &took))
	carried, lost, _ := f.counts()
	if missing := times - len(took); missing != lost || missing == 0 {
		t.Errorf("%d of %d echoes are missing, and %d packets were dropped", missing, times, lost)
	}
	if len(took) == 0 {
		t.Fatal("no echo")
	}
	f.checkLoss(t)
	slices.Sort(took)
	if least, median := took[0], took[len(took)/2]; least < 100 || median > 150 {
		t.Errorf("echoes take %g ms at least and %g ms in the median; want 100 ms and little more", least, median)
	}
	t.Logf("%d echoes: %g ms at least, %g ms in the median, %g ms at most; %d packets delivered, %d dropped", len(took), took[0], took[len(took)/2], took[len(took)-1], carried, lost)
}

// Five processes and their server, each in a namespace of its own, with 50 ms each way, TLS and one
// packet in a hundred lost, make the run of one process.
func TestNamespaces(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes in namespaces, and seconds of waiting")
	}
	for i, q := range questions(t) {
		t.Run(q.name, func(t *testing.T) {
			if i > 0 && !long() {
				t.Skip("the other algorithms: CLUSTER_LONG=1")
			}
			f := newFar(t, 1+q.Problem.V(), farDelay, farLoss)
			a := newFarApart(t, f, i, 6)
			began := time.Now()
			a.beginFar(f, i, 0)
			a.disturb(0, 0)
			took := time.Since(began)
			a.check()
			f.checkLoss(t)
			carried, lost, _ := f.counts()
			if carried < 100 {
				t.Errorf("%d packets went through the network", carried)
			}
			t.Logf("%d rounds in %v; %d packets delivered, %d lost", a.rounds(), took.Round(10*time.Millisecond), carried, lost)
		})
	}
}

// The network of five processes and their server is cut without a word in the middle of the run, for
// longer than it takes connections to notice (15 s), or for 5 minutes. They go on by themselves.
func TestNamespacesCut(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes in namespaces, and a cut of the network")
	}
	cut := 20 * time.Second
	if long() {
		cut = 5 * time.Minute
	}
	const question = 3
	f := newFar(t, 6, farDelay, farLoss)
	a := newFarApart(t, f, question, 7)
	a.beginFar(f, question, 5*time.Millisecond)
	a.await(2)
	f.turn(false)
	time.Sleep(cut)
	if over, err := a.agents[0].ended(); over || err != nil {
		t.Fatalf("agent-0 has come to its end without a network: %v", err)
	}
	_, _, dropped := f.counts()
	f.turn(true)
	began := time.Now()
	a.disturb(0, 0)
	a.check()
	if dropped == 0 {
		t.Error("nobody has said anything during the cut")
	}
	t.Logf("a cut of %v, in which %d packets were dropped; the run went on and ended %v after it, in %d rounds", cut, dropped, time.Since(began).Round(10*time.Millisecond), a.rounds())
}
