package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// parents holds the parent of each process that runs, from /proc; one that only waits to
// be reaped does not run.
func parents() map[int]int {
	found := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		var id, parent int
		var state string
		end := strings.LastIndexByte(string(text), ')')
		_, _ = fmt.Sscan(string(text), &id)
		_, _ = fmt.Sscan(string(text[end+1:]), &state, &parent)
		if state != "Z" {
			found[id] = parent
		}
	}
	return found
}

// descendants returns the processes below one.
func descendants(root int) []int {
	all := parents()
	var found []int
	for id := range all {
		for p := all[id]; p > 0; p = all[p] {
			if p == root {
				found = append(found, id)
				break
			}
		}
	}
	return found
}

// childrenOf returns the processes that one started.
func childrenOf(pid int) []int {
	all := parents()
	return slices.DeleteFunc(descendants(pid), func(id int) bool { return all[id] != pid })
}

// alive reports whether a process runs.
func alive(pid int) bool {
	_, ok := parents()[pid]
	return ok
}

// contents lists what is in a folder.
func contents(folder string) []string {
	list, _ := filepath.Glob(filepath.Join(folder, "*"))
	return list
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
