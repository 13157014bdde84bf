package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	if told, err := onePull(t, t.Context(), httpPuller(s.URL)); err != nil || len(told) != 2 || told[1].Mean != 2 {
		t.Errorf("told %v, error %v", told, err)
	}
	if _, err := onePull(t, t.Context(), httpPuller(s.URL+"/busy")); err == nil || !strings.Contains(err.Error(), `answered 503 Service Unavailable: "the robot is busy"`) {
		t.Errorf("a busy service: error %v", err)
	}
	s.Close()
	if _, err := onePull(t, t.Context(), httpPuller(s.URL)); err == nil {
		t.Error("a service that is gone was no error")
	}
}

// A command that is no longer wanted is ended, with what it has started; what it told before counts.
func TestCommandIsEnded(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	path := filepath.Join(t.TempDir(), "late")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	told, err := onePull(t, ctx, commandPuller([]string{"/bin/sh", "-c", `echo '{"arm":"{1,2}","reward":1}'; (sleep 2; touch ` + path + `); echo no`}))
	if err == nil || len(told) != 1 {
		t.Errorf("told %v, error %v", told, err)
	}
	if took := time.Since(began); took > 1900*time.Millisecond {
		t.Errorf("it was ended after %v", took)
	}
	if _, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", "exit 3"})); err == nil || !strings.Contains(err.Error(), "the command /bin/sh -c exit 3 ended with exit status 3") {
		t.Errorf("a command that fails: error %v", err)
	}
	if _, err := onePull(t, t.Context(), commandPuller([]string{"/nowhere/at/all"})); err == nil {
		t.Error("a command that is not there was no error")
	}
	time.Sleep(time.Until(began.Add(2300 * time.Millisecond)))
	if _, err := os.Stat(path); err == nil {
		t.Error("what the command had started went on")
	}
}
