//go:build unix

package warden

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Clean ends the processes of a warden that was killed, and removes its folder. If the warden ended normally, Clean does
// nothing. It finds processes by their environment, which only Linux shows. On other systems these processes continue.
func Clean(folder string) {
	if _, err := os.Stat(folder); err != nil {
		return
	}
	tidy(folder, false, sweep(func() []process { return marked(mark(folder)) }))
}

// mark returns the environment variable, with its value, of all processes below a warden.
func mark(folder string) string { return EnvFolder + "=" + folder }

// tidy removes what a GoNB that has ended left: its work folder, the given pipes, forgotten pipes, and the warden's
// folder. If alone is true, the kernel has also ended, and tidy removes the kernel's folder.
func tidy(folder string, alone bool, pipes []string) {
	for _, pipe := range append(pipes, forgotten()...) {
		_ = os.Remove(pipe) // GoNB may already have removed it
	}
	work, err := os.ReadFile(filepath.Join(folder, WorkFile))
	if path := strings.TrimSpace(string(work)); err == nil && strings.HasPrefix(filepath.Base(path), "gonb_") {
		_ = os.RemoveAll(path)
	}
	if alone {
		folder = filepath.Dir(folder)
	}
	_ = os.RemoveAll(folder)
}

// sweep kills the processes that list returns, repeatedly until none is left. It returns their named pipes.
func sweep(list func() []process) (pipes []string) {
	for range 100 {
		remaining := list()
		pipes = append(pipes, pipesOf(remaining)...)
		if len(remaining) == 0 {
			return pipes
		}
		for _, p := range remaining {
			_ = syscall.Kill(p.id, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return pipes
}

// pipesOf returns the named pipes between GoNB and the given programs of cells. GoNB creates two in the temporary folder
// and names them in the program's environment. It does not remove them when it is killed.
func pipesOf(programs []process) []string {
	var found []string
	for _, p := range programs {
		for _, v := range environment(p.id) {
			name, path, _ := strings.Cut(v, "=")
			if (name == "GONB_PIPE" || name == "GONB_PIPE_BACK") && strings.HasPrefix(filepath.Base(path), pipeName) &&
				!slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// pipeName is the prefix of the names of GoNB's pipes.
const pipeName = "gonb_pipe_"

// forgotten returns pipes in the temporary folder that no other process will remove. GoNB 0.11.4 leaves a program's pipe
// if the program ends before GoNB opens it. If GoNB is then killed, no other process knows the pipe's name. A pipe does
// not show its owner, so forgotten returns nil while another GoNB uses the same folder.
func forgotten() []string {
	entries, _ := os.ReadDir(os.TempDir()) // read before the processes, so that the creator of a new pipe is still found
	var found []string
	for _, e := range entries {
		if e.Type() == os.ModeNamedPipe && strings.HasPrefix(e.Name(), pipeName) {
			found = append(found, filepath.Join(os.TempDir(), e.Name()))
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, list := range children() {
		if slices.ContainsFunc(list, func(p process) bool { return p.name == "gonb" && shares(environment(p.id)) }) {
			return nil
		}
	}
	return found
}

// shares reports whether a process with the environment env uses the same temporary folder as this process. It returns
// true if the environment is unknown.
func shares(env []string) bool {
	temp := "/tmp"
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "TMPDIR="); ok {
			temp = cmp.Or(dir, temp)
		}
	}
	theirs, _ := os.Stat(temp)
	ours, _ := os.Stat(os.TempDir())
	return len(env) < 2 || os.SameFile(theirs, ours)
}

// adopted returns the processes below this one, after reaping those that have ended.
func adopted() []process {
	reap(0)
	return below(os.Getpid())
}

// below returns all descendants of the process root.
func below(root int) []process {
	all := children()
	var found []process
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, p := range all[next[0]] {
			found = append(found, p)
			next = append(next, p.id)
		}
	}
	return found
}

// marked returns the processes whose environment contains variable.
func marked(variable string) []process {
	var found []process
	for _, list := range children() {
		for _, p := range list {
			if slices.Contains(environment(p.id), variable) {
				found = append(found, p)
			}
		}
	}
	return found
}

// process is a running process.
type process struct {
	id, parent int
	name       string
	age        time.Duration // one hour if unknown
}
