//go:build unix

package warden

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestMain lets the test binary be a warden, and a program that waits.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_WARDEN") != "" {
		_ = os.Unsetenv("TEST_WARDEN")
		status, err := Run(os.Args[1:], os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(status)
	}
	if file := os.Getenv("TEST_SLEEPER"); file != "" {
		sleep(file)
		return
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
		try.To(os.MkdirAll(dir, 0o700))
	}
	try.To(os.WriteFile(filepath.Join(folder, WorkFile), []byte(work+"\n"), 0o600))
	self, _ := os.Executable()
	cmd = exec.Command(self, folder, "sh", "-c", script)
	cmd.Env = append(os.Environ(), "TEST_WARDEN=1")
	orders, _ = cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	try.To(cmd.Start())
	line := try.Of(bufio.NewReader(out).ReadString('\n'))
	for _, field := range strings.Fields(line) {
		var id int
		if _, err := fmt.Sscan(field, &id); err == nil {
			ids = append(ids, id)
		}
	}
	return cmd, orders, folder, ids
}

// waitLimit is far above what anything takes, also on a busy machine.
const waitLimit = 3 * time.Minute

func gone(t *testing.T, ids []int) {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(ids, runs) {
			return
		}
	}
	t.Errorf("some of the processes %v are left after %v", ids, waitLimit)
}

// runs reports whether a process runs; one that only waits to be reaped does not.
func runs(id int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(id, 0) == nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	return err == nil && !strings.Contains(string(stat), ") Z")
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

// A warden that is killed takes the command with it. Its parent ends the rest, and
// removes folder and pipes.
func TestKilledWarden(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends processes with their parent and shows their environment")
	}
	pipe := filepath.Join(t.TempDir(), "gonb_pipe_1")
	try.To(syscall.Mkfifo(pipe, 0o600))
	cmd, orders, folder, ids := start(t, `sleep 3600 & a=$!; GONB_PIPE=`+pipe+` sleep 3600 & echo $$ $a $!; wait; sleep 3600`)
	defer orders.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, ids[:1])
	for _, id := range ids[1:] {
		if !runs(id) {
			t.Errorf("process %d ended with the warden: there is nothing to test", id)
		}
	}
	Clean(folder)
	gone(t, ids)
	for _, path := range []string{folder, pipe} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
	if _, err := os.Stat(filepath.Dir(folder)); err != nil {
		t.Errorf("the parent's folder: %v", err)
	}
	Clean(folder) // nothing is there
}

// A forgotten pipe is removed when the last GoNB with that folder for temporary files ends. Nothing else is.
func TestForgottenPipes(t *testing.T) {
	temp, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	pipe, file, other := filepath.Join(temp, "gonb_pipe_1"), filepath.Join(temp, "gonb_pipe_file"), filepath.Join(temp, "a_pipe")
	try.To(errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, nil, 0o600), syscall.Mkfifo(other, 0o600)))
	self, _ := os.Executable()
	gonb := filepath.Join(elsewhere, "gonb")
	try.To(os.Symlink(self, gonb))
	begin := func(temp string) *exec.Cmd {
		begun := filepath.Join(t.TempDir(), "begun")
		cmd := exec.Command(gonb)
		cmd.Env = append(os.Environ(), "TEST_SLEEPER="+begun, "TMPDIR="+temp)
		try.To(cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		waitForFiles(t, begun)
		return cmd
	}
	end := func(left bool, when string) {
		t.Helper()
		cmd, orders, _, _ := start(t, "echo; exec sleep 3600")
		_ = orders.Close()
		_ = cmd.Wait()
		for path, want := range map[string]bool{pipe: left, file: true, other: true} {
			if _, err := os.Lstat(path); (err == nil) != want {
				t.Errorf("%s, %s is there: %v, want %v", when, filepath.Base(path), err == nil, want)
			}
		}
	}
	if runtime.GOOS == "linux" { // other systems do not say what others have
		begin(elsewhere)
	}
	neighbour := begin(temp + "/.")
	end(true, "while another GoNB has the folder")
	_ = neighbour.Process.Kill()
	_ = neighbour.Wait()
	end(false, "after that")
}

// Whatever runs below the command is interrupted, except for gopls.
func TestInterruptSparesGopls(t *testing.T) {
	dir := t.TempDir()
	self, _ := os.Executable()
	gopls := filepath.Join(dir, "gopls")
	try.To(os.Symlink(self, gopls))
	// The command ignores the interrupt, as GoNB does; what is two below it is reached.
	first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	_, orders, _, ids := start(t, `trap "" INT; TEST_SLEEPER=`+first+` `+gopls+` & g=$!; sh -c 'TEST_SLEEPER=`+second+` `+self+` & echo '$g' $!; wait' & wait; sleep 3600`)
	defer orders.Close()
	if len(ids) != 2 {
		t.Fatalf("ids %v", ids)
	}
	waitForFiles(t, first, second)
	_, _ = io.WriteString(orders, Interrupt)
	gone(t, ids[1:]) // it comes after gopls in each round
	if !runs(ids[0]) {
		t.Error("gopls was interrupted")
	}
}

// A program that GoNB started a while ago, and to which it did not pass the interrupt on, is reached
// in the end.
func TestInterruptNotPassedOn(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for 6 s")
	}
	t.Parallel()
	self, _ := os.Executable()
	begun := filepath.Join(t.TempDir(), "begun")
	_, orders, _, ids := start(t, `trap "" INT; TEST_SLEEPER=`+begun+` `+self+` & echo $!; wait; sleep 3600`)
	defer orders.Close()
	waitForFiles(t, begun)
	time.Sleep(2 * subscribing)
	_, _ = io.WriteString(orders, Interrupt)
	gone(t, ids)
}

// sleep ends at an interrupt, whatever this process has inherited, and says by a file
// that it listens.
func sleep(file string) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	_ = os.WriteFile(file, nil, 0o600)
	<-interrupts
}

func waitForFiles(t *testing.T, paths ...string) {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		paths = slices.DeleteFunc(paths, func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		})
		if len(paths) == 0 {
			return
		}
	}
	t.Fatalf("%v did not come within %v", paths, waitLimit)
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
