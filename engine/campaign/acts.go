package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Act is something that people do to a campaign and that is recorded. Its fields are its arguments.
type Act interface {
	// Params lists the arguments as scripts and commands name them, each with the field that it fills.
	Params() []Param
	// Do works out what is to be recorded. It changes nothing. What it returns beside an error is shown before that.
	Do(ctx context.Context, at Doing) (Done, error)
}

// Refusable is an act that the algorithm may refuse: it is tried before the act is recorded.
type Refusable interface{ Refusable() }

// Prepared is an act with a part that needs no state and is done before the campaign is locked.
type Prepared interface{ Prepare(Protocol) error }

// Checked is an act whose arguments may be wrong by themselves, without a campaign.
type Checked interface{ Check() *ArgError }

// ArgError says what is wrong with an argument of an act.
type ArgError struct {
	Param string // "" is the act as a whole
	Text  string // what is wrong, as it reads after the name of the argument
	Hint  string // what to write
}

// Doing is what an act is done to.
type Doing struct {
	Moment
	// makes the protocol with the arms of a table that is added
	Grow func(context.Context, File) (Protocol, Growth, error)
}

// Done says what an act did.
type Done struct {
	Events   []Event   // to record; none where all was recorded before, or rows of a sheet are wrong
	Known    bool      // all of it was recorded before
	Text     string    // a sentence
	Warnings []string  // sentences
	Closing  *Closing  // of an act that closes a round
	Receipt  *Receipt  // of an act that takes a sheet
	Protocol *Protocol // what the events make of it; nil where they leave it as it is
	Files    []File    // whose content is recorded
}

// Param is an argument of an act.
type Param struct {
	Name     string
	Synonyms []string
	// a pointer to the field: of a text, number, whole number, truth value, list of texts or file; to a pointer
	// where the argument may be left out and its zero has a meaning
	Into     any
	Optional bool // of a text or list of a script: it may be left out
	Doc      string
	Flag     string        // what the command says in place of Doc; "" for the same
	Place    string        // how the command shows an argument that it takes by its place; "" for a flag
	Words    string        // names it in an error, "an id"
	Range    kernels.Range // of numbers; the zero value is any
	Hint     string        // how a list is written
}

// knownBefore answers an act that was done before.
const knownBefore = "this was recorded before, and changes nothing"

// recorded returns the outcome of an act that records one event; known where there is nothing to record.
func recordedOnce(events []Event, text string, err error) (Done, error) {
	if err == nil && len(events) == 0 {
		return Done{Known: true, Text: knownBefore}, nil
	}
	return Done{Events: events, Text: text}, err
}

// byParam and reasonParam are arguments that acts have in common.
func byParam(into *string) Param {
	return Param{Name: "by", Synonyms: []string{"who", "name", "person"}, Into: into, Optional: true,
		Doc: "who asks or tells: the same person has one open list at a time", Flag: "who does this"}
}

func reasonParam(into *string) Param {
	return Param{Name: "reason", Synonyms: []string{"why", "because"}, Into: into, Doc: "the reason, which the report shows",
		Flag: "the reason, which the report shows (required)"}
}

func fileParam(into *File, what string) Param {
	return Param{Name: "file", Synonyms: []string{"path", "data"}, Into: into, Doc: "the file, relative to the script", Place: "FILE.csv",
		Words: "a file", Hint: what}
}

// Ranges of numbers.
var (
	fromZero = kernels.Range{Min: 0, Max: math.Inf(1), MaxOpen: true}
	inside   = kernels.Range{Min: 0, Max: 1, MinOpen: true, MaxOpen: true}
	countsUp = kernels.Range{Min: 0, Max: math.Exp2(53)}
	fromOne  = kernels.Range{Min: 1, Max: math.Exp2(53)}
)

// ErrReason answers an act without its reason.
var ErrReason = errors.New("the act needs a reason, which the report shows (--reason)")

// reasoned reports a reason that is missing, with the rule of the act where it has one.
func reasoned(reason string, rule fmt.Stringer) error {
	switch {
	case strings.TrimSpace(reason) != "":
		return nil
	case rule == nil:
		return ErrReason
	}
	return fmt.Errorf("%w; %s", ErrReason, rule)
}

// Comment records words for the report.
type Comment struct{ Text, By string }

var noteEntry = Entry{
	Name: "note", New: func() Act { return new(Comment) }, // a notebook has words of its own
	Short: "Record a note for the report",
}

// Params implements Act.
func (a *Comment) Params() []Param {
	return []Param{{Name: "text", Into: &a.Text, Doc: "the words", Place: "TEXT", Words: "a text"}, byParam(&a.By)}
}

// Do implements Act.
func (a *Comment) Do(_ context.Context, at Doing) (Done, error) {
	if strings.TrimSpace(a.Text) == "" {
		return Done{}, errors.New("the note is empty")
	}
	return Done{Events: []Event{NewEvent(KindNote, at.Now, a.By, NoteBody{Text: a.Text})}, Text: "recorded"}, nil
}

// NoteBody holds words for the report.
type NoteBody struct {
	Text string `json:"text"`
}

func (b *NoteBody) fold(s *State, e Event) error {
	s.note(e, b.Text, "")
	return nil
}

// Attach records measurements of before, or from elsewhere, that are of no round: they guide what is measured next, and a
// posterior takes them whole.
type Attach Tell

var attachEntry = Entry{
	Name: "attach", Synonyms: []string{"attach_data"}, New: func() Act { return new(Attach) }, Sheet: true,
	Doc: "records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They " +
		"guide what is measured and decide nothing in tests; " +
		"methods that go by a posterior take them whole. Rows attached before are known",
	Example: `attach("days", "pilot.csv", by="Ann")`,
	Short:   "Record measurements of before, or from elsewhere",
	Long: "Record measurements task,arm,reward or task,arm,count,mean,sd that belong to no round.\n" +
		"They guide what is measured next. A test decides nothing by them; a posterior uses them like all others.",
}

// Params implements Act.
func (a *Attach) Params() []Param {
	return append([]Param{fileParam(&a.File, "measurements"), byParam(&a.By)}, a.TellOptions.params()[:2]...)
}

// Prepare implements Prepared.
func (a *Attach) Prepare(p Protocol) error { return (*Tell)(a).prepare(p, KindAttach) }

// Do implements Act.
func (a *Attach) Do(ctx context.Context, at Doing) (Done, error) {
	return (*Tell)(a).do(ctx, at, KindAttach, "")
}

// UpgradeBody records that a program goes on which decides otherwise than the one that began the campaign.
type UpgradeBody struct {
	From    int      `json:"from"` // revisions, see Revision
	To      int      `json:"to"`
	Changes []string `json:"changes,omitempty"` // what it makes otherwise of the decisions so far, in sentences
}

// String returns the changes, without a full stop.
func (b UpgradeBody) String() string { return strings.Join(b.Changes, "; ") }

func (b *UpgradeBody) fold(s *State, e Event) error {
	s.Revision = b.To
	s.note(e, fmt.Sprintf("revision %d of the decisions in place of %d", b.To, b.From), "")
	return nil
}
