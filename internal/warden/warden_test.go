//go:build unix

package warden

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a warden.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_WARDEN") != "" {
		_ = os.Unsetenv("TEST_WARDEN")
		status, err := Run(os.Args[1:], os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// start runs a shell script under a warden and waits for its first line, the ids of
// processes that it started.
func start(t *testing.T, script string) (cmd *exec.Cmd, orders io.WriteCloser, folder string, ids []int) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "kernel", "child")
	work := filepath.Join(t.TempDir(), "gonb_1234")
	for _, dir := range []string{folder, work} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, WorkFile), []byte(work+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, _ := os.Executable()
	cmd = exec.Command(self, folder, "sh", "-c", script)
	cmd.Env = append(os.Environ(), "TEST_WARDEN=1")
	orders, _ = cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(line) {
		var id int
		if _, err := fmt.Sscan(field, &id); err == nil {
			ids = append(ids, id)
		}
	}
	return cmd, orders, folder, ids
}

func gone(t *testing.T, ids []int) {
	t.Helper()
	for range 200 {
		left := 0
		for _, id := range ids {
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)); runtime.GOOS == "linux" && err == nil && !strings.Contains(string(stat), ") Z") ||
				runtime.GOOS != "linux" && syscall.Kill(id, 0) == nil {
				left++
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("some of the processes %v are left", ids)
}

func TestNothingIsLeft(t *testing.T) {
	script := `trap "" TERM; setsid sleep 3600 & a=$!; sleep 3600 & echo $$ $a $!; wait; sleep 3600`
	if _, err := exec.LookPath("setsid"); err != nil {
		script = strings.Replace(script, "setsid ", "", 1)
	}
	for name, end := range map[string]func(*exec.Cmd, io.WriteCloser){
		"stop":         func(_ *exec.Cmd, orders io.WriteCloser) { _, _ = io.WriteString(orders, Stop) },
		"parent gone":  func(_ *exec.Cmd, orders io.WriteCloser) { _ = orders.Close() },
		"SIGTERM":      func(cmd *exec.Cmd, _ io.WriteCloser) { _ = cmd.Process.Signal(syscall.SIGTERM) },
		"command ends": nil,
	} {
		t.Run(name, func(t *testing.T) {
			cmd, orders, folder, ids := start(t, script)
			work, _ := os.ReadFile(filepath.Join(folder, WorkFile))
			if len(ids) != 3 {
				t.Fatalf("ids %v", ids)
			}
			if end == nil {
				_ = syscall.Kill(ids[0], syscall.SIGKILL)
			} else {
				end(cmd, orders)
			}
			_ = cmd.Wait()
			gone(t, ids)
			if _, err := os.Stat(strings.TrimSpace(string(work))); err == nil {
				t.Error("the folder of the command is left")
			}
			_, err := os.Stat(filepath.Dir(folder))
			if left, want := err == nil, name != "parent gone"; left != want {
				t.Errorf("the parent's folder is there: %v, want %v", left, want)
			}
		})
	}
}

func TestInterruptSparesGopls(t *testing.T) {
	dir := t.TempDir()
	gopls := filepath.Join(dir, "gopls")
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep was not found")
	}
	if err := os.Symlink(sleep, gopls); err != nil {
		t.Fatal(err)
	}
	// The command ignores the interrupt, as GoNB does; what is two below it is reached.
	_, orders, _, ids := start(t, `trap "" INT; `+gopls+` 3600 & g=$!; sh -c 'trap - INT; sleep 3600 & echo '$g' $!; wait' & wait; sleep 3600`)
	defer orders.Close()
	if len(ids) != 2 {
		t.Fatalf("ids %v", ids)
	}
	_, _ = io.WriteString(orders, Interrupt)
	time.Sleep(3 * settle)
	if syscall.Kill(ids[0], 0) != nil {
		t.Error("gopls was interrupted")
	}
}

func TestUsage(t *testing.T) {
	if _, err := Run([]string{"/tmp"}, strings.NewReader("")); err == nil {
		t.Error("no command is no error")
	}
	folder := filepath.Join(t.TempDir(), "a")
	if _, err := Run([]string{folder, "/no/such/program"}, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}
