//go:build unix && !linux

package warden

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// adopt does nothing, because processes cannot adopt others on this system.
func adopt() {}

// environment returns nil, because it is unknown on this system.
func environment(int) []string { return nil }

func reap(int) {}

// children returns the running processes by their parent, from ps.
func children() map[int][]process {
	out, _ := exec.Command("ps", "-axo", "pid=,ppid=,comm=").Output()
	found := map[int][]process{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		id, err1 := strconv.Atoi(f[0])
		parent, err2 := strconv.Atoi(f[1])
		if err1 == nil && err2 == nil && f[2] != "ps" {
			found[parent] = append(found[parent], process{id, parent, f[2][strings.LastIndex(f[2], "/")+1:], time.Hour})
		}
	}
	return found
}
