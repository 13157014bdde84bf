package clocktest

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

// Variable is the environment variable with the path of the file that holds a program's clock offset.
const Variable = "GONB_COPE_TEST_CLOCK"

// reading is the line of time.Now that reads the machine's clocks.
const reading = "\tsec, nsec, mono := runtimeNow()\n"

// source is a file that Overlay adds to package time. The offset has whole seconds, so it does not change the nanoseconds.
const source = `//go:build unix

package time

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// wallOffset points to the seconds that the wall clock is off, nil if no file is named.
var wallOffset = func() *int64 {
	path, ok := syscall.Getenv("` + Variable + `")
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

// Overlay writes the changed copy of package time into a folder and returns the path of the file for go build -overlay. It
// returns an error if time.Now of the installed Go does not contain the expected line.
func Overlay(dir string) (path string, err error) {
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
	if !found || !strings.Contains(body, reading) {
		return "", fmt.Errorf("%s: Now does not read the clocks by %q", original, strings.TrimSpace(reading))
	}
	body = strings.Replace(body, reading, reading+"\tsec += jumped()\n", 1)
	replace := map[string]string{}
	for name, content := range map[string]string{
		"time.go":   before + "\nfunc Now() Time {\n" + body,
		"jumped.go": source,
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

// Clock is the path of a file with the clock offset of one program. The program uses the clock if its environment contains
// Variable=Clock.
type Clock string

// New creates a clock file without offset.
func New(path string) (Clock, error) {
	c := Clock(path)
	return c, c.Jump(0)
}

// Jump sets the offset from the machine's clock, rounded to seconds. It takes effect immediately.
func (c Clock) Jump(offset time.Duration) error {
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
