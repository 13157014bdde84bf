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
//
// Scripts, commands, cells of notebooks and programs fill the fields, and hand the act over to the folder, which takes it through
// its steps: Check, Prepare, Do, and at last the events that Do returned.
type Act interface {
	// Params lists the arguments as scripts and commands name them, each with the field that it fills.
	Params() []Param
	// Do computes the events to record. It changes nothing, and may be called again on a later state, if other events
	// were recorded meanwhile. An act that was done before returns no events and Done.Known: cells are run again, and
	// commands repeated. A Done beside an error is shown before the error.
	Do(ctx context.Context, at Doing) (Done, error)
}

// Refusable is an act that the algorithm may refuse: it is tried before the act is recorded. This takes as long as a replay,
// and so is done without the lock. Its Do returns one event at most.
type Refusable interface{ Refusable() }

// Prepared is an act with a part that needs no state and is done before the campaign is locked. Its Do relies on it.
type Prepared interface {
	Prepare(context.Context, Protocol) error
}

// Checked is an act whose arguments may be wrong by themselves, without a campaign: a script states so before anything of it is done.
type Checked interface{ Check() *ArgError }

// ArgError states what is wrong with an argument of an act.
type ArgError struct {
	Param string // "" is the act as a whole
	Text  string // what is wrong, as it reads after the name of the argument
	Hint  string // what to write
}

// Doing is the input of an act: a moment of the campaign, with functions that acts need.
type Doing struct {
	Moment
	// makes the protocol with the arms of a table that is added, and says where the earlier arms are in it. It records nothing.
	// nil if no act needs it, as in a preview of a sheet
	Grow func(context.Context, File) (Protocol, Growth, error)
}

// Done states what an act did.
type Done struct {
	Events   []Event   // to record; none if all was recorded before, or rows of a sheet are wrong
	Known    bool      // all of it was recorded before
	Text     string    // a sentence
	Warnings []string  // sentences
	Closing  *Closing  // of an act that closes a round, also beside its error; nil of others
	Receipt  *Receipt  // of an act that takes a sheet; nil of others
	Protocol *Protocol // what the events make of it; nil if they leave it unchanged
	Files    []File    // whose content is recorded
}

// Param is an argument of an act.
type Param struct {
	Name     string // name of the argument in scripts; commands make their flag of it
	Synonyms []string
	// a pointer to the field: of a text, number, whole number, truth value, list of texts or file; to a pointer
	// where the argument may be left out and its zero has a meaning
	Into     any
	Optional bool          // of a text or list of a script: it may be left out
	Doc      string        // description of the argument in scripts, without a full stop
	Flag     string        // what the command says instead of Doc; "" for the same
	Place    string        // how the command shows an argument that it takes by its place; "" for a flag
	Words    string        // names it in an error, "an id"
	Range    kernels.Range // of numbers; the zero value is any
	Hint     string        // how a list is written
}

// PrepareAct checks the arguments of an act, and prepares it. Commands and scripts have checked the arguments; programs may not have.
func PrepareAct(ctx context.Context, act Act, p Protocol) error {
	for _, x := range act.Params() {
		if by, is := x.Into.(*string); is && x.Name == "by" && *by != "" {
			if err := CheckName(*by); err != nil {
				return err
			}
		}
	}
	if x, ok := act.(Checked); ok {
		if err := x.Check(); err != nil {
			return errors.New(strings.TrimSpace(err.Param + " " + err.Text))
		}
	}
	if x, ok := act.(Prepared); ok {
		return x.Prepare(ctx, p)
	}
	return nil
}

// knownBefore answers an act that was done before.
const knownBefore = "this was already recorded, so nothing changes"

// recordedOnce returns the outcome of an act that records one event; known if there is nothing to record. text is its
// line if there was. It is for acts whose repetition shows in the state itself, as a result that has the value already.
func recordedOnce(events []Event, text string, err error) (Done, error) {
	if err == nil && len(events) == 0 {
		return Done{Known: true, Text: knownBefore}, nil
	}
	return Done{Events: events, Text: text}, err
}

// byParam and reasonParam are arguments that acts have in common.
func byParam(into *string) Param {
	return Param{Name: "by", Synonyms: []string{"who", "name", "person"}, Into: into, Optional: true,
		Doc: "name of the person who measures; each person has one open list at a time", Flag: "your `NAME`, for the record"}
}

func reasonParam(into *string) Param {
	return Param{Name: "reason", Synonyms: []string{"why", "because"}, Into: into, Doc: "the reason, which the report shows",
		Flag: "`TEXT` of the reason, which the report shows (required)"}
}

// fileParam is the file of an act; what names its rows in a hint.
func fileParam(into *File, what string) Param {
	return Param{Name: "file", Synonyms: []string{"path", "data"}, Into: into, Doc: "the file, relative to the script", Place: "FILE.csv",
		Words: "a file", Hint: what}
}

// Ranges of numbers.
var (
	fromZero = kernels.Range{Min: 0, Max: math.Inf(1), MaxOpen: true}
	inside   = kernels.Range{Min: 0, Max: 1, MinOpen: true, MaxOpen: true}
	countsUp = kernels.Range{Min: 0, Max: math.Exp2(53)} // whole numbers that a float64 holds exactly
	fromOne  = kernels.Range{Min: 1, Max: math.Exp2(53)}
)

// ErrReason answers an act without its reason.
var ErrReason = errors.New("the act needs a reason, which the report shows (--reason)")

// reasoned reports a reason that is missing, with the rule of the act if it has one.
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
type Comment struct{ Text, By string } // what to say, and who says it

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

// fold puts the words into the log, and changes nothing else.
func (b *NoteBody) fold(s *State, e Event) error {
	s.note(e, b.Text, "")
	return nil
}

// Attach records earlier measurements, or measurements from elsewhere, that belong to no round: they guide the next
// measurements, and a posterior uses them fully. It is a Tell whose rows have no ids. Its sheet may come from elsewhere,
// so that no chain in it is looked at.
type Attach Tell

var attachEntry = Entry{
	Name: "attach", Synonyms: []string{"attach_data"}, New: func() Act { return new(Attach) }, Sheet: true,
	Doc: "records earlier or other measurements, task,arm,reward or task,arm,count,mean,sd, that belong to no round. They guide what is " +
		"measured next. Tests do not use them for decisions; posterior methods use all of them. Rows already attached are skipped, also from " +
		"a renamed file",
	Example: `attach("days", "pilot.csv", by="Ann")`,
	Short:   "Record earlier measurements, or measurements from elsewhere",
	Long: "Record measurements task,arm,reward or task,arm,count,mean,sd that belong to no round.\n" +
		"They guide what is measured next. A test decides nothing by them; a posterior uses them like all others.",
}

// Params implements Act.
func (a *Attach) Params() []Param {
	// no pull of a round can be extra here, which comes last
	shared := a.TellOptions.params()
	return append([]Param{fileParam(&a.File, "measurements"), byParam(&a.By)}, shared[:len(shared)-1]...)
}

// Check implements Checked.
func (a *Attach) Check() *ArgError { return (*Tell)(a).Check() }

// Prepare implements Prepared.
func (a *Attach) Prepare(ctx context.Context, p Protocol) error {
	return (*Tell)(a).prepare(ctx, p, KindAttach)
}

// Do implements Act.
func (a *Attach) Do(ctx context.Context, at Doing) (Done, error) {
	return (*Tell)(a).do(ctx, at, KindAttach, a.results.hash)
}

// UpgradeBody records that a program continues which decides otherwise than the one that began the campaign.
type UpgradeBody struct {
	From    int      `json:"from"` // revisions, see Revision
	To      int      `json:"to"`
	Changes []string `json:"changes,omitempty"` // what it makes otherwise of the decisions so far, in sentences
}

// String returns the changes, without a full stop.
func (b UpgradeBody) String() string { return strings.Join(b.Changes, "; ") }

// fold uses To alone; From is for readers.
func (b *UpgradeBody) fold(s *State, e Event) error {
	s.Revision = b.To
	s.note(e, fmt.Sprintf("revision %d of the decisions instead of %d", b.To, b.From), "")
	return nil
}
