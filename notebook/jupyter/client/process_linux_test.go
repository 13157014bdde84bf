package client

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A kernel ends when the process that started it is killed, and not before, although
// the threads of that process come and go.
func TestParentDies(t *testing.T) {
	parent := exec.Command(os.Args[0])
	// which it cannot tidy
	parent.Env = append(os.Environ(), fakeMode+"=parent", "TMPDIR="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	try.To(parent.Start())
	line, _ := try.Two(bufio.NewReader(out).ReadLine())
	kernel, err := strconv.Atoi(string(line))
	if err != nil {
		t.Fatalf("the parent says %q", line)
	}
	time.Sleep(300 * time.Millisecond) // in which it could end
	if !alive(kernel) {
		t.Error("the kernel ended before its parent")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	eventually(t, "the end of the kernel", func() bool { return !alive(kernel) })
}
