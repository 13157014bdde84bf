package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// floatSize is the length of an encoded floating-point number, in bytes.
const floatSize = 8

// codec encodes or decodes a message, depending on reads. Each method does either, so one sequence of calls defines the
// format. A codec keeps its first error; after it, decoded values are zero.
type codec struct {
	b     []byte // encoded so far, or still to decode
	kind  kind
	reads bool
	at    int // bytes decoded so far
	err   error
}

// fail records an error, unless there is an earlier one. When decoding, the error includes the byte offset.
func (c *codec) fail(format string, args ...any) {
	if c.reads {
		format, args = "%s message, byte %d: "+format, append([]any{c.kind, c.at}, args...)
	}
	if c.err == nil {
		c.err = fmt.Errorf("wire: "+format, args...)
	}
}

// header encodes or decodes everything before the n entries, and returns their number; 0 after an error.
func (c *codec) header(h *Header, n int) int {
	version, form := []byte{Version}, []byte{byte(c.kind)}
	if c.bytes("the version", -1, version); version[0] != Version {
		c.fail("version %d, this program reads version %d", version[0], Version)
	}
	if c.bytes("the kind", -1, form); kind(form[0]) != c.kind {
		c.fail("the message is of kind %s", kind(form[0]))
	}
	c.number("the agent", -1, &h.Agent)
	if c.number("the round", -1, &h.Round); h.Round < 1 {
		c.fail("rounds count from 1, got %d", h.Round)
	}
	c.bytes("the digest", -1, h.Digest[:])
	if c.number("the number of entries", -1, &n); c.reads && n > len(c.b) { // each entry takes at least one byte
		c.fail("%d entries announced, but only %d bytes follow", n, len(c.b))
	}
	if c.err != nil {
		return 0
	}
	return n
}

func (c *codec) bytes(what string, i int, b []byte) {
	if !c.reads {
		c.b = append(c.b, b...)
		return
	}
	if len(c.b) < len(b) {
		c.fail("the data end within %s", place(what, i))
	}
	if c.err != nil {
		clear(b)
		return
	}
	n := copy(b, c.b)
	c.b, c.at = c.b[n:], c.at+n
}

func (c *codec) number(what string, i int, v *int) {
	if !c.reads {
		if *v < 0 {
			c.fail("%s must be 0 or more, got %d", place(what, i), *v)
		}
		c.b = binary.AppendUvarint(c.b, uint64(*v))
		return
	}
	read, n := binary.Uvarint(c.b)
	switch {
	case n == 0:
		c.fail("the data end within %s", place(what, i))
	case n < 0 || read > math.MaxInt:
		c.fail("%s is too large", place(what, i))
	case n != uvarintSize(int(read)):
		c.fail("%s takes more bytes than it needs", place(what, i))
	}
	if *v = 0; c.err == nil {
		*v, c.b, c.at = int(read), c.b[n:], c.at+n
	}
}

func (c *codec) float(what string, i int, v *float64) {
	var b [floatSize]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(*v))
	c.bytes(what, i, b[:])
	read := math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	if math.IsNaN(read) || math.IsInf(read, 0) {
		c.fail("%s must be a finite number, got %g", place(what, i), read)
	}
	if c.reads {
		*v = read
	}
}

func (c *codec) squares(i int, v *float64) {
	if c.float("the squares of arm", i, v); *v < 0 {
		c.fail("the squares of arm %d must be 0 or more, got %g", i, *v)
	}
}

func (c *codec) ranged(i int, v *[2]float64) {
	c.float("the smallest reward of arm", i, &v[0])
	if c.float("the largest reward of arm", i, &v[1]); v[0] > v[1] {
		c.fail("the smallest reward of arm %d must not be above the largest, got %g and %g", i, v[0], v[1])
	}
}

// end returns the encoded message, or before if there was an error. When decoding, bytes after the last entry are an
// error.
func (c *codec) end(before []byte) ([]byte, error) {
	if c.reads && len(c.b) > 0 {
		c.fail("%d bytes follow the last entry", len(c.b))
	}
	if c.err != nil {
		return before, c.err
	}
	return c.b, nil
}

// place returns the name of an entry in errors: what with its index i, or what alone if i is negative.
func place(what string, i int) string {
	if i < 0 {
		return what
	}
	return fmt.Sprintf("%s %d", what, i)
}
