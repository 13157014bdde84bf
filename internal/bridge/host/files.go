package host

import (
	"io"
	"os"
	"sync"
)

// copyProgram copies a program for this user alone.
func copyProgram(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		_ = out.Close()
		_ = os.Remove(to)
		return err
	}
	return out.Close()
}

// tail keeps the beginning and the end of what is written to it: a panic's message is
// above its stack.
type tail struct {
	mu        sync.Mutex
	head, end []byte
}

// tailSize limits the bytes that are kept of either.
const tailSize = 8 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := tailSize - len(t.head); room > 0 {
		taken := min(room, len(b))
		t.head, b = append(t.head, b[:taken]...), b[taken:]
	}
	t.end = append(t.end, b...)
	if len(t.end) > tailSize {
		t.end = append([]byte(nil), t.end[len(t.end)-tailSize:]...)
	}
	return n, nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head) + string(t.end)
}
