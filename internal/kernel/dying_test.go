package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/jupyter"
)

// However a kernel ends and whatever it is doing, no process is left behind, and no
// folder either.
func TestNoProcessIsLeft(t *testing.T) {
	needGo(t)
	ends := []struct {
		how string
		do  func(*front)
	}{
		{"SIGTERM", func(f *front) { _ = f.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGKILL", func(f *front) { _ = f.cmd.Process.Kill() }},
		{"shutdown", func(f *front) {
			f.send(jupyter.ControlChannel, "shutdown_request", map[string]bool{"restart": false})
		}},
		{"dead parent", func(f *front) { _ = f.cmd.Process.Kill() }}, // of the shell between
	}
	states := []struct {
		doing, code string
	}{
		{"idle", "%%\nfmt.Println(\"begun\")"},
		// What is in the background has left the process group and holds the pipe.
		{"running", "!setsid sleep 3600 >/dev/null 2>&1 & echo begun; sleep 3600; echo"},
		{"compiling", "!echo begun\n%%\nfmt.Println(54321)"},
		// The program of the cell is run again to serve its function.
		{"serving", "import \"github.com/gonb-cope/gonb-cope/session\"\n%%\nsession.Put(\"f\", func(x, y []float64) float64 { return 1 })\nfmt.Println(\"begun\")"},
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
				time.Sleep(300 * time.Millisecond)
				before := append(descendants(f.cmd.Process.Pid), f.cmd.Process.Pid)
				if want := map[string]int{"idle": 3, "running": 5, "compiling": 5, "serving": 4}[state.doing]; len(before) < want {
					t.Fatalf("only %d processes run: %v", len(before), named(before))
				}
				end.do(f)
				deadline := time.Now().Add(8 * time.Second)
				for {
					before = slices.DeleteFunc(before, func(pid int) bool { return !alive(pid) })
					if len(before) == 0 {
						break
					}
					if time.Now().After(deadline) {
						t.Errorf("left behind: %v", named(before))
						for _, pid := range before {
							_ = syscall.Kill(pid, syscall.SIGKILL)
						}
						break
					}
					time.Sleep(20 * time.Millisecond)
				}
				if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
					t.Errorf("folders left behind: %v", left)
				}
			})
		}
	}
}

// named lists processes with their command lines.
func named(pids []int) []string {
	var list []string
	for _, pid := range pids {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		list = append(list, fmt.Sprintf("%d %.80q", pid, strings.ReplaceAll(string(line), "\x00", " ")))
	}
	return list
}
