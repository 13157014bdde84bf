package cluster_test

// Programs for tests whose wall clock can jump while they run. clockOverlay copies the standard library's package time and
// changes time.Now: it adds an offset to the wall clock and leaves the monotonic clock unchanged, like a change of the
// machine's clock. go build -overlay compiles the program and all its libraries with the copy. The program maps a file with the
// offset into memory. The environment variable GONB_COPE_TEST_CLOCK names this file. The test writes the offset; each process has
// its own file.

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clockVariable is the environment variable with the path of the file that holds a program's clock offset.
const clockVariable = "GONB_COPE_TEST_CLOCK"

// clockReading is the line of time.Now that reads the machine's clocks.
const clockReading = "\tsec, nsec, mono := runtimeNow()\n"

// clockSource is a file that clockOverlay adds to package time. The offset has whole seconds, so it does not change the nanoseconds.
const clockSource = `//go:build unix

package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// wallOffset points to the seconds that the wall clock is off, nil if no file is named.
var wallOffset = func() *int64 {
	path, ok := syscall.Getenv("` + clockVariable + `")
	if !ok {
		return nil
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		panic("no clock: " + path)
	}
	page, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic("no clock: " + path)
	}
	return (*int64)(unsafe.Pointer(&page[0]))
}()

func jumped() int64 {
	if wallOffset == nil {
		return 0
	}
	return atomic.LoadInt64(wallOffset)
}
`

// clockOverlay writes the changed copy of package time into a folder and returns the path of the file for go build -overlay. It
// returns an error if time.Now of the installed Go does not contain the expected line.
func clockOverlay(dir string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("no go: %w", err)
	}
	folder := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	original := filepath.Join(folder, "time.go")
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	before, body, found := strings.Cut(string(text), "\nfunc Now() Time {\n")
	if !found || !strings.Contains(body, clockReading) {
		return "", fmt.Errorf("%s: Now does not read the clocks by %q", original, strings.TrimSpace(clockReading))
	}
	body = strings.Replace(body, clockReading, clockReading+"\tsec += jumped()\n", 1)
	replace := map[string]string{}
	for name, content := range map[string]string{
		"time.go":   before + "\nfunc Now() Time {\n" + body,
		"jumped.go": clockSource,
	} {
		to := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(to, []byte(content), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(folder, name)] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}

// clock is the path of a file with the clock offset of one program. The program uses the clock if its environment contains
// clockVariable=clock.
type clock string

// newClock creates a clock file without offset.
func newClock(path string) (clock, error) {
	c := clock(path)
	return c, c.jump(0)
}

// jump sets the offset from the machine's clock, rounded to seconds. It takes effect immediately.
func (c clock) jump(offset time.Duration) error {
	f, err := os.OpenFile(string(c), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var word [8]byte
	binary.NativeEndian.PutUint64(word[:], uint64(int64(offset/time.Second)))
	_, err = f.WriteAt(word[:], 0)
	return err
}
