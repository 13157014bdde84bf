package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serve starts the server of a folder and returns its address.
func serve(t *testing.T, folder string) string {
	t.Helper()
	c := exec.Command("gonb-cope", "cluster", "serve", filepath.Join(folder, "server"), "--listen", "127.0.0.1:0", "--json")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
	var where struct{ URL string }
	if err := json.NewDecoder(out).Decode(&where); err != nil {
		t.Fatal(err)
	}
	return where.URL
}

// startWorker starts a worker, which is interrupted at the end of the test.
func startWorker(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	c := exec.Command("gonb-cope", "worker", "--server", url, "--workers", "1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// A sweep on a worker gives the bytes of one without a server. A worker of one script ends with it, and
// another one after an interrupt says what it made.
func TestWorkerCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("worker.txtar has the shorter one")
	}
	folder := t.TempDir()
	const script = `r = fc(paper(case=1, gap=0.5), runs=6)
sweep(r, gap=[0.4, 0.5], algorithm=["CoTestFC", "CoKernelFC"])
`
	if err := os.WriteFile(filepath.Join(folder, "s.cope"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, folder)
	run := func(flags ...string) string {
		c := exec.Command("gonb-cope", append([]string{"run", "s.cope", "--format", "json"}, flags...)...)
		c.Dir, c.Stderr = folder, os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	want := run()
	for _, flags := range [][]string{{"--once"}, {"--name", "the first"}} {
		w := exec.Command("gonb-cope", append([]string{"worker", "--server", url, "--workers", "2"}, flags...)...)
		var said bytes.Buffer
		w.Stderr = &said
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		if got := run("--server", url); got != want {
			t.Errorf("other displays than without a server:\n%.500s\n%.500s", want, got)
		}
		ended := make(chan error, 1)
		go func() { ended <- w.Wait() }()
		if flags[0] != "--once" {
			_ = w.Process.Signal(os.Interrupt)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%v: %s", err, said.String())
			}
		case <-time.After(limit):
			_ = w.Process.Kill()
			<-ended
			t.Error("the worker does not end")
		}
		if flags[0] != "--once" && !strings.Contains(said.String(), "worker the-first computed ") {
			t.Errorf("the worker says %q", said.String())
		}
	}
}

// Workers that are killed again and again leave the displays unchanged: the bytes equal a run
// without a server. What a killed worker had in its hands comes to others after 30 seconds.
func TestFaultWorkerKills(t *testing.T) {
	if testing.Short() {
		t.Skip("kills are for the full run")
	}
	folder := t.TempDir()
	runs := 60
	if testing.Short() {
		runs = 15
	}
	script := fmt.Sprintf(`r = fc(paper(case=2, gap=0.2), delta=0.05, runs=%d)
sweep(r, case=1..3, gap=[0.2, 0.3, 0.4], algorithm=["CoKernelFC", "CoTestFC", "IndKernelFC"])
`, runs)
	if err := os.WriteFile(filepath.Join(folder, "s.cope"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, folder)
	rng := rand.New(rand.NewPCG(1, 25))
	workers := make([]*exec.Cmd, 4)
	for k := range workers {
		workers[k] = startWorker(t, url)
	}
	t.Cleanup(func() {
		for _, w := range workers {
			_ = w.Process.Signal(os.Interrupt)
			_ = w.Wait()
		}
	})
	here := exec.Command("gonb-cope", "run", "s.cope", "--format", "json")
	here.Dir = folder
	want, err := here.Output()
	if err != nil {
		t.Fatal(err)
	}
	killed, made := 0, 0
	for kills := often(25); killed < kills; made++ {
		c := exec.Command("gonb-cope", "run", "s.cope", "--format", "json", "--server", url)
		c.Dir, c.Stderr = folder, os.Stderr
		var got bytes.Buffer
		c.Stdout = &got
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for over := false; !over; {
			var next <-chan time.Time
			if killed < kills {
				next = time.After(time.Duration(100+rng.IntN(400)) * time.Millisecond)
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
				over = true
			case <-next:
				k := rng.IntN(len(workers))
				_ = workers[k].Process.Signal(syscall.SIGKILL)
				_ = workers[k].Wait() // it was killed
				workers[k] = startWorker(t, url)
				killed++
			case <-time.After(2 * limit):
				_ = c.Process.Kill()
				t.Fatal("the sweep does not end")
			}
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("after %d kills the displays differ from those that are made without a server", killed)
		}
	}
	t.Logf("killed %d workers in %d sweeps", killed, made)
}
