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

// Clean ends the processes of a warden that was killed, and removes its folder; after an orderly end there is nothing to do. It
// finds processes by their environment, which only Linux shows: on other systems they remain.
func Clean(folder string) {
	if _, err := os.Stat(folder); err != nil {
		return
	}
	tidy(folder, false, sweep(func() []process { return marked(mark(folder)) }))
}

// mark returns the environment variable of all processes below a warden.
func mark(folder string) string { return EnvFolder + "=" + folder }

// tidy removes the folders and pipes of a GoNB that has ended, and the folder of a kernel that cannot do so itself.
func tidy(folder string, alone bool, pipes []string) {
	for _, pipe := range append(pipes, forgotten()...) {
		_ = os.Remove(pipe) // GoNB may have removed it
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

// sweep kills processes until none is left, and returns their named pipes.
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

// pipesOf lists the named pipes between GoNB and the programs of cells. GoNB makes two in the temporary folder, names them in the
// program's environment, and leaves them when it is killed.
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

// pipeName begins the names of GoNB's pipes.
const pipeName = "gonb_pipe_"

// forgotten lists the pipes in the temporary folder that nothing else will remove. GoNB 0.11.4 leaves the pipe of a program that
// ends before GoNB opens it, as happens on one processor: GoNB waits forever for the other end. If GoNB is killed just after a
// program has ended, no other process knows the name. A pipe does not show its owner, so the list is empty while another GoNB uses
// the same folder.
func forgotten() []string {
	entries, _ := os.ReadDir(os.TempDir()) // before the processes, so that the maker of a listed pipe is still running
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

// shares reports whether a process with these variables has the same temporary folder as this one, or may have it because its
// variables are unknown.
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

// adopted lists the processes below this one, which adopts orphans.
func adopted() []process {
	reap(0)
	return below(os.Getpid())
}

// below lists the processes below another.
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

// marked lists the processes with a variable in their environment.
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
	age        time.Duration // an hour if unknown
}
