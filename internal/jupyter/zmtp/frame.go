package zmtp

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// The flags of a frame.
const (
	more    = 1 // another frame of the same message follows
	long    = 2 // the length has 8 bytes, not 1
	command = 4 // of the protocol, not of a message
)

// commandLimit is the largest command, in bytes. The one of a handshake has about 300
// when the identity has the 255 that are allowed.
const commandLimit = 512

// frameCost is the number of bytes that a frame counts beside its content, so that empty frames
// without end reach a limit, too.
const frameCost = 32

// atOnce limits the memory that is taken for a frame of which nothing has arrived.
const atOnce = 64 << 10

// readFrame reads one frame, of at most limit bytes if it belongs to a message.
func readFrame(r io.Reader, limit int) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	size := uint64(head[1])
	if flags&long != 0 {
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			return 0, nil, unfinished(err)
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	switch {
	case flags&^(more|long|command) != 0 || flags&command != 0 && flags&more != 0:
		return 0, nil, fmt.Errorf("zmtp: a frame has flags %#x, which the protocol does not know", flags)
	case flags&command != 0:
		limit = commandLimit
	}
	if size > uint64(max(limit, 0)) {
		return 0, nil, fmt.Errorf("zmtp: a frame of %d bytes, where %d are allowed", size, max(limit, 0))
	}
	body, err = readBody(r, int(size))
	return flags, body, err
}

// readBody reads size bytes. What has arrived at most doubles the memory.
func readBody(r io.Reader, size int) ([]byte, error) {
	body := make([]byte, 0, min(size, atOnce))
	for len(body) < size {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(len(body), size-len(body)))
		}
		n, err := io.ReadFull(r, body[len(body):min(cap(body), size)])
		body = body[:len(body)+n]
		if err != nil {
			return nil, unfinished(err)
		}
	}
	return body, nil
}

// unfinished returns the error of a connection that ended within a frame.
func unfinished(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFrame writes one frame.
func writeFrame(w io.Writer, flags byte, body []byte) error {
	head := append(make([]byte, 0, 9), flags, byte(len(body)))
	if len(body) > 255 {
		head = binary.BigEndian.AppendUint64(append(head[:0], flags|long), uint64(len(body)))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}
