package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A command that hangs after its last reward gets a signal to end, and is killed if it does not; an
// answer that a service never closes is cut off. All rewards count.
func TestCommandLingers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems end a command at once")
	}
	const all = `echo '{"arm":"{1,2}","count":2,"mean":1,"squares":0}'`
	const grace = 10 * time.Millisecond
	lingers := func(what string, told []cluster.Reward, err error) {
		t.Helper()
		if e := (*cluster.LingerError)(nil); !errors.As(err, &e) || len(told) != 1 || told[0].Count != 2 {
			t.Errorf("%s: told %v, error %v", what, told, err)
		}
	}
	dir := t.TempDir()
	tidy := filepath.Join(dir, "tidy")
	// a busy machine may take longer than the time that a command has for tidying up, but not each time
	for try := 1; ; try++ {
		told, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", `trap 'echo parked >` + tidy + `; exit' TERM; ` + all + `; sleep 1000 & wait`}, grace))
		lingers("it ends when it is told to", told, err)
		text, err := os.ReadFile(tidy)
		if err == nil && string(text) == "parked\n" {
			break
		}
		if try == 10 {
			t.Errorf("it could not tidy up: %q, %v", text, err)
			break
		}
	}
	told, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", `trap "" TERM; echo $$ >` + dir + `/pid; ` + all + `; while :; do sleep 1000; done`}, grace))
	lingers("it ignores that", told, err)
	text, _ := os.ReadFile(filepath.Join(dir, "pid"))
	pid := try.Of(strconv.Atoi(strings.TrimSpace(string(text))))
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"arm":"{1,2}","count":2,"mean":1,"squares":0}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	told, err = onePull(t, t.Context(), httpPuller(s.URL, grace))
	lingers("a service", told, err)
}

// What a command leaves behind when it ends well ends with it: it would hold the instrument in the next
// round. Every round would leave one more.
func TestCommandLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not end what a command has started")
	}
	file := filepath.Join(t.TempDir(), "pid")
	told, err := onePull(t, t.Context(), commandPuller([]string{"/bin/sh", "-c", `echo '{"arm":"{1,2}","count":2,"mean":1,"squares":0}'; sleep 1000 >/dev/null 2>&1 & echo $! >` + file}, time.Hour))
	if err != nil || len(told) != 1 {
		t.Fatalf("told %v, error %v", told, err)
	}
	text, _ := os.ReadFile(file)
	pid := try.Of(strconv.Atoi(strings.TrimSpace(string(text))))
	for until := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") { // the process that adopts it may reap it later
			return
		}
		if time.Now().After(until) {
			t.Fatalf("process %d is still there: %s", pid, state)
		}
	}
}
