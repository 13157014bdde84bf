package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// onePull asks a Puller for two pulls of the first arm of the paper's case 1.
func onePull(t *testing.T, ctx context.Context, p cluster.Puller) ([]cluster.Reward, error) {
	q, err := problem.PaperCase(1, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	var told []cluster.Reward
	err = p.Pull(ctx, cluster.Pulls{Run: "r", Task: "task 1", Problem: q, Plan: engine.Plan{Round: 1}, Arms: []cluster.ArmPulls{{Arm: 0, Count: 2}}}, func(all ...cluster.Reward) error {
		told = append(told, all...)
		return nil
	})
	return told, err
}

// A service gets the request as a POST, and its answer is read line by line; another status is an error
// with what the service says.
func TestAskedByHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q cluster.Request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Method != http.MethodPost || len(q.Arms) != 1 || q.Arms[0].Count != 2 {
			t.Errorf("%s of %+v, error %v", r.Method, q, err)
		}
		if r.URL.Path == "/busy" {
			http.Error(w, "the robot is busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, "{\"arm\":%q,\"reward\":1}\n{\"arm\":%q,\"reward\":2}\n", q.Arms[0].Arm, q.Arms[0].Arm)
	}))
	defer s.Close()
	if told, err := onePull(t, t.Context(), httpPuller(s.URL, time.Hour)); err != nil || len(told) != 2 || told[1].Mean != 2 {
		t.Errorf("told %v, error %v", told, err)
	}
	if _, err := onePull(t, t.Context(), httpPuller(s.URL+"/busy", time.Hour)); err == nil || !strings.Contains(err.Error(), `answered 503 Service Unavailable: "the robot is busy"`) {
		t.Errorf("a busy service: error %v", err)
	}
	s.Close()
	if _, err := onePull(t, t.Context(), httpPuller(s.URL, time.Hour)); err == nil {
		t.Error("a service that is gone was no error")
	}
}

// limit is far above what anything takes, also on a busy machine.
const limit = 5 * time.Minute

// pullUntil calls a Puller as onePull does, and cancels it after its first reward.
func pullUntil(t *testing.T, p cluster.Puller) ([]cluster.Reward, error) {
	t.Helper()
	type outcome struct {
		told []cluster.Reward
		err  error
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		told, err := onePull(t, ctx, told{p, cancel})
		done <- outcome{told, err}
	}()
	select {
	case o := <-done:
		return o.told, o.err
	case <-time.After(limit):
		t.Fatalf("a command that is no longer wanted goes on for %v", limit)
	}
	return nil, nil
}

// told calls heard after rewards have been passed on.
type told struct {
	cluster.Puller
	heard func()
}

func (w told) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	return w.Puller.Pull(ctx, p, func(all ...cluster.Reward) error {
		err := tell(all...)
		w.heard()
		return err
	})
}

// heldOpen returns a path to open for writing, and fails if a process has it open long after over was
// called.
func heldOpen(t *testing.T) (path string, over func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pipe")
	if text, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Skipf("no named pipes here: %v %s", err, text)
	}
	gone := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(path) // ends when no process has it open
		gone <- err
	}()
	return path, func() {
		t.Helper()
		select {
		case err := <-gone:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("what the command had started went on")
		}
	}
}

// A command that is no longer wanted is ended, with what it has started; what it recorded before counts.
func TestCommandIsEnded(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	path, over := heldOpen(t)
	told, err := pullUntil(t, commandPuller([]string{"/bin/sh", "-c", `exec 9>` + path + `; echo '{"arm":"{1,2}","reward":1}'; (sleep 1000; echo late); echo no`}, time.Hour))
	if !errors.Is(err, context.Canceled) || len(told) != 1 {
		t.Errorf("told %v, error %v", told, err)
	}
	over()
	if _, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", "exit 3"}, time.Hour)); err == nil || !strings.Contains(err.Error(), "the command /bin/sh -c exit 3 ended with exit status 3") {
		t.Errorf("a command that fails: error %v", err)
	}
	if _, err := onePull(t, t.Context(), commandPuller([]string{"/nowhere/at/all"}, time.Hour)); err == nil {
		t.Error("a command that is not there was no error")
	}
}

// A service that sends the agent elsewhere by a status that turns a POST into a GET is not followed: what
// answers there was not asked for pulls. A 307 or 308 keeps the request.
func TestRedirectedService(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/login":
			http.Redirect(w, r, "/pulls", http.StatusFound)
		case "/moved":
			http.Redirect(w, r, "/pulls", http.StatusPermanentRedirect)
		default:
			fmt.Fprintln(w, `{"arm":"{1,2}","count":2,"mean":1,"squares":0}`)
		}
	}))
	defer s.Close()
	told, err := onePull(t, t.Context(), httpPuller(s.URL+"/login", time.Hour))
	if err == nil || len(told) != 0 || !strings.Contains(err.Error(), "answered 302 Found and redirects to /pulls") {
		t.Errorf("told %v, error %v", told, err)
	}
	if told, err := onePull(t, t.Context(), httpPuller(s.URL+"/moved", time.Hour)); err != nil || len(told) != 1 {
		t.Errorf("told %v, error %v", told, err)
	}
}

// The password in the URL of a service is in no message.
func TestServicePassword(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			t.Errorf("the service got the password %q", password)
		}
		if r.URL.Path == "/busy" {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "no reward")
	}))
	defer s.Close()
	for _, path := range []string{"/busy", "/"} {
		_, err := onePull(t, t.Context(), httpPuller(strings.Replace(s.URL, "://", "://robot:secret@", 1)+path, time.Hour))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

// An answer that is cut off counts as far as its lines are whole.
func TestServiceBreaks(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"arm":"{1,2}","reward":1}`+"\n"+`{"arm":"{1,2}","reward":2}`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	if told, err := onePull(t, t.Context(), httpPuller(s.URL, time.Hour)); err == nil || len(told) != 1 {
		t.Errorf("told %v, error %v", told, err)
	}
}

// A command that is no longer wanted may end what it does: what it prints then counts.
func TestCommandEndsByItself(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems end a command at once")
	}
	// a busy machine may take longer than the time that a command has for it, but not each time
	for try := 1; ; try++ {
		told, err := pullUntil(t, commandPuller([]string{"/bin/sh", "-c", `trap 'echo "{\"arm\":\"{1,2}\",\"reward\":4}"; exit' TERM; echo '{"arm":"{1,2}","reward":1}'; sleep 1000 & wait`}, time.Hour))
		if errors.Is(err, context.Canceled) && len(told) == 2 && told[1].Mean == 4 {
			break
		}
		if try == 10 {
			t.Errorf("told %v, error %v", told, err)
			break
		}
	}
	// one that does not is ended, with what it has started
	path, over := heldOpen(t)
	if _, err := pullUntil(t, commandPuller([]string{"/bin/sh", "-c", `trap "" TERM; exec 9>` + path + `; sleep 1000 & echo '{"arm":"{1,2}","reward":1}'; wait; while :; do sleep 1000; done`}, time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	over()
}

// A command that leaves something behind which holds its output is not waited for.
func TestCommandLeavesSomething(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	told, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", `sleep 60 2>/dev/null & echo '{"arm":"{1,2}","count":2,"mean":1,"squares":0}'`}, time.Hour))
	if err == nil || len(told) != 1 || !strings.Contains(err.Error(), "has ended, but a program that it started keeps its output open") {
		t.Errorf("told %v, error %v", told, err)
	}
}
