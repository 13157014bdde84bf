package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// floatSize is the length of a number that is not whole.
const floatSize = 8

// writer appends to a message and keeps its first mistake.
type writer struct {
	b   []byte
	err error
}

// begin writes all that comes before the entries.
func begin(b []byte, k kind, h Header, n int) *writer {
	w := &writer{b: append(b, Version, byte(k))}
	w.number("the agent", -1, h.Agent)
	if h.Round < 1 && w.err == nil {
		w.err = fmt.Errorf("wire: rounds count from 1, got %d", h.Round)
	}
	w.number("the round", -1, h.Round)
	w.b = append(w.b, h.Digest[:]...)
	w.number("the number of entries", -1, n)
	return w
}

func (w *writer) number(what string, i, v int) {
	if v < 0 && w.err == nil {
		w.err = fmt.Errorf("wire: %s must be 0 or more, got %d", place(what, i), v)
	}
	w.b = binary.AppendUvarint(w.b, uint64(v))
}

func (w *writer) float(what string, i int, v float64) {
	if !finite(v) && w.err == nil {
		w.err = fmt.Errorf("wire: %s must be a finite number, got %g", place(what, i), v)
	}
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v))
}

func (w *writer) squares(i int, v float64) {
	if v < 0 && w.err == nil {
		w.err = fmt.Errorf("wire: the squares of arm %d must be 0 or more, got %g", i, v)
	}
	w.float("the squares of arm", i, v)
}

func (w *writer) ranged(i int, v [2]float64) {
	if v[0] > v[1] && w.err == nil {
		w.err = fmt.Errorf("wire: the smallest reward of arm %d must not be above the largest, got %g and %g", i, v[0], v[1])
	}
	w.float("the smallest reward of arm", i, v[0])
	w.float("the largest reward of arm", i, v[1])
}

// end returns the message, or what was there before when it has a mistake.
func (w *writer) end(before []byte) ([]byte, error) {
	if w.err != nil {
		return before, w.err
	}
	return w.b, nil
}

// reader takes a message apart and keeps its first mistake; then it returns zeros.
type reader struct {
	rest []byte
	at   int // bytes taken so far
	kind kind
	err  error
}

// fail keeps a mistake with its place.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("wire: %s message, byte %d: %s", r.kind, r.at, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes, or zeros when there are fewer.
func (r *reader) take(what string, i, n int) []byte {
	if r.err == nil && len(r.rest) < n {
		r.fail("it ends within %s", place(what, i))
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest, r.at = r.rest[n:], r.at+n
	return b
}

// begin reads all that comes before the entries and returns their number, which the
// rest has room for when each takes the given bytes at least.
func (r *reader) begin(h *Header, least int) int {
	if v := r.take("the version", -1, 1)[0]; v != Version {
		r.fail("version %d, this program reads version %d", v, Version)
	}
	if k := kind(r.take("the kind", -1, 1)[0]); k != r.kind {
		r.fail("the message is of kind %s", k)
	}
	h.Agent = r.number("the agent", -1)
	if h.Round = r.number("the round", -1); h.Round < 1 {
		r.fail("rounds count from 1, got %d", h.Round)
	}
	copy(h.Digest[:], r.take("the digest", -1, len(h.Digest)))
	n := r.number("the number of entries", -1)
	if n > len(r.rest)/least {
		r.fail("%d entries announced, but only %d bytes follow", n, len(r.rest))
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *reader) number(what string, i int) int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.rest)
	switch {
	case n == 0:
		r.fail("it ends within %s", place(what, i))
	case n < 0 || v > math.MaxInt:
		r.fail("%s is too large", place(what, i))
	case n != uvarintSize(int(v)):
		r.fail("%s takes more bytes than it needs", place(what, i))
	}
	if r.err != nil {
		return 0
	}
	r.rest, r.at = r.rest[n:], r.at+n
	return int(v)
}

func (r *reader) float(what string, i int) float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(r.take(what, i, floatSize)))
	if !finite(v) {
		r.fail("%s must be a finite number, got %g", place(what, i), v)
	}
	return v
}

func (r *reader) squares(i int) float64 {
	v := r.float("the squares of arm", i)
	if v < 0 {
		r.fail("the squares of arm %d must be 0 or more, got %g", i, v)
	}
	return v
}

func (r *reader) ranged(i int) [2]float64 {
	v := [2]float64{r.float("the smallest reward of arm", i), r.float("the largest reward of arm", i)}
	if v[0] > v[1] {
		r.fail("the smallest reward of arm %d must not be above the largest, got %g and %g", i, v[0], v[1])
	}
	return v
}

// end returns the first mistake, which may be that something follows the entries.
func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes follow the last entry", len(r.rest))
	}
	return r.err
}

// place names an entry, or the one thing that has no number.
func place(what string, i int) string {
	if i < 0 {
		return what
	}
	return fmt.Sprintf("%s %d", what, i)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
