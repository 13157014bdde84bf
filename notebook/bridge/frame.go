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

// Version is the version of the protocol. A cell and a kernel that were built of sources with
// different versions state so and do not talk. It is raised where a field of a value gets another name or goes, see
// testdata/fields.txt: gob would leave it out.
const Version = 6

// What a cell finds in its environment.
const (
	EnvSocket = "GONB_COPE_SOCK"  // path of the kernel's socket
	EnvKey    = "GONB_COPE_KEY"   // what the first frame must hold
	EnvServe  = "GONB_COPE_SERVE" // number of the Put, from 1, at which to serve a function
)

// The limits of a frame, in bytes.
const (
	MaxFrame    = 256 << 20
	MaxGreeting = 4 << 10 // of the first frame, which comes before the key was seen
)

// Op states what a frame is.
type Op byte

// The requests, and the three kinds of answer.
const (
	OpHello    Op = 'h' // Hello
	OpNames    Op = 'n' // → []Entry
	OpGet      Op = 'g' // name → Value
	OpPut      Op = 'p' // Named
	OpFunction Op = 'f' // FunctionPut
	OpShow     Op = 's' // a bundle by media type, as JSON
	OpAct      Op = 'a' // Act, as JSON → Acted
	OpBind     Op = 'b' // Binding: a formula for points with these columns
	OpPoints   Op = 'l' // List: points that rows are asked of
	OpRow      Op = 'r' // see rows.go → values
	OpPair     Op = 'e' // see rows.go → values
	OpReward   Op = 'w' // Pull → one value
	OpProblem  Op = 'q' // Posed
	OpBegin    Op = 'B' // Begin → Began
	OpPlan     Op = 'P' // run → plan, see algorithm.go
	OpLearn    Op = 'L' // run and batch → whether it is done
	OpState    Op = 'S' // run → engine.State

	OpDone   Op = 'D' // done, with what was asked for
	OpValues Op = 'V' // float64 values, little endian
	OpError  Op = 'E' // a message for the user
)

// Hello is the first frame of a connection.
type Hello struct {
	Version int
	Key     string
}

// Entry is a name that is bound, with its type in the words of the language.
type Entry struct{ Name, Type string }

// Named is a value to be bound.
type Named struct {
	Name  string
	Value Value
}

// Act is a call of a function that records something in a campaign. It travels as JSON, in which a cell that
// runs again asks with the same bytes; gob numbers types in the order in which a process uses them.
type Act struct {
	Function string         `json:"function"`
	Args     map[string]any `json:"args"` // texts, numbers, truth values, lists of texts
}

// Acted answers an Act.
type Acted struct {
	Value   Value
	Notices []string // sentences
}

// WriteFrame writes one frame: its length, what it is, and its content.
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

// ReadFrame reads one frame of at most limit bytes. Memory grows with what arrives,
// not with the length that was announced.
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

// Pack makes the content of a frame.
func Pack(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, fmt.Errorf("cannot be sent: %w", err)
	}
	return b.Bytes(), nil
}

// Unpack decodes the content of a frame into the value that v points at. It never panics: gob may panic on invalid bytes, and Unpack
// returns an error then.
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

// ErrNoKernel is returned if no kernel of ours started this program.
var ErrNoKernel = errors.New("this process has no notebook session")

// errFrame is wrapped by what is wrong with the connection itself.
var errFrame = errors.New("the connection is broken")

// remoteError is an error that the other side sent.
type remoteError string

// Error returns the sent message unchanged.
func (e remoteError) Error() string { return string(e) }

// protocol is a campaign.Protocol as data: its problems travel in parts.
type protocol struct {
	Protocol campaign.Protocol // without its problems
	Zero     []bool            // see zeros
	Problems []packedProblem   // its problem, and then what it was before arms came to it
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
