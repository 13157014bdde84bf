package child

import (
	"io"
	"strings"
	"sync"
)

// Tail keeps the last Size bytes written to it, and the first Head bytes. The first bytes matter because a panic's message
// precedes its stack.
type Tail struct {
	To         io.Writer // also receives everything written; may be nil
	Head, Size int       // numbers of bytes to keep of the beginning and of the end

	mu        sync.Mutex
	head, end []byte
}

// Write always succeeds, so that a failing To does not stop the child.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.To != nil {
		_, _ = t.To.Write(b)
	}
	n := min(t.Head-len(t.head), len(b))
	t.head, t.end = append(t.head, b[:n]...), append(t.end, b[n:]...)
	if cut := len(t.end) - t.Size; cut > t.Size {
		t.end = append(t.end[:0], t.end[cut:]...)
	}
	return len(b), nil
}

// String returns the kept text, without an incomplete first line of the end.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := string(t.end[max(0, len(t.end)-t.Size):])
	if _, rest, ok := strings.Cut(end, "\n"); ok && len(end) == t.Size { // the end begins within a line
		end = rest
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(t.head)+end, ""))
}
