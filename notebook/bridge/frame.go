package bridge

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Version is the version of the protocol. If cell and kernel have different versions, the connection fails with an error.
// Increase it when a field of a value is renamed or removed (see testdata/fields.txt), because gob would silently ignore
// the field.
const Version = 9

// These environment variables are set for a Go cell.
const (
	EnvSocket = "GONB_COPE_SOCK"  // path of the kernel's socket
	EnvKey    = "GONB_COPE_KEY"   // key that the first frame must contain
	EnvServe  = "GONB_COPE_SERVE" // number of the Put, from 1, at which the process serves a function
)

// These are the size limits of frames in bytes.
const (
	MaxFrame    = 256 << 20
	MaxGreeting = 4 << 10 // for the first frame, which arrives before the key is checked
)

// Op is the type of a frame.
type Op byte

// These are the types of requests, with the type of their content (→ and of the answer), and the three types of answers.
const (
	OpHello    Op = 'h' // Hello; the first request of a connection
	OpNames    Op = 'n' // → []Entry
	OpGet      Op = 'g' // name → Value
	OpPut      Op = 'p' // Named
	OpFunction Op = 'f' // FunctionPut
	OpShow     Op = 's' // JSON object: media type → representation
	OpAct      Op = 'a' // Act, as JSON → Acted
	OpBind     Op = 'b' // Binding → number; binds a formula to columns
	OpPoints   Op = 'l' // List; sends points for later rows
	OpRow      Op = 'r' // → values, see rows.go
	OpPair     Op = 'e' // → values, see rows.go
	OpReward   Op = 'w' // Pull → one value
	OpProblem  Op = 'q' // Posed
	OpBegin    Op = 'B' // Begin → Began
	OpPlan     Op = 'P' // run → plan, see algorithm.go
	OpLearn    Op = 'L' // run and batch → whether the run is done
	OpState    Op = 'S' // run → engine.State

	OpDone   Op = 'D' // success, with the answer's content
	OpValues Op = 'V' // float64 values, little endian
	OpError  Op = 'E' // error message for the user
)

// Hello is the first frame of a connection.
type Hello struct {
	Version int
	Key     string
}

// Entry is a defined name with the name of its type in the script language.
type Entry struct{ Name, Type string }

// Named is a name with its new value.
type Named struct {
	Name  string
	Value Value
}

// Act is a call of a function that records something in a campaign. It is sent as JSON, because a repeated cell must send
// the same bytes. gob's bytes depend on the order in which a process uses types.
type Act struct {
	Function string         `json:"function"`
	Args     map[string]any `json:"args"` // strings, numbers, booleans and lists of strings
}

// Acted is the answer to Act.
type Acted struct {
	Value   Value
	Notices []string // messages for the user
}

// WriteFrame writes one frame: the length of the content (4 bytes), the type (1 byte), and the content.
func WriteFrame(w io.Writer, op Op, content []byte) error {
	if len(content) >= MaxFrame {
		return fmt.Errorf("%d MiB are more than the %d MiB that can be sent at once", len(content)>>20, MaxFrame>>20)
	}
	b := make([]byte, 5, 5+len(content))
	binary.LittleEndian.PutUint32(b, uint32(len(content)))
	b[4] = byte(op)
	if _, err := w.Write(append(b, content...)); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	return nil
}

// ReadFrame reads one frame of at most limit bytes. It allocates memory as bytes arrive, and does not trust the announced
// length.
func ReadFrame(r io.Reader, limit int) (Op, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	size := int64(binary.LittleEndian.Uint32(head[:]))
	if size > int64(limit) {
		return 0, nil, fmt.Errorf("%w: a frame has %d bytes, but at most %d are allowed", errFrame, size, limit)
	}
	content, err := await.Exactly(r, int(size))
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	return Op(head[4]), content, nil
}

// Pack encodes v as the content of a frame.
func Pack(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, fmt.Errorf("cannot be sent: %w", err)
	}
	return b.Bytes(), nil
}

// Unpack decodes the content of a frame into *v. It returns an error for invalid bytes, on which gob may panic.
func Unpack(content []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the message cannot be decoded: %v", p)
		}
	}()
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(v); err != nil {
		return fmt.Errorf("the message cannot be decoded: %w", err)
	}
	return nil
}

// ErrNoKernel states that the program was not started by our kernel.
var ErrNoKernel = errors.New("this process has no notebook session")

// errFrame is wrapped by errors of the connection itself.
var errFrame = errors.New("the connection is broken")

// remoteError is an error message from the other side.
type remoteError string

// Error returns the sent message unchanged.
func (e remoteError) Error() string { return string(e) }

// protocol is the encoded form of a campaign.Protocol. Its problems are sent separately.
type protocol struct {
	Protocol campaign.Protocol // without problems
	Zero     []bool            // result of zeros
	Problems []packedProblem   // the current problem, then its earlier versions with fewer arms
}

func packProtocol(p campaign.Protocol, fs Functions) (protocol, error) {
	if p.Problem == nil {
		return protocol{}, errors.New("the protocol has no problem")
	}
	all := append([]*problem.Problem{p.Problem}, p.Earlier...)
	packed, err := lists.Try(len(all), func(k int) (packedProblem, error) { return packProblem(*all[k], fs) })
	p.Problem, p.Earlier = nil, nil
	return protocol{p, zeros(p), packed}, err
}

func unpackProtocol(w protocol, fs Functions) (campaign.Protocol, error) {
	p := w.Protocol
	if err := setZeros(&p, w.Zero); err != nil {
		return p, err
	}
	all, err := lists.Try(len(w.Problems), func(k int) (*problem.Problem, error) { return unpackProblem(w.Problems[k], fs) })
	switch {
	case err != nil:
		return p, err
	case len(all) == 0:
		return p, errors.New("the protocol cannot be decoded: it has no problem")
	}
	p.Problem, p.Earlier = all[0], append(p.Earlier, all[1:]...)
	return p, nil
}
