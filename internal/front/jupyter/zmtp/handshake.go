package zmtp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kind is a type of socket.
type Kind string

// The kinds that kernels and front ends have.
const (
	Router Kind = "ROUTER"
	Dealer Kind = "DEALER"
	Pub    Kind = "PUB"
	Sub    Kind = "SUB"
	Rep    Kind = "REP"
	Req    Kind = "REQ"
)

// fits reports whether a socket may be connected to one of another kind.
func (k Kind) fits(peer Kind) bool {
	return slices.Contains(map[Kind][]Kind{
		Router: {Req, Dealer, Router},
		Dealer: {Rep, Dealer, Router},
		Pub:    {Sub, "XSUB"},
		Sub:    {Pub, "XPUB"},
		Rep:    {Req, Dealer},
		Req:    {Rep, Router},
	}[k], peer)
}

const (
	greetingSize = 64
	mechanism    = "NULL"
	ready        = "READY" // ends the handshake
)

// greet exchanges the first 64 bytes.
//
//	0-9    signature ff .. 7f
//	10-11  version
//	12-31  mechanism, filled with zeros
//	32     as-server, 0 for NULL
//	33-63  zeros
func greet(rw io.ReadWriter) error {
	var mine, theirs [greetingSize]byte
	mine[0], mine[9], mine[10] = 0xff, 0x7f, 3
	copy(mine[12:32], mechanism)
	if _, err := rw.Write(mine[:]); err != nil {
		return err
	}
	// The signature alone shows that the peer speaks another protocol, which may wait for an answer
	// before it has sent 64 bytes.
	if _, err := io.ReadFull(rw, theirs[:10]); err != nil {
		return err
	}
	if theirs[0] != 0xff || theirs[9] != 0x7f {
		return errors.New("zmtp: the peer does not speak ZeroMQ's protocol")
	}
	if _, err := io.ReadFull(rw, theirs[10:]); err != nil {
		return err
	}
	if theirs[10] < 3 {
		return fmt.Errorf("zmtp: the peer speaks version %d of the protocol; 3 is the least", theirs[10])
	}
	if name := string(bytes.TrimRight(theirs[12:32], "\x00")); name != mechanism {
		return fmt.Errorf("zmtp: the peer asks for the mechanism %q; there is only %s", name, mechanism)
	}
	return nil
}

// introduce exchanges kind and identity, and returns the peer's.
func introduce(rw io.ReadWriter, kind Kind, identity string) (Kind, string, error) {
	body := append([]byte{byte(len(ready))}, ready...)
	body = appendProperty(body, "Socket-Type", string(kind))
	body = appendProperty(body, "Identity", identity)
	if err := writeFrame(rw, command, body); err != nil {
		return "", "", err
	}
	flags, theirs, err := readFrame(rw, commandLimit)
	if err != nil {
		return "", "", err
	}
	name, rest, err := splitCommand(theirs)
	switch {
	case err != nil:
		return "", "", err
	case flags&command == 0 || name != ready:
		return "", "", fmt.Errorf("zmtp: the peer does not say READY, but %.40q", theirs)
	}
	return properties(rest)
}

func appendProperty(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
}

// splitCommand separates the name of a command from what follows it.
func splitCommand(body []byte) (name string, rest []byte, err error) {
	if len(body) == 0 || int(body[0]) > len(body)-1 {
		return "", nil, fmt.Errorf("zmtp: malformed command %.40q", body)
	}
	n := 1 + int(body[0])
	return string(body[1:n]), body[n:], nil
}

// properties reads kind and identity from what READY says. Names have no case.
func properties(b []byte) (kind Kind, identity string, err error) {
	for len(b) > 0 {
		n := 1 + int(b[0])
		if len(b) < n+4 {
			return "", "", errors.New("zmtp: a property is cut off")
		}
		name, size := string(b[1:n]), binary.BigEndian.Uint32(b[n:])
		b = b[n+4:]
		if uint64(size) > uint64(len(b)) {
			return "", "", fmt.Errorf("zmtp: the property %.40q is cut off", name)
		}
		value := string(b[:size])
		b = b[size:]
		switch strings.ToLower(name) {
		case "socket-type":
			kind = Kind(value)
		case "identity":
			identity = value
		}
	}
	if len(identity) > 255 {
		return "", "", fmt.Errorf("zmtp: an identity of %d bytes, where 255 are allowed", len(identity))
	}
	return kind, identity, nil
}
