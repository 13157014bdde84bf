package campaign

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Kind says what an event records.
type Kind string

// The kinds of events.
const (
	KindStart   Kind = "start"   // StartBody: the protocol is fixed
	KindPlan    Kind = "plan"    // PlanBody: a round begins, or all is decided; the round before is over
	KindAsk     Kind = "ask"     // AskBody: pulls are handed out
	KindTell    Kind = "tell"    // TellBody: results of the open round
	KindFail    Kind = "fail"    // FailBody: pulls that gave no result
	KindCorrect Kind = "correct" // CorrectBody: a result was wrong
	KindClose   Kind = "close"   // CloseBody: the open round is over with what came
	KindLate    Kind = "late"    // TellBody: results of a round that is over
	KindAttach  Kind = "attach"  // TellBody: measurements of before, or from elsewhere
	KindAmend   Kind = "amend"   // AmendBody: the protocol changes
	KindUpgrade Kind = "upgrade" // UpgradeBody: a program that decides otherwise goes on
	KindNote    Kind = "note"    // NoteBody: words for the report
	KindRepair  Kind = "repair"  // RepairBody: events are set aside that fit none before them
)

// Event is one line of the log.
type Event struct {
	Seq  int64           `json:"seq"` // from 1, without gaps: the only order that counts
	Kind Kind            `json:"kind"`
	At   time.Time       `json:"at"` // UTC, by the clock of the machine: for people, and for leases
	By   string          `json:"by"` // who did it, as the command was told; may be ""
	Body json.RawMessage `json:"body"`
	Hash string          `json:"hash"` // of the event and the hash before it, see Sealed
}

// Sealed returns the event with the hash that it has after another hash; "" before the first event.
// The hash is SHA-256, in hexadecimal, over the hash before, seq, kind, time, by and body, each with
// its length, so that no two lists of events have the same bytes.
func (e Event) Sealed(before string) Event {
	h := sha256.New()
	for _, part := range []string{before, fmt.Sprint(e.Seq), string(e.Kind), e.At.UTC().Format(time.RFC3339Nano), e.By, string(e.Body)} {
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
func NewEvent(kind Kind, at time.Time, by string, body any) Event {
	text, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("campaign: body of %s: %v", kind, err))
	}
	return Event{Kind: kind, At: at.UTC(), By: by, Body: text}
}

// CheckChain reports the first event that was changed, removed or moved.
func CheckChain(events []Event) error { return CheckChainAfter(events, 0, "") }

// CheckChainAfter does the same for events that follow one with this number and hash.
func CheckChainAfter(events []Event, seq int64, hash string) error {
	for _, e := range events {
		if e.Seq != seq+1 {
			return fmt.Errorf("event %d is missing: event %d follows event %d", seq+1, e.Seq, seq)
		}
		if e.Hash != e.Sealed(hash).Hash {
			return fmt.Errorf("event %d (%s, %s) is not what was recorded: its hash does not fit", e.Seq, e.Kind, e.At.Format(time.DateTime))
		}
		seq, hash = e.Seq, e.Hash
	}
	return nil
}

// File is a file of the recipe: the script, or data that it reads.
type File struct {
	Path    string `json:"path"` // as the script names it; of the script its name
	SHA256  string `json:"sha256"`
	Content []byte `json:"-"`
}

// StartBody fixes the protocol.
type StartBody struct {
	Name     string           `json:"name"` // what the script calls the protocol
	Script   File             `json:"script"`
	Set      []string         `json:"set,omitempty"` // NAME=VALUE, as the script was changed at the start
	Data     []File           `json:"data,omitempty"`
	Seed     uint64           `json:"seed"` // of orders of lists, and of cuts
	Problem  string           `json:"problem_sha256"`
	Settings []engine.Setting `json:"settings"` // the protocol in words
	Revision int              `json:"revision"` // Revision of the program
	Build    string           `json:"build"`
	Forecast *Forecast        `json:"forecast,omitempty"`
	// the run of agents that plans the rounds, in words; "" where the campaign plans them itself
	Led string `json:"led,omitempty"`
}

// PlanBody begins a round, or says that there is none.
type PlanBody struct {
	Round       int        `json:"round"`
	Counts      []int      `json:"counts,omitempty"` // pulls by arm: the recorded fact
	Cut         bool       `json:"cut,omitempty"`    // from a larger plan, to the capacity
	Rho         float64    `json:"rho,omitempty"`
	RhoLower    float64    `json:"rho_lower,omitempty"`
	Rounding    float64    `json:"rounding,omitempty"`
	WantSquares bool       `json:"want_squares,omitempty"`
	Digest      string     `json:"digest,omitempty"`
	Seed        uint64     `json:"seed,omitempty"` // of the order of the list
	Plate       int        `json:"plate,omitempty"`
	Done        bool       `json:"done,omitempty"`   // nothing is left to measure
	Status      string     `json:"status,omitempty"` // engine.Status, when done
	Decided     []Decision `json:"decided,omitempty"`
	Revision    int        `json:"revision"`
	Build       string     `json:"build,omitempty"`
}

// Decision is the answer that a task had when a plan was made.
type Decision struct {
	Task string `json:"task"`
	Arm  string `json:"arm"`
}

// AskBody hands pulls of one round out to one person.
type AskBody struct {
	Round int       `json:"round"`
	Items []Item    `json:"items"`
	Until time.Time `json:"until,omitzero"` // when the pulls may be handed out again; zero is never
}

// Item is a pull that was handed out under an id.
type Item struct {
	ID string `json:"id"`
	Slot
	Again string `json:"again,omitempty"` // the id that it replaces, which was failed or is overdue
}

// TellBody records results.
type TellBody struct {
	Sheet   string         `json:"sheet,omitempty"` // name of the file
	SHA256  string         `json:"sha256,omitempty"`
	Results []ResultRecord `json:"results"`
}

// ResultRecord is one result. Rewards have the sign of the data.
type ResultRecord struct {
	ID      string   `json:"id,omitempty"`
	Arm     int      `json:"arm"`
	Number  int      `json:"number,omitempty"` // of its pull, by which rewards are summed
	Fills   []string `json:"fills,omitempty"`  // ids handed out of which it is the result, named by no id
	Slots   []int    `json:"slots,omitempty"`  // numbers of pulls that it fills, when it is of several
	Count   int      `json:"count,omitempty"`  // 0 means 1
	Reward  float64  `json:"reward"`           // mean of Count
	Squares float64  `json:"squares,omitempty"`
	Plate   string   `json:"plate,omitempty"` // where it was measured, when it is not the plate planned
	Row     int      `json:"row,omitempty"`   // of results without id: the place among those of the sheet
	Note    string   `json:"note,omitempty"`
	Sure    string   `json:"sure,omitempty"` // what spoke against the value, which was confirmed

	line int // of the sheet, while it is read
}

// FailBody gives pulls back that could not be measured.
type FailBody struct {
	IDs    []string `json:"ids"`
	Reason string   `json:"reason"`
}

// CorrectBody replaces a result.
type CorrectBody struct {
	ID     string  `json:"id"`
	Old    float64 `json:"old"`
	Reward float64 `json:"reward"`
	Reason string  `json:"reason"`
}

// CloseBody ends the open round.
type CloseBody struct {
	Round  int      `json:"round"`
	Lost   int      `json:"lost"`
	PValue *float64 `json:"p_value,omitempty"` // of losses that are shared out by chance, see LossTest
	Reason string   `json:"reason"`
	Early  bool     `json:"early,omitempty"` // nobody closed it: see State.CloseEarly
}

// AmendBody changes the protocol. Fields that are nil or empty stay.
type AmendBody struct {
	Epsilon  *float64    `json:"epsilon,omitempty"`
	Delta    *float64    `json:"delta,omitempty"`
	Capacity *int        `json:"capacity,omitempty"`
	Withdraw [][2]string `json:"withdraw,omitempty"` // task and arm
	// the numbers of those arms, as they are before Add
	WithdrawArms []int   `json:"withdraw_arms,omitempty"`
	Add          *File   `json:"add,omitempty"` // rows of the table, of arms and tasks that are added
	Growth       *Growth `json:"growth,omitempty"`
	Problem      string  `json:"problem_sha256,omitempty"` // with Add: Protocol.Fingerprint of then
	Reason       string  `json:"reason"`
}

// String says what changes, without the reason.
func (b AmendBody) String() string {
	var parts []string
	if b.Epsilon != nil {
		parts = append(parts, fmt.Sprintf("epsilon is %g", *b.Epsilon))
	}
	if b.Delta != nil {
		parts = append(parts, fmt.Sprintf("delta is %g", *b.Delta))
	}
	if b.Capacity != nil {
		parts = append(parts, fmt.Sprintf("capacity is %d", *b.Capacity))
	}
	for _, w := range b.Withdraw {
		parts = append(parts, fmt.Sprintf("task %q, arm %q is withdrawn", w[0], w[1]))
	}
	if b.Growth != nil {
		var arms []string
		for _, a := range b.Growth.Added {
			arms = append(arms, fmt.Sprintf("task %q, arm %q", a[0], a[1]))
		}
		parts = append(parts, fmt.Sprintf("%s added by %s: %s", map[bool]string{true: "1 arm is", false: fmt.Sprintf("%d arms are", len(arms))}[len(arms) == 1], b.Add.Path, joined(arms, 8)))
	}
	return strings.Join(parts, "; ")
}

// UpgradeBody records that a program that decides otherwise goes on.
type UpgradeBody struct {
	From    int      `json:"from"` // revisions
	To      int      `json:"to"`
	Changes []string `json:"changes,omitempty"` // sentences
}

// NoteBody holds words for the report.
type NoteBody struct {
	Text string `json:"text"`
}
