package campaign

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Event is one line of the log. Its hash covers its bytes. Later programs must therefore write every part in the same
// form: for example the digits of the time, and the order of the fields in the body.
type Event struct {
	Seq  int64           `json:"seq"` // from 1, without gaps; defines the order of events
	Kind Kind            `json:"kind"`
	At   time.Time       `json:"at"`   // UTC, by the clock of the machine; used for people and for leases
	By   string          `json:"by"`   // the person, as given in the act; may be ""
	Body json.RawMessage `json:"body"` // JSON of the body of this kind (bodies), with its original bytes
	Hash string          `json:"hash"` // hash of this event and all earlier ones, see Sealed
}

// Sealed returns the event with its hash. before is the hash of the previous event; "" for the first event. The hash is
// SHA-256, in hexadecimal, of before, seq, kind, time, by and body. Each part follows its length, so that different lists
// of events never have the same bytes. The present Hash of the event is ignored.
func (e Event) Sealed(before string) Event {
	h := sha256.New()
	for _, part := range []string{before, fmt.Sprint(e.Seq), string(e.Kind), e.At.UTC().Format(time.RFC3339Nano), e.By, string(e.Body)} {
		// Without the lengths "ab" before "c" would have the hash of "a" before "bc".
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	e.Hash = hex.EncodeToString(h.Sum(nil))
	return e
}

// Seal numbers and seals events that follow the event with this number and hash; 0 and "" before the first event. list is
// not changed.
func Seal(list []Event, seq int64, hash string) []Event {
	return lists.Map(list, func(e Event) Event {
		seq++
		e.Seq = seq
		e = e.Sealed(hash)
		hash = e.Hash
		return e
	})
}

// NewEvent returns an event with a body. Seq and Hash are zero until the event is appended: both follow from the previous
// event, which is known only under the lock. It panics if the body cannot be written as JSON, which happens only if it
// contains a NaN or an infinite number.
func NewEvent(kind Kind, at time.Time, by string, body any) Event {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("campaign: body of %s: %v", kind, err))
	}
	return Event{Kind: kind, At: at.UTC(), By: by, Body: text}
}

// CheckChain returns an error for the first event that was changed, removed or moved. events is a whole campaign.
// CheckChain does not detect events removed from the end; only a number or hash kept elsewhere shows that.
func CheckChain(events []Event) error { return CheckChainAfter(events, 0, "") }

// CheckChainAfter does the same for events that follow the event with this number and hash. A State that was read up to an
// event uses it to check only the later events.
func CheckChainAfter(events []Event, seq int64, hash string) error {
	for _, e := range events {
		if e.Seq != seq+1 {
			return fmt.Errorf("event %d is missing: event %d follows event %d", seq+1, e.Seq, seq)
		}
		if e.Hash != e.Sealed(hash).Hash {
			return fmt.Errorf("event %d (%s, %s) was changed: its hash does not match", e.Seq, e.Kind, e.At.Format(time.DateTime))
		}
		seq, hash = e.Seq, e.Hash
	}
	return nil
}

// File is a file of a recipe, or a sheet of results.
type File = question.File

// StartBody fixes the protocol.
type StartBody struct {
	Name     string           `json:"name"`               // the protocol's name in the script
	Script   File             `json:"script"`             // without its content, which the database keeps under its hash
	Set      []string         `json:"set,omitempty"`      // NAME=VALUE: settings that replaced settings of the script at the start
	Data     []File           `json:"data,omitempty"`     // files that the script read, also without contents
	Seed     uint64           `json:"seed"`               // seed for the order of lists, and for cuts of rounds
	Problem  string           `json:"problem_sha256"`     // Protocol.Fingerprint; every program must compute the same value
	Settings []engine.Setting `json:"settings"`           // the protocol, in words
	Revision int              `json:"revision"`           // Revision of the program that began the campaign
	Build    string           `json:"build"`              // build and system of that program, for the report
	Forecast *Forecast        `json:"forecast,omitempty"` // forecast before the start; nil if none was made
	// description of the run of agents that plans the rounds; "" if the campaign plans them itself
	Led string `json:"led,omitempty"`
}

// fold sets the start. State.add checks that it is the first event, and the only start.
func (b *StartBody) fold(s *State, e Event) error {
	s.Start, s.StartAt, s.Revision = *b, e.At, b.Revision
	return nil
}

// body decodes the body according to the kind of the event. It returns an error for an unknown kind, and ignores unknown
// fields.
func (e Event) body() (recorded, error) {
	make := bodies[e.Kind]
	if make == nil {
		return nil, errors.New("this program does not know events of this kind. A later version wrote it: use that version")
	}
	b := make()
	if err := json.Unmarshal(e.Body, b); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return b, nil
}
