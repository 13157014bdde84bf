package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// However a kernel, its warden or GoNB ends and whatever it is doing, no process is
// left behind, and no folder or pipe either.
func TestNoProcessIsLeft(t *testing.T) {
	needGo(t)
	ends := []struct {
		how string
		of  func(*front) int // the process that ends; what is below it must go
		do  func(*front, int)
	}{
		{"SIGTERM", itself, func(_ *front, pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }},
		{"SIGKILL", itself, kill},
		{"shutdown", itself, func(f *front, _ int) {
			f.send(jupyter.ControlChannel, "shutdown_request", map[string]bool{"restart": false})
		}},
		{"dead parent", itself, kill}, // of the shell between
		{"SIGKILL of the warden", (*front).warden, kill},
		{"SIGKILL of GoNB", (*front).gonb, kill},
	}
	states := []struct {
		doing, code string
		processes   int // that there are at least, the kernel among them
	}{
		{"idle", "%%\nfmt.Println(\"begun\")", 3},
		// What is in the background has left the process group and holds the pipe.
		{"running", "!setsid sleep 3600 >/dev/null 2>&1 & echo begun; sleep 3600; echo", 5},
		{"in a program", "import \"time\"\n%%\nfmt.Println(\"begun\")\ntime.Sleep(time.Hour)", 4},
		{"compiling", "!echo begun\n%%\nfmt.Println(54321)", 5},
		// The program of the cell is run again to serve its function.
		{"serving", "import \"github.com/gonb-cope/gonb-cope/session\"\n%%\nsession.Put(\"f\", func(x, y []float64) float64 { return 1 })\nfmt.Println(\"begun\")", 4},
	}
	for _, end := range ends {
		for _, state := range states {
			t.Run(end.how+" while "+state.doing, func(t *testing.T) {
				temp := t.TempDir()
				env := []string{"TMPDIR=" + temp}
				if end.how == "dead parent" {
					env = append(env, "TEST_SHELL=1")
				}
				f := start(t, env...)
				f.execute("%%\nfmt.Println(1)").ok(t)
				if state.doing == "compiling" {
					f.slowCompiler()
				}
				m := f.submit(state.code)
				f.await(m, "begin", func(all []*jupyter.Message) bool {
					return strings.Contains((run{outputs: all}).text(t, "stdout"), "begun")
				})
				if state.doing == "idle" {
					f.finish(m)
				}
				all := func() []int { return append(descendants(f.cmd.Process.Pid), f.cmd.Process.Pid) }
				waitUntil(t, fmt.Sprintf("%d processes", state.processes), func() bool { return len(all()) >= state.processes })
				ended := end.of(f)
				below := append(descendants(ended), ended)
				end.do(f, ended)
				f.gone(below)
				if ended != f.cmd.Process.Pid {
					if state.doing != "idle" {
						f.finish(m)
					}
					waitUntil(t, "other GoNB", func() bool { return f.execute("%%\nfmt.Println(2)").reply["status"] == "ok" })
					_ = f.cmd.Process.Signal(syscall.SIGTERM)
				}
				f.gone(all())
				if !waits(func() bool { return len(contents(temp)) == 0 }) {
					t.Errorf("left behind after %v: %v", waitLimit, contents(temp))
				}
			})
		}
	}
}

func itself(f *front) int { return f.cmd.Process.Pid }

func kill(_ *front, pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// warden returns the process between the kernel and GoNB.
func (f *front) warden() int {
	return f.child(f.cmd.Process.Pid, "the warden", func(argv []string) bool { return slices.Contains(argv, "-raw_error=true") })
}

func (f *front) gonb() int {
	return f.child(f.warden(), "GoNB", func(argv []string) bool { return strings.HasSuffix(argv[0], "gonb") })
}

// child finds a process that another started.
func (f *front) child(of int, what string, is func(argv []string) bool) int {
	f.t.Helper()
	found := 0
	waitUntil(f.t, what+" below the kernel", func() bool {
		for _, pid := range childrenOf(of) {
			line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if is(strings.Split(string(line), "\x00")) {
				found = pid
			}
		}
		return found != 0
	})
	return found
}

// gone waits until processes have ended, and ends those that do not.
func (f *front) gone(pids []int) {
	f.t.Helper()
	waited := waits(func() bool {
		pids = slices.DeleteFunc(pids, func(pid int) bool { return !alive(pid) })
		return len(pids) == 0
	})
	if !waited {
		f.t.Errorf("left behind after %v: %v", waitLimit, named(pids))
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
