//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/clocktest"
)

// clocked is a command whose clock can jump.
type clocked struct {
	*exec.Cmd
	clock clocktest.Clock
}

// jump sets the clock of the command.
func (c clocked) jump(t *testing.T, offset time.Duration) {
	t.Helper()
	if err := c.clock.Jump(offset); err != nil {
		t.Fatal(err)
	}
}

// newClocked returns a command that is killed at the end of the test.
func newClocked(t *testing.T, binary string, args ...string) clocked {
	t.Helper()
	clock, err := clocktest.New(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, args...)
	c.Env = append(os.Environ(), clocktest.Variable+"="+string(clock))
	c.Stderr = os.Stderr
	t.Cleanup(func() {
		if c.Process != nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return clocked{c, clock}
}

// A sweep on workers gives the bytes of one without a server while the clock of the server jumps an hour
// ahead and an hour behind, the clock of a worker a day back, and a worker is killed between: what it had
// in its hands comes to others within a minute, though by the server's clock it was handed out in an hour.
func TestFaultClocksJump(t *testing.T) {
	if os.Getenv("GONB_COPE_FAULTS") == "" {
		t.Skip("builds the command with another package time: GONB_COPE_FAULTS=1")
	}
	folder := t.TempDir()
	overlay, err := clocktest.Overlay(folder)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "jumping")
	if text, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	const script = `r = fc(paper(case=2, gap=0.2), delta=0.05, runs=400)
sweep(r, case=1..3, gap=[0.2, 0.3, 0.4], algorithm=["CoKernelFC", "CoTestFC", "IndKernelFC"])
`
	if err := os.WriteFile(filepath.Join(folder, "s.cope"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	here := exec.Command(binary, "run", filepath.Join(folder, "s.cope"), "--format", "json")
	began := time.Now()
	want, err := here.Output()
	if err != nil {
		t.Fatal(err)
	}

	pause := time.Since(began) / 20 // the sweep on workers takes longer than the one here

	server := newClocked(t, binary, "cluster", "serve", filepath.Join(folder, "server"), "--listen", "127.0.0.1:0", "--json")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var where struct{ URL string }
	if err := json.NewDecoder(out).Decode(&where); err != nil {
		t.Fatal(err)
	}
	worker := func() clocked {
		w := newClocked(t, binary, "worker", "--server", where.URL, "--workers", "1")
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		return w
	}
	first, second := worker(), worker()
	sweep := newClocked(t, binary, "run", filepath.Join(folder, "s.cope"), "--format", "json", "--server", where.URL)
	var got bytes.Buffer
	sweep.Stdout = &got
	if err := sweep.Start(); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	ended := make(chan error, 1)
	go func() { ended <- sweep.Wait() }()
	for _, step := range []func(){
		func() { first.jump(t, -24*time.Hour) },
		func() { server.jump(t, time.Hour) },
		func() { sweep.jump(t, -time.Hour) },
		func() {
			if err := second.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		},
		func() { server.jump(t, -time.Hour) },
		func() { first.jump(t, time.Hour) },
	} {
		select {
		case err := <-ended:
			t.Fatalf("the sweep ended too early for this test: %v", err)
		case <-time.After(pause):
			step()
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(2 * limit):
		t.Fatal("the sweep does not end")
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("the displays differ from those that are made without a server")
	}
	t.Logf("the sweep took %v", time.Since(began).Round(100*time.Millisecond))
}
