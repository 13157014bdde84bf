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

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A run with a store that is killed again and again, whenever its store has grown to a random size,
// loses nothing: the run that is left alone in the end gives the bytes of one that nothing happened
// to.
func TestFaultStoreKills(t *testing.T) {
	if testing.Short() {
		t.Skip("kills are for the full run")
	}
	folder := t.TempDir()
	seeds := 20
	if testing.Short() {
		seeds = 4
	}
	script := fmt.Sprintf(`r = fc(paper(case=2, gap=0.1), delta=0.005, runs=60, seed=1)
s = sweep(r, case=[1, 2], seed=1..%d, algorithm=["CoKernelFC", "IndKernelFC"], store=store)
save(s, file)
`, seeds)
	try.To(os.WriteFile(filepath.Join(folder, "s.cope"), []byte("store = \"killed.jsonl\"\nfile = \"killed.csv\"\n"+script), 0o600))
	store := filepath.Join(folder, "killed.jsonl")
	rng := rand.New(rand.NewPCG(1, 33))
	killed := 0
	for range often(33) {
		c := exec.Command("gonb-cope", "run", "s.cope")
		c.Dir = folder
		try.To(c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		// a line has about 8,400 bytes, and there are 4 for each seed
		more := size(store) + 1 + rng.Int64N(30_000)
		if waitFor(t, "a store of more bytes", ended, func() bool { return size(store) >= more }) {
			_ = c.Process.Signal(syscall.SIGKILL)
			<-ended
			killed++
		} else if err := os.Remove(store); err != nil { // it was done: once more from the beginning
			t.Fatal(err)
		}
	}
	if killed == 0 {
		t.Error("no run was killed")
	}
	attempt(t, folder, "run", "s.cope")
	attempt(t, folder, "run", "s.cope", "--set", `store="whole.jsonl"`, "--set", `file="whole.csv"`)
	got := try.Of(os.ReadFile(filepath.Join(folder, "killed.csv")))
	if want, err := os.ReadFile(filepath.Join(folder, "whole.csv")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after %d kills the table differs from one that nothing happened to, error %v", killed, err)
	}
	t.Logf("killed %d times", killed)
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// waitFor waits until something is true, and returns false when a program ended before.
func waitFor(t *testing.T, what string, ended <-chan error, is func() bool) bool {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if is() {
			return true
		}
		select {
		case <-ended:
			return false
		default:
		}
	}
	t.Fatalf("waited five minutes for %s", what)
	return false
}

// A report that is killed, interrupted or terminated, whenever its partial file has grown to a
// random size, leaves the old report or the whole new one, a partial file that can be read, and
// nothing else, except after SIGKILL.
func TestFaultReportKills(t *testing.T) {
	script := "p = paper(case=2, gap=0.1)\n"
	for seed := range 12 {
		script += fmt.Sprintf("\nfc(p, delta=0.005, runs=40, seed=%d)\n", seed)
	}
	const old = "the old report"
	rng := rand.New(rand.NewPCG(1, 20))
	stopped := 0
	for i := range often(20) {
		folder := t.TempDir()
		for name, text := range map[string]string{"s.cope": script, "s.html": old} {
			try.To(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		signal := []os.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, os.Interrupt}[i%4]
		c := exec.Command("gonb-cope", "report", "s.cope", "-o", "s.html")
		c.Dir = folder
		try.To(c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		enough := 1 + rng.Int64N(60_000)
		if waitFor(t, "a larger partial file", ended, func() bool { return size(keptIn(folder)) >= enough }) {
			_ = c.Process.Signal(signal)
			select {
			case <-ended:
			case <-time.After(5 * time.Minute):
				t.Fatalf("%v: waited five minutes for the report to end", signal)
			}
			stopped++
		}
		page, err := os.ReadFile(filepath.Join(folder, "s.html"))
		if err != nil || string(page) != old && !strings.HasSuffix(strings.TrimSpace(string(page)), "</html>") {
			t.Errorf("%v: the report has %d bytes and is neither the old one nor whole, error %v", signal, len(page), err)
		}
		if file := keptIn(folder); file != "" {
			text, err := os.ReadFile(file)
			if err != nil || !json.Valid(text) {
				t.Errorf("%v: the partial file has %d bytes and cannot be read, error %v", signal, len(text), err)
			}
		}
		entries := try.Of(os.ReadDir(folder))
		for _, e := range entries {
			if name := e.Name(); signal != syscall.SIGKILL && name != "s.cope" && name != "s.html" && filepath.Join(folder, name) != keptIn(folder) {
				t.Errorf("%v: it left %s", signal, name)
			}
		}
	}
	if stopped == 0 {
		t.Error("no report was stopped")
	}
	t.Logf("stopped %d times", stopped)
}

// keptIn returns the file of finished cells in a folder, "" without.
func keptIn(folder string) string {
	// the pattern is well-formed
	found, _ := filepath.Glob(filepath.Join(folder, "*partial*.ipynb"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}
