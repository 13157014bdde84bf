//go:build unix

package cluster_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// jumping builds this test with a clock that can jump. Its package time reads an offset of the wall clock from a file, see clockOverlay.
func jumping(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay := try.Of(clockOverlay(dir))
	binary := filepath.Join(dir, "jumping")
	if text, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return binary
}

// clock makes the clock of a process, and writes its file into the role.
func (a *apart) clock(name string, r *role) clock {
	a.t.Helper()
	r.Clock = filepath.Join(a.dir, name+".clock")
	return must(newClock(r.Clock))
}

// jump sets a clock to an offset.
func (a *apart) jump(c clock, offset time.Duration) {
	a.t.Helper()
	try.To(c.jump(offset))
}

// The clock of the server jumps an hour ahead, back and an hour behind, agents' clocks a day back and an
// hour ahead, in the middle of a run. Server and agents are killed and started again under the wrong
// clocks. The run is as if nothing had happened.
func TestClocksJump(t *testing.T) {
	if !long() {
		t.Skip("builds the test with another package time: CLUSTER_LONG=1")
	}
	binary := jumping(t)
	// CoTestFC, and the one that bets on bounded rewards
	for _, question := range []int{1, 3} {
		t.Run(questions(t)[question].name, func(t *testing.T) {
			server := role{Listen: testport.Address(t), Clock: filepath.Join(t.TempDir(), "server.clock")}
			ours := must(newClock(server.Clock))
			a := newApartAt(t, question, 8, binary, server, false)
			clocks := []clock{}
			a.begin(question, func(v int, r *role) string {
				clocks = append(clocks, a.clock(fmt.Sprint("agent-", v), r))
				r.Slow = 10 * time.Millisecond
				return binary
			})
			// the clocks jump in the middle, one after the other, each between two rounds
			a.await(2)
			a.jump(ours, time.Hour)
			a.jump(clocks[0], -24*time.Hour)
			a.jump(clocks[1], time.Hour)
			a.agents[0].kill() // it knows no other clock now
			a.agents[0].again()
			a.await(3)
			a.jump(ours, 0) // the true time again
			a.await(4)
			a.jump(ours, -time.Hour)
			a.server.kill()
			a.server.again()
			a.await(5)
			a.jump(ours, 0)
			a.jump(clocks[2], -24*time.Hour)
			// no process is killed any more, and the run comes to its end
			a.disturb(0, 0)
			a.check()
			// agents write the time of their own clocks at the end
			for v, want := range []time.Duration{-24 * time.Hour, time.Hour, -24 * time.Hour, 0, 0} {
				if off := time.Until(a.endings()[v].Clock) - want; off < -5*time.Minute || off > 5*time.Minute {
					t.Errorf("the clock of agent-%d was off by %v at the end; want %v", v, time.Until(a.endings()[v].Clock), want)
				}
			}
			ahead, behind := a.stamps()
			if ahead == 0 || behind == 0 {
				t.Errorf("%d facts were stamped ahead of the clock and %d behind it: the server's clock did not jump", ahead, behind)
			}
			t.Logf("%d rounds; of their facts the server stamped %d an hour ahead and %d an hour behind", a.rounds(), ahead, behind)
		})
	}
}

// stamps counts the facts that the server stamped with times half an hour and more ahead of this
// process's clock, and behind it.
func (a *apart) stamps() (ahead, behind int) {
	a.t.Helper()
	ctx, stop := context.WithTimeout(a.t.Context(), 5*time.Minute)
	defer stop()
	nc := must(nats.Connect(a.url()))
	defer nc.Close()
	stream := must(must(jetstream.New(nc)).Stream(ctx, "COPE"))
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		m := try.Of(stream.GetMsg(ctx, seq))
		switch off := time.Until(m.Time); {
		case off > 30*time.Minute:
			ahead++
		case off < -30*time.Minute:
			behind++
		}
	}
	return ahead, behind
}
