package cluster_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// poor is a network between agents and their server: everything takes a while each way, and of a
// hundred pieces one is lost, which TCP sends again after its timeout of 200 ms.
type poor struct {
	listener net.Listener  // where agents connect
	to       string        // the address of the server
	delay    time.Duration // each way
	mu       sync.Mutex    // of the fields below
	rng      *rand.Rand    // decides which pieces are lost
	lost     int           // so far
}

// newPoor returns a poor network before an address.
func newPoor(t *testing.T, to string, delay time.Duration) *poor {
	t.Helper()
	l := try.Of(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	p := &poor{listener: l, to: to, delay: delay, rng: rand.New(rand.NewPCG(1, 1))}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", to)
			if err != nil {
				c.Close()
				continue
			}
			go p.carry(c, s)
			go p.carry(s, c)
		}
	}()
	return p
}

// piece holds the bytes of one read, and when they arrive.
type piece struct {
	data []byte
	at   time.Time
}

// carry carries what one side says to the other, in order.
func (p *poor) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	// reading and writing are apart, so that pieces wait beside each other
	way := make(chan piece, 1000)
	go func() {
		defer close(way)
		for last := time.Now(); ; {
			b := make([]byte, 1400)
			n, err := from.Read(b)
			if n > 0 {
				at := time.Now().Add(p.delay)
				p.mu.Lock()
				if p.rng.IntN(100) == 0 {
					p.lost++
					at = at.Add(200 * time.Millisecond)
				}
				p.mu.Unlock()
				// TCP keeps the order: what comes after a lost piece waits with it
				if at.Before(last) {
					at = last
				}
				last = at
				way <- piece{b[:n], at}
			}
			if err != nil {
				return
			}
		}
	}()
	for x := range way {
		time.Sleep(time.Until(x.at))
		if _, err := to.Write(x.data); err != nil {
			break
		}
	}
	io.Copy(io.Discard, from)
}

// Five processes over a network with 50 ms each way, where one piece in a hundred is lost, make the run
// of one process.
func TestPoorNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("six processes, and seconds of waiting")
	}
	for i := range questions(t) {
		if i != 1 && !long() {
			continue
		}
		a := newApart(t, i, 4)
		net := newPoor(t, a.server.role.Listen, 50*time.Millisecond)
		began := time.Now()
		a.begin(i, func(_ int, r *role) string { r.URL = "nats://" + net.listener.Addr().String(); return "" })
		a.disturb(0, 0)
		a.check()
		net.mu.Lock()
		t.Logf("%s: %d rounds in %v, %d pieces lost", a.question.name, a.rounds(), time.Since(began).Round(10*time.Millisecond), net.lost)
		net.mu.Unlock()
	}
}

// Agents of a build that may fuse multiplications with additions, and of one that may not, agree on answers, rounds and
// samples: the plans are facts.
func TestTwoBuilds(t *testing.T) {
	if !long() {
		t.Skip("builds the test for another processor: CLUSTER_LONG=1")
	}
	// the processor needs what GOAMD64=v3 is built for
	flags, err := os.ReadFile("/proc/cpuinfo")
	if runtime.GOARCH != "amd64" || err != nil || !strings.Contains(string(flags), " avx2 ") || !strings.Contains(string(flags), " fma ") || !strings.Contains(string(flags), " bmi2 ") {
		t.Skip("this processor has no GOAMD64=v3")
	}
	other := filepath.Join(t.TempDir(), "v3")
	c := exec.Command("go", "test", "-c", "-o", other, ".")
	c.Env = append(os.Environ(), "GOAMD64=v3")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	taken := 0
	for i := range questions(t) {
		a := newApart(t, i, 5)
		// agents 2 and 4 have the other build
		a.begin(i, func(v int, _ *role) string {
			if v%2 == 1 {
				return other
			}
			return ""
		})
		a.disturb(0, 0)
		all := a.endings()
		// what all agents must agree on
		summary := func(e ending) string {
			text := fmt.Sprint(e.Status, e.Rounds, e.Samples, e.Traffic.Messages, e.Traffic.Bytes)
			for _, r := range e.Outcome.Rounds {
				text += fmt.Sprint(" ", r.Pulls, r.Digest)
			}
			for _, x := range e.Answers {
				text += fmt.Sprint(" ", x.Task, x.Arm, x.Decided, x.Estimate)
			}
			return text
		}
		for v, e := range all {
			taken += e.Taken
			if got, want := summary(e), summary(all[0]); got != want {
				t.Errorf("%s, agent-%d: %s; agent-0: %s", a.question.name, v, got, want)
			}
			for _, d := range e.Differences {
				t.Logf("%s, agent-%d: %s", a.question.name, v, d)
			}
			for j, x := range e.Answers {
				if x.Arm != bestArm(a.question.Question, j) {
					t.Errorf("%s, agent-%d: task %q has the answer %q", a.question.name, v, x.Task, x.Arm)
				}
			}
		}
		t.Logf("%s: %d rounds, %d samples, plans taken %d %d %d %d %d", a.question.name, all[0].Rounds, all[0].Samples, all[0].Taken, all[1].Taken, all[2].Taken, all[3].Taken, all[4].Taken)
		if lost, doubled, repeated := a.account(); lost+doubled+repeated > 0 {
			t.Errorf("%s: %d acknowledged facts lost, %d doubled, %d pulls repeated", a.question.name, lost, doubled, repeated)
		}
	}
	if taken == 0 {
		t.Error("no plan differed between the builds: this shows nothing")
	}
}
