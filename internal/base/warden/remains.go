//go:build unix

package warden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Clean ends what a warden left that was itself killed, and removes its folder; after
// one that ended in order there is nothing to do. It finds processes by a variable in
// their environment, which only Linux shows: elsewhere they stay.
func Clean(folder string) {
	if _, err := os.Stat(folder); err != nil {
		return
	}
	tidy(folder, false, sweep(func() []process { return marked(mark(folder)) }))
}

// mark returns the variable that everything below a warden has in its environment.
func mark(folder string) string { return EnvFolder + "=" + folder }

// tidy removes the folders and pipes of a GoNB that has ended, and the folder of a
// kernel that cannot.
func tidy(folder string, alone bool, pipes []string) {
	for _, pipe := range pipes {
		_ = os.Remove(pipe) // GoNB may have done so
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

// sweep kills processes until none is left, and returns the pipes that they knew.
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

// pipesOf lists the named pipes over which programs of cells talk to GoNB. GoNB makes
// two in the folder for temporary files, names them to the program in its environment,
// and leaves them when it is killed.
func pipesOf(programs []process) []string {
	var found []string
	for _, p := range programs {
		for _, v := range environment(p.id) {
			name, path, _ := strings.Cut(v, "=")
			if (name == "GONB_PIPE" || name == "GONB_PIPE_BACK") && strings.HasPrefix(filepath.Base(path), "gonb_pipe_") &&
				!slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// adopted lists the processes below this one, which adopts what they leave behind.
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
	age        time.Duration // an hour where it is not known
}
