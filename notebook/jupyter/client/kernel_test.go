package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// startFake starts the fake kernel, to be ended with the test.
func startFake(t *testing.T, spec Spec, opt StartOptions) *Kernel {
	t.Helper()
	k := try.Of(Start(t.Context(), spec, opt))
	t.Cleanup(func() {
		k.Kill()
		if _, err := os.Stat(k.dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the folder of the connection is left: %v", err)
		}
	})
	return k
}

// contains checks that an error says all parts.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not say %q", err, part)
		}
	}
}

// waitLimit is far above what anything takes, also on a busy machine.
const waitLimit = 5 * time.Minute

// eventually fails unless something comes to hold.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("%s did not come within %v", what, waitLimit)
}

// ends fails when a function does not end; nothing here may hang.
func ends(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(waitLimit):
		t.Fatalf("still waiting after %v", waitLimit)
	}
}

func TestStart(t *testing.T) {
	for _, transport := range []string{"", "ipc", "tcp"} {
		spec := fakeSpec("plain")
		spec.Metadata = map[string]any{"transport": transport}
		k := startFake(t, spec, StartOptions{Dir: t.TempDir()})
		if k.Info.Implementation != "fake" || k.Info.Language["name"] != "fake" {
			t.Errorf("transport %q: the kernel says it is %+v", transport, k.Info)
		}
		r, err := k.Request(t.Context(), jupyter.ShellChannel, "complete_request", map[string]any{"code": "res", "cursor_pos": 3})
		if err != nil {
			t.Fatal(err)
		}
		var reply struct{ Matches []string }
		if err := r.Decode(&reply); err != nil || len(reply.Matches) != 1 || reply.Matches[0] != "result" {
			t.Errorf("transport %q: completion %s, %v", transport, r.Content, err)
		}
		k.patience = waitLimit
		k.Shutdown(t.Context())
		if k.process.err != nil {
			t.Errorf("transport %q: asked to end, the kernel %v", transport, k.process.ending())
		}
		k.Shutdown(t.Context()) // once more does nothing
		_, err = k.Request(t.Context(), jupyter.ShellChannel, "complete_request", struct{}{})
		contains(t, err, "the kernel ended")
	}
}

// A subscriber that joins late asks again; a kernel without statuses is ready too.
func TestStartJoins(t *testing.T) {
	k := startFake(t, fakeSpec("late"), StartOptions{})
	// on a busy machine an answer may be late
	if n, err := strconv.Atoi(k.Info.Banner); n < 3 || n >= joinTries {
		t.Errorf("asked %d times (%v), want 3", n, err)
	}
	if k := startFake(t, fakeSpec("no-status"), StartOptions{}); k.Info.Banner != strconv.Itoa(joinTries) {
		t.Errorf("asked %s times, want %d", k.Info.Banner, joinTries)
	}
}

func TestStartFails(t *testing.T) {
	ends(t, func() {
		_, err := Start(t.Context(), fakeSpec("exit"), StartOptions{})
		contains(t, err, "kernel fake did not start", "exit status 3", "out of cheese")

		// until it has time to say hello
		for limit := 500 * time.Millisecond; limit < waitLimit; limit *= 2 {
			_, err = Start(t.Context(), fakeSpec("mute"), StartOptions{Timeout: limit})
			contains(t, err, "kernel fake did not start", "not ready within "+limit.String())
			if strings.Contains(err.Error(), "says hello") {
				break
			}
		}
		contains(t, err, "says hello")

		_, err = Start(t.Context(), Spec{Name: "gone", Argv: []string{"no-such-program-anywhere"}}, StartOptions{})
		contains(t, err, "kernel gone did not start", "no-such-program-anywhere")

		spec := fakeSpec("plain")
		spec.Metadata = map[string]any{"transport": "pigeon"}
		_, err = Start(t.Context(), spec, StartOptions{})
		contains(t, err, `transport must be ipc or tcp, not "pigeon"`)

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		if _, err = Start(ctx, fakeSpec("mute"), StartOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

func TestStderr(t *testing.T) {
	var out strings.Builder
	k := startFake(t, fakeSpec("plain"), StartOptions{Stderr: &out})
	k.Kill()
	if !strings.Contains(out.String(), "says hello") {
		t.Errorf("the kernel wrote %q", out.String())
	}
}

// execute runs code and returns what was printed.
func execute(ctx context.Context, k *Kernel, code string, opt ExecuteOptions) (printed string, reply Reply, err error) {
	opt.Output = func(m *jupyter.Message) {
		var s struct{ Text string }
		if m.Header.Type == "stream" && m.Decode(&s) == nil {
			printed += s.Text
		}
	}
	reply, err = k.Execute(ctx, code, opt)
	return printed, reply, err
}

func TestExecute(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	printed, reply, err := execute(t.Context(), k, "print a\nprint b\nmetadata", ExecuteOptions{CellID: "x7"})
	if err != nil || printed != "a\nb\n"+`{"cellId":"x7"}` || reply.Status != "ok" || reply.ExecutionCount != 1 {
		t.Errorf("printed %q, reply %+v, %v", printed, reply, err)
	}
	_, reply, err = execute(t.Context(), k, "error NameError no x\nprint never", ExecuteOptions{})
	if err != nil || reply.Status != "error" || reply.ErrorName != "NameError" || reply.ErrorValue != "no x" || len(reply.Traceback) != 1 {
		t.Errorf("reply %+v, %v", reply, err)
	}
	_, reply, err = execute(t.Context(), k, "print c", ExecuteOptions{Silent: true})
	if err != nil || reply.ExecutionCount != 2 {
		t.Errorf("silent: reply %+v, %v", reply, err)
	}
	lines := 20_000
	if testing.Short() {
		lines = 4000
	}
	printed, _, err = execute(t.Context(), k, fmt.Sprintf("repeat %d line", lines), ExecuteOptions{})
	if n := strings.Count(printed, "\n"); err != nil || n != lines || !strings.HasSuffix(printed, fmt.Sprintf("line %d\n", lines-1)) {
		t.Errorf("%d lines of %d, %v", n, lines, err)
	}
}

func TestInput(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	ends(t, func() {
		asked := ""
		printed, _, err := execute(t.Context(), k, "ask your name?", ExecuteOptions{Input: func(prompt string, password bool) (string, error) {
			asked = prompt
			return "Ada", nil
		}})
		if err != nil || asked != "your name?" || printed != `{"status":"ok","value":"Ada"}` {
			t.Errorf("asked %q, printed %q, %v", asked, printed, err)
		}
		printed, reply, err := execute(t.Context(), k, "ask anybody?", ExecuteOptions{})
		if err != nil || reply.Status != "ok" || !strings.Contains(printed, "no input is available") {
			t.Errorf("without a user: printed %q, reply %+v, %v", printed, reply, err)
		}
		closed := errors.New("the terminal is closed")
		_, reply, err = execute(t.Context(), k, "ask again?", ExecuteOptions{Input: func(string, bool) (string, error) { return "", closed }})
		if !errors.Is(err, closed) || reply.ErrorName != "Interrupt" {
			t.Errorf("input that fails: reply %+v, %v", reply, err)
		}
	})
}

func TestTimeout(t *testing.T) {
	for _, mode := range []string{"signal", "message"} {
		spec := fakeSpec("plain")
		spec.InterruptMode = mode
		k := startFake(t, spec, StartOptions{})
		ends(t, func() {
			printed, reply, err := execute(t.Context(), k, "print before\nsleep 1h", ExecuteOptions{Timeout: 200 * time.Millisecond, Grace: waitLimit})
			var late *TimeoutError
			if !errors.As(err, &late) || late.Limit != 200*time.Millisecond || reply.ErrorName != "Interrupt" || printed != "before\n" {
				t.Errorf("%s: printed %q, reply %+v, %v", mode, printed, reply, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(200*time.Millisecond, cancel)
			_, reply, err = execute(ctx, k, "sleep 1h", ExecuteOptions{Grace: waitLimit})
			if !errors.Is(err, context.Canceled) || reply.ErrorName != "Interrupt" {
				t.Errorf("%s: cancelled: reply %+v, %v", mode, reply, err)
			}
			if printed, _, err := execute(t.Context(), k, "print after", ExecuteOptions{}); err != nil || printed != "after\n" {
				t.Errorf("%s: after an interrupt: printed %q, %v", mode, printed, err)
			}
		})
	}
}

func TestUnresponsive(t *testing.T) {
	k := startFake(t, fakeSpec("stubborn"), StartOptions{})
	ends(t, func() {
		_, reply, err := execute(t.Context(), k, "hang", ExecuteOptions{Timeout: 100 * time.Millisecond, Grace: 300 * time.Millisecond})
		var stuck *UnresponsiveError
		var late *TimeoutError
		if !errors.As(err, &stuck) || !errors.As(err, &late) || reply.Status != "" {
			t.Errorf("reply %+v, %v", reply, err)
		}
		contains(t, err, "took longer than 100ms", "did not answer 300ms later")
		// Nor does it end when asked to, by message or by SIGTERM.
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		k.Shutdown(ctx)
		select {
		case <-k.process.dead:
		default:
			t.Error("the kernel survived its shutdown")
		}
	})
}

func TestDeath(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	ends(t, func() {
		printed, _, err := execute(t.Context(), k, "print first\ndie", ExecuteOptions{})
		contains(t, err, "the kernel died: exit status 9", "segmentation fault")
		if printed != "first\nlast words\n" {
			t.Errorf("printed %q", printed)
		}
		_, _, err = execute(t.Context(), k, "print again", ExecuteOptions{})
		contains(t, err, "the kernel died")
	})
}

// What the kernel started ends with it.
func TestKillGroup(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	printed, _ := try.Two(execute(t.Context(), k, "spawn", ExecuteOptions{}))
	child := try.Of(strconv.Atoi(printed))
	if !alive(child) {
		t.Fatal("the child does not run")
	}
	k.Shutdown(t.Context())
	eventually(t, fmt.Sprintf("the end of process %d", child), func() bool { return !alive(child) })
}

// alive reports whether a process runs. A zombie does not run.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(status), ") Z ")
}

// No reply ever comes to a request that the kernel does not know.
func TestRequestCancelled(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := k.Request(ctx, jupyter.ShellChannel, "mystery_request", struct{}{})
	contains(t, err, "no reply to mystery_request")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
