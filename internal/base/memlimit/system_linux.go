package memlimit

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// process calls least with the available bytes and the name of each limit of the process.
func process(m *runtime.MemStats, least func(float64, string)) {
	free := float64(m.HeapIdle - m.HeapReleased)
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err == nil && space.Cur < 1<<62 {
		if used, ok := addressSpace(); ok {
			// Go keeps its address space. Idle parts can hold a large block only if they are adjacent, which is likely if
			// little memory is in use.
			idle := float64(m.HeapIdle) - float64(m.HeapInuse)
			least(float64(space.Cur)-used+max(idle, 0), "the limit of the address space, ulimit -v")
		}
	}
	if available, ok := inGroup("/proc/self/cgroup", "/sys/fs/cgroup"); ok {
		least(available+free, "the limit of the control group")
	}
}

// machine calls least with the memory that the machine has available.
func machine(m *runtime.MemStats, least func(float64, string)) {
	free := float64(m.HeapIdle - m.HeapReleased)
	if available, ok := field("/proc/meminfo", "MemAvailable:"); ok {
		least(available*1024+free, "what the machine has available")
	}
}

// Machine returns the machine's memory in bytes, or 0 if unknown.
func Machine() float64 {
	total, _ := field("/proc/meminfo", "MemTotal:")
	return 1024 * total
}

// Program returns how many bytes of the program's file are in memory, or 0 if unknown.
func Program() float64 {
	pages, _ := field("/proc/self/status", "RssFile:")
	return 1024 * pages
}

// addressSpace returns the size of the process's address space in bytes.
func addressSpace() (float64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseFloat(pages, 64)
	return n * float64(os.Getpagesize()), err == nil
}

// inGroup returns the remaining memory of the process's control group (version 2) and its parents. It is the limit minus
// the memory in use, where inactive file caches do not count as in use.
func inGroup(self, root string) (available float64, ok bool) {
	text, err := os.ReadFile(self)
	if err != nil {
		return 0, false
	}
	_, path, found := strings.Cut(string(text), "0::")
	if !found {
		return 0, false
	}
	path, _, _ = strings.Cut(path, "\n")
	for folder := filepath.Join(root, path); strings.HasPrefix(folder, root); folder = filepath.Dir(folder) {
		most, limited := number(filepath.Join(folder, "memory.max"))
		used, known := number(filepath.Join(folder, "memory.current"))
		if !limited || !known {
			continue
		}
		cached, _ := field(filepath.Join(folder, "memory.stat"), "inactive_file")
		if l := most - used + cached; !ok || l < available {
			available, ok = l, true
		}
	}
	return available, ok
}

// number reads a number from a file. It returns false for other content, such as "max" (no limit).
func number(path string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	return n, err == nil
}

// field returns the number after the first word of a line in a file.
func field(path, word string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == word {
			n, err := strconv.ParseFloat(f[1], 64)
			return n, err == nil
		}
	}
	return 0, false
}
