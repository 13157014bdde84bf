package warden

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of child processes whose parent ends.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// environment returns the variables with which a process was started. If the process has ended or belongs to another user,
// they are unknown, and it returns [""].
func environment(id int) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", id))
	return strings.Split(string(text), "\x00")
}

// reap waits for adopted processes that have ended. It skips the command, for which other code waits.
func reap(command int) {
	// the file is missing in some kernels
	text, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	for _, field := range strings.Fields(string(text)) {
		if id, err := strconv.Atoi(field); err == nil && id != command {
			_, _ = syscall.Wait4(id, nil, syscall.WNOHANG, nil)
		}
	}
}

// children returns the running processes by their parent, from /proc. Zombies are omitted.
func children() map[int][]process {
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	found := map[int][]process{}
	for _, path := range entries {
		if p, ok := statOf(path); ok {
			found[p.parent] = append(found[p.parent], p)
		}
	}
	return found
}

// statOf parses the file /proc/ID/stat, "id (name) state parent ...". The name may contain blanks and brackets.
func statOf(path string) (process, bool) {
	text, err := os.ReadFile(path)
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || open < 0 || end < open {
		return process{}, false // the process has ended
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return process{}, false
	}
	id, err1 := strconv.Atoi(strings.TrimSpace(string(text[:open])))
	parent, err2 := strconv.Atoi(fields[1])
	return process{id, parent, string(text[open+1 : end]), ageOf(fields[19])}, err1 == nil && err2 == nil
}

// ageOf returns the age of a process. began is its start time in hundredths of a second after the system's start.
func ageOf(began string) time.Duration {
	text, _ := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	now, err1 := strconv.ParseFloat(up, 64)
	then, err2 := strconv.ParseFloat(began, 64)
	if err1 != nil || err2 != nil {
		return time.Hour
	}
	return time.Duration((now - then/100) * float64(time.Second))
}
