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
)

// Event is one line of the log.
// Its bytes are what the hash is over, so that nothing of it may be written in another form later: neither the digits of the time nor the
// order of the fields of the body.
type Event struct {
	Seq  int64           `json:"seq"` // from 1, without gaps: the only order that counts
	Kind Kind            `json:"kind"`
	At   time.Time       `json:"at"`   // UTC, by the clock of the machine: for people, and for leases
	By   string          `json:"by"`   // who did it, as the command line gave it; may be ""
	Body json.RawMessage `json:"body"` // JSON of the body of this kind (bodies), in its original bytes
	Hash string          `json:"hash"` // hash of the event and the hash before it, see Sealed
}

// Sealed returns the event with the hash that it has after another hash; "" before the first event.
// The hash is SHA-256, in hexadecimal, over the hash before, seq, kind, time, by and body, each with
// its length, so that no two lists of events have the same bytes.
// The hash that the event has already counts for nothing.
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

// NewEvent returns an event with a body, not yet sealed. It panics if the body has no JSON, which
// only a NaN among its numbers does.
// Seq and Hash are zero until it is appended: both follow from the event before it, which is known under the lock alone.
func NewEvent(kind Kind, at time.Time, by string, body any) Event {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("campaign: body of %s: %v", kind, err))
	}
	return Event{Kind: kind, At: at.UTC(), By: by, Body: text}
}

// CheckChain reports the first event that was changed, removed or moved.
// The list is a whole campaign. An event that was cut off its end is not missed: only a number or hash kept elsewhere
// shows that.
func CheckChain(events []Event) error { return CheckChainAfter(events, 0, "") }

// CheckChainAfter does the same for events that follow one with this number and hash. A state that read up to an event
// checks in this way the later events, without the events before.
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

// File is a file of a recipe, or a sheet.
type File = question.File

// StartBody fixes the protocol.
type StartBody struct {
	Name     string           `json:"name"`               // what the script calls the protocol
	Script   File             `json:"script"`             // without its content, which is in the database under its hash
	Set      []string         `json:"set,omitempty"`      // NAME=VALUE, as the script was changed at the start
	Data     []File           `json:"data,omitempty"`     // that the script read, without contents as well
	Seed     uint64           `json:"seed"`               // seed of orders of lists, and of cuts
	Problem  string           `json:"problem_sha256"`     // Protocol.Fingerprint, which every program that opens the campaign must come to
	Settings []engine.Setting `json:"settings"`           // the protocol in words
	Revision int              `json:"revision"`           // Revision of the program
	Build    string           `json:"build"`              // build of the program, and its system: for the report
	Forecast *Forecast        `json:"forecast,omitempty"` // nil if none was made
	// the run of agents that plans the rounds, in words; "" where the campaign plans them itself
	Led string `json:"led,omitempty"`
}

// fold relies on State.add, which lets a start come first and once.
func (b *StartBody) fold(s *State, e Event) error {
	s.Start, s.StartAt, s.Revision = *b, e.At, b.Revision
	return nil
}

// body reads the body by its kind. A kind that is not listed is an error. Fields that are not known are passed over.
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
