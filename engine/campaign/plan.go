package campaign

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/looks"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// alphabet has the 31 characters of ids: digits and letters. It leaves out I, L and O, which look like digits, and U,
// which looks like V. It leaves out E, because spreadsheets read 1E5 as a number. The check character requires that 31 is
// prime.
const alphabet = "0123456789ABCDFGHJKMNPQRSTVWXYZ"

// idLength is the number of characters of an id, including the check character.
const idLength = 6

// newIDs returns the random numbers from which ids are drawn. It is seeded by 256 random bits of the operating system. The
// seed of the campaign would not do: two copies of a folder that continue separately would issue the same ids for
// different pulls.
func newIDs() *rand.Rand {
	var seed [32]byte
	crand.Read(seed[:]) // cannot fail
	return rand.New(rand.NewChaCha8(seed))
}

// NewID draws an id for which taken is false. An id begins with a letter, so that spreadsheets do not read it as a number,
// and ends with a check character. It never begins like a month, which a spreadsheet may read as a date. A draw may hit an
// existing id: there are only about 21·31⁴ ids.
func NewID(rng *rand.Rand, taken func(id string) bool) string {
	for {
		id := make([]byte, idLength-1)
		id[0] = alphabet[10+rng.IntN(len(alphabet)-10)]
		for i := 1; i < len(id); i++ {
			id[i] = alphabet[rng.IntN(len(alphabet))]
		}
		if full := string(id) + string(checkCharacter(string(id))); !slices.Contains(months, full[:3]) && !taken(full) {
			return full
		}
	}
}

// months are the abbreviations that the alphabet can spell; JUN contains a U, FEB, SEP and DEC an E, and so on.
var months = []string{"JAN", "MAR", "APR", "MAY"}

// checkCharacter returns the character c that makes Σ (i+1)·v_i = 0 modulo 31 over all six characters, where v is the
// index in the alphabet. This code over the field of 31 elements detects every single wrong character and every swap of
// two characters [Wagner and Putter 1989].
func checkCharacter(id string) byte {
	sum := 0
	for i := range len(id) {
		sum += (i + 1) * strings.IndexByte(alphabet, id[i])
	}
	// (len+1)·v = -sum, and the inverse exists because 31 is prime
	for v := range len(alphabet) {
		if (sum+(len(id)+1)*v)%len(alphabet) == 0 {
			return alphabet[v]
		}
	}
	panic("campaign: the length of ids is a multiple of 31")
}

// copyID is advice for a wrong id.
const copyID = "Copy the id from the list of measurements"

// readID returns an id in its issued form: upper case, without surrounding blanks, with letters that look like digits
// replaced by these digits. The error describes the fault of the id.
func readID(text string) (string, error) {
	id := strings.ToUpper(strings.TrimSpace(text))
	text = sentence.Brief(text)
	// people may type O for 0, and I or L for 1; ids never contain these letters
	id = strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(id)
	switch {
	case len(id) != idLength:
		return "", fmt.Errorf("%q is not an id, because ids have %d characters. %s", text, idLength, copyID)
	case strings.Trim(id, alphabet) != "" || id[0] < 'A':
		return "", fmt.Errorf("%q is not an id. Ids begin with a letter and have no I, L, O, U or E. %s", text, copyID)
	case checkCharacter(id[:idLength-1]) != id[idLength-1]:
		return "", fmt.Errorf("%q is mistyped: its last character, a check digit, does not match the others. %s", text, copyID)
	}
	return id, nil
}

// IsID reports whether a text has the form of an id with a valid check character.
func IsID(text string) bool {
	_, err := readID(text)
	return err == nil
}

// nearestID returns the id in the list with the least edit distance to the text, at most two characters; "" if there is
// none.
func nearestID(text string, ids []string) string {
	text = strings.ToUpper(strings.TrimSpace(text))
	// among equally near ids the first counts
	best, least := "", 3
	for _, id := range ids {
		if d := lists.Distance([]byte(text), []byte(id), least); d < least {
			best, least = id, d
		}
	}
	return best
}

// pulls returns a number of pulls in words, such as "3 pulls".
func pulls(n int) string { return sentence.Count(n, "measurement") }

// Plain returns a person's text without control characters, which could change a terminal or the writing direction. White
// space of any kind becomes a blank, and the other control characters become U+FFFD.
func Plain(text string) string {
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return '\ufffd'
		}
		return r
	}, text), "\ufffd")
}

// SamePerson reports whether two names look the same. It ignores case, blanks and invisible characters, and treats similar
// characters as equal.
func SamePerson(a, b string) bool { return looks.Alike(a) == looks.Alike(b) }

// person returns the name in the spelling of the person's first request for a list. A name without a request is returned
// as Plain made it.
func (h *handed) person(by string) string {
	by = Plain(by)
	for _, name := range h.people {
		if name == by {
			return by
		}
	}
	for _, name := range h.people {
		if SamePerson(name, by) {
			return name
		}
	}
	return by
}

// longestName is the largest number of characters in a name.
const longestName = 100

// CheckName returns an error for a person's name that is blank, has control characters, or is too long.
func CheckName(name string) error {
	const instead = "write the name of a person, such as Ann"
	switch {
	case SamePerson(name, ""):
		return fmt.Errorf("the name %q is blank; %s", sentence.Brief(name), instead)
	case strings.ContainsFunc(strings.TrimSpace(name), unicode.IsControl), strings.ContainsRune(Plain(name), '\ufffd'):
		return fmt.Errorf("the name %q has control characters; %s", sentence.Brief(name), instead)
	case utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("the name %q has more than %d characters; %s", sentence.Brief(name), longestName, instead)
	}
	return nil
}

// agreed returns one if n is 1, otherwise more: "was" or "were".
func agreed(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Moment is a campaign at one time: the recorded events, and the protocol in force. It never changes. Its methods answer
// all questions about a campaign, such as what to measure, the meaning of a sheet and the progress.
type Moment struct {
	*State             // after all events so far
	Protocol           // of the start, with the arms that were added; other amendments are in State
	Now      time.Time // the present time, for leases and for new events
}

// Plan returns the event that begins the next round, or that states that nothing is left to measure. x is the replay of
// this state. The event is valid only for this state: if another event is recorded first, the plan must be made again. The
// event contains the answers before the round (Decided), with which a later replay compares its own.
func (s Moment) Plan(x *Run, build string, revision int) Event {
	b := PlanBody{Round: len(s.rounds) + 1, Revision: revision, Build: build, Decided: decisions(x.Outcome.Answers)}
	if !x.More {
		b.Done, b.Status, b.Round = true, string(x.Outcome.Status), len(s.rounds)
		return NewEvent(KindPlan, s.Now, "", b)
	}
	b.Seed = s.Start.orderSeed(b.Round)
	b.Counts, b.Rho, b.RhoLower, b.Rounding = x.Next.Counts, x.Next.Rho, x.Next.RhoLower, x.Next.Rounding
	b.WantSquares, b.Digest, b.Plate = x.Next.WantSquares, x.Next.Digest, s.Plate
	// first cut to the budget of each task, then to the capacity; pulls that are cut off are planned again if they are
	// still useful
	b.Counts = s.capped(b.Counts, s.spent(s.Protocol), b.Seed)
	if b.Sides = x.Next.Sides; b.Sides == nil {
		b.Counts = s.dropped(b.Counts, x.Outcome.Answers)
	}
	// the capacity may have been amended
	q := s.Protocol
	q.Capacity = s.capacity(s.Protocol)
	if q.Cuts() {
		whole := x.Next.Pulls()
		b.Counts = cut(b.Counts, q.Capacity, b.Seed)
		b.Cut = whole > q.Capacity
	}
	return NewEvent(KindPlan, s.Now, "", b)
}

// orderSeed returns the seed for the order of a round's list. It depends only on the seed of the campaign and the round.
func (b StartBody) orderSeed(round int) uint64 {
	return rand.New(rand.NewPCG(b.Seed, uint64(round))).Uint64()
}

// PlanBody begins a round, or states that nothing is left to measure. In the second case Done and Status are set, Round is
// the last round, and the fields about pulls are zero. The fields from Rho to Digest are copied from engine.Plan.
type PlanBody struct {
	Round       int           `json:"round"`            // from 1, without gaps
	Counts      []int         `json:"counts,omitempty"` // planned pulls by arm
	Sides       []engine.Side `json:"sides,omitempty"`  // sets of arms that share blocks, with the same pulls as Counts; nil without blocks
	Cut         bool          `json:"cut,omitempty"`    // the plan was cut to the capacity
	Rho         float64       `json:"rho,omitempty"`
	RhoLower    float64       `json:"rho_lower,omitempty"`
	Rounding    float64       `json:"rounding,omitempty"`
	WantSquares bool          `json:"want_squares,omitempty"` // the algorithm needs sums of squares of this round
	Digest      string        `json:"digest,omitempty"`       // digest of the plan before it was cut; a led campaign uses it to find the round
	Seed        uint64        `json:"seed,omitempty"`         // seed for the order of the list
	Plate       int           `json:"plate,omitempty"`        // pulls on a plate; 0 without plates
	Done        bool          `json:"done,omitempty"`         // nothing is left to measure
	Status      string        `json:"status,omitempty"`       // the engine.Status, if Done
	Decided     []Decision    `json:"decided,omitempty"`      // answers of the tasks that were decided before the round
	Revision    int           `json:"revision"`               // revision of the program that made the plan
	Build       string        `json:"build,omitempty"`        // build of the program that made the plan
}

// Decision is the answer of a decided task.
type Decision struct {
	Task string `json:"task"`
	Arm  string `json:"arm"`
}

// fold opens the round. It ends the previous round, and returns an error if that is neither complete nor closed. An
// earlier end of the campaign (done) is revoked. The list of the round is not recorded; fold computes it from the counts
// and the seed.
func (b *PlanBody) fold(s *State, e Event) error {
	if r := s.open(); r != nil {
		if !s.complete(r) {
			return fmt.Errorf("the event comes before the end of round %d", r.plan.Round)
		}
		r.closed = e.Seq
	}
	s.done, s.reopened = nil, false
	if b.Done {
		s.done, s.doneSeq = b, e.Seq
		return nil
	}
	if len(b.Counts) != len(s.taskOf) || b.Round != len(s.rounds)+1 {
		return fmt.Errorf("the event has round %d with %d arms, but round %d with %d arms is "+
			"next", b.Round, len(b.Counts), len(s.rounds)+1, len(s.taskOf))
	}
	if b.Sides != nil && !slices.Equal(engine.CountsOf(b.Sides, len(b.Counts)), b.Counts) {
		return fmt.Errorf("round %d: its blocks do not match its pulls", b.Round)
	}
	r := &round{plan: *b, seq: e.Seq, at: e.At, generation: len(s.grown), filled: map[[2]int]bool{}, highest: map[int]int{},
		results: map[int][]*measured{}}
	if r.list = worklist(b.Counts, s.taskOf, b.Plate, b.Seed); b.Sides != nil {
		r.list = blockList(b.Sides, b.Plate, b.Seed)
	}
	for i, n := range b.Counts {
		// the planned pulls have the numbers 1 to n; later pulls follow
		r.highest[i] = n
	}
	s.rounds = append(s.rounds, r)
	return nil
}

// A campaign is led if a run of agents plans its rounds. People then measure the pulls of one agent, and the agent sends
// the results to the other agents.

// Lead returns the events that make the given plan the open round. It returns nil if a round with the plan's digest
// exists. If the open round is incomplete, it is closed with the given reason, because the run continued without it.
// Rounds are numbered in the order of Lead; rounds without pulls for the agent have no number.
func (s Moment) Lead(plan engine.Plan, reason, build string) []Event {
	if slices.ContainsFunc(s.rounds, func(r *round) bool { return r.plan.Digest == plan.Digest }) {
		return nil
	}
	// the close is in the same list of events as the plan, so that both are recorded or neither
	var out []Event
	if r := s.open(); r != nil && !s.complete(r) {
		lost := -r.measured() + lists.Total(r.plan.Counts)
		out = append(out, NewEvent(KindClose, s.Now, "", CloseBody{Round: r.plan.Round, Lost: lost, Reason: reason}))
	}
	b := PlanBody{Round: len(s.rounds) + 1, Revision: Revision, Build: build, Counts: plan.Counts, WantSquares: plan.WantSquares,
		Digest: plan.Digest, Plate: s.Plate}
	b.Seed = s.Start.orderSeed(b.Round)
	return append(out, NewEvent(KindPlan, s.Now, "", b))
}
