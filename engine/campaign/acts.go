package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Act is an action of a person on a campaign that is recorded as events. The fields of its type are its arguments.
//
// Scripts, commands, notebook cells and programs fill the fields and pass the act to the folder. The folder calls Check,
// Prepare and Do, and then records the events that Do returned.
type Act interface {
	// Params returns the arguments with their names in scripts and commands, each with a pointer to its field.
	Params() []Param
	// Do computes the events to record. It changes nothing. The folder may call it again on a later state if other events
	// were recorded meanwhile. If the act was done before, it returns no events and sets Done.Known: notebook cells and
	// commands may be repeated. If it returns both a Done and an error, the Done is shown first.
	Do(ctx context.Context, at Doing) (Done, error)
}

// Refusable marks an act that the algorithm may refuse. The folder tries such an act on the algorithm before it records
// the act. The trial takes as long as a replay, and is therefore done without the lock. Do of such an act returns at most
// one event.
type Refusable interface{ Refusable() }

// Prepared is an act with a step that needs no state. Prepare makes this step before the campaign is locked, and Do uses
// its result.
type Prepared interface {
	Prepare(context.Context, Protocol) error
}

// Checked is an act whose arguments can be checked without a campaign. A script reports such a fault before it executes
// any act.
type Checked interface{ Check() *ArgError }

// ArgError describes a fault of an argument of an act.
type ArgError struct {
	Param string // "" for the act as a whole
	Text  string // the fault, as a phrase that follows the name of the argument
	Hint  string // what to write instead
}

// Doing is the input of Act.Do: the campaign at one moment, with functions that acts call.
type Doing struct {
	Moment
	// Grow returns the protocol with the arms of an added table, and the new numbers of the earlier arms. It records
	// nothing. It is nil if no act needs it, for example in a preview of a sheet.
	Grow func(context.Context, File) (Protocol, Growth, error)
}

// Done is the result of an act.
type Done struct {
	Events   []Event   // to record; empty if all was recorded before, or if rows of a sheet are wrong
	Known    bool      // everything was recorded before
	Text     string    // sentence for the person, without a full stop
	Warnings []string  // sentences for the person
	Closing  *Closing  // set by an act that closes a round, also if it returns an error; otherwise nil
	Receipt  *Receipt  // set by an act that reads a sheet; otherwise nil
	Protocol *Protocol // the protocol after the events; nil if they do not change it
	Files    []File    // files whose content is recorded
}

// Param is an argument of an act.
type Param struct {
	Name     string // name of the argument in scripts; the command's flag is derived from it
	Synonyms []string
	// pointer to the field: to a string, float64, int, bool, []string or File. If the argument may be left out and its
	// zero value has a meaning, Into is a pointer to a pointer.
	Into     any
	Optional bool          // for a text or list in a script: the argument may be left out
	Doc      string        // description of the argument in scripts, without a full stop
	Flag     string        // description of the command's flag; "" for the same as Doc
	Place    string        // name of a positional argument in the command's usage; "" for a flag
	Words    string        // noun for the argument in error messages, such as "an id"
	Range    kernels.Range // allowed numbers; the zero value allows all
	Hint     string        // how to write a list or a file, for error messages
}

// PrepareAct checks the name of the person and the arguments of an act, and calls its Prepare method if it has one.
// Commands and scripts have already checked the arguments; other programs may not have.
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

// knownBefore is the reply to an act that was done before.
const knownBefore = "this was already recorded, so nothing changes"

// recordedOnce returns the Done of an act that records at most one event. Without events, Known is set and the text is
// knownBefore; otherwise the text is the given one. Only an act whose repetition is visible in the state may use it, such
// as a correction to the value in force.
func recordedOnce(events []Event, text string, err error) (Done, error) {
	if err == nil && len(events) == 0 {
		return Done{Known: true, Text: knownBefore}, nil
	}
	return Done{Events: events, Text: text}, err
}

// byParam and reasonParam return arguments that several acts have.
func byParam(into *string) Param {
	return Param{Name: "by", Synonyms: []string{"who", "name", "person"}, Into: into, Optional: true,
		Doc: "name of the person who measures; each person has one open list at a time", Flag: "your `NAME`, for the record"}
}

func reasonParam(into *string) Param {
	return Param{Name: "reason", Synonyms: []string{"why", "because"}, Into: into, Doc: "the reason, which the report shows",
		Flag: "`TEXT` of the reason, which the report shows (required)"}
}

// fileParam returns the file argument of an act. what is the noun for the rows of the file in a hint.
func fileParam(into *File, what string) Param {
	return Param{Name: "file", Synonyms: []string{"path", "data"}, Into: into, Doc: "the file, relative to the script", Place: "FILE.csv",
		Words: "a file", Hint: what}
}

// Ranges for number arguments.
var (
	fromZero = kernels.Range{Min: 0, Max: math.Inf(1), MaxOpen: true}
	inside   = kernels.Range{Min: 0, Max: 1, MinOpen: true, MaxOpen: true}
	countsUp = kernels.Range{Min: 0, Max: math.Exp2(53)} // whole numbers that a float64 holds exactly
	fromOne  = kernels.Range{Min: 1, Max: math.Exp2(53)}
)

// ErrReason is returned for an act that needs a reason but has none.
var ErrReason = errors.New("the reason is missing, which the report shows. Write it, as in --reason \"the vial broke\" " +
	"(reason= in a script)")

// reasoned returns ErrReason if the reason is blank, otherwise nil. If rule is not nil, the error also states this rule.
func reasoned(reason string, rule fmt.Stringer) error {
	switch {
	case strings.TrimSpace(reason) != "":
		return nil
	case rule == nil:
		return ErrReason
	}
	return fmt.Errorf("%w; %s", ErrReason, rule)
}

// Comment records a note for the report.
type Comment struct{ Text, By string } // the note, and the person who writes it

var noteEntry = Entry{
	Name: "note", New: func() Act { return new(Comment) }, // notebooks have their own syntax for notes
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

// NoteBody is a note for the report.
type NoteBody struct {
	Text string `json:"text"`
}

// fold adds the note to the log, and changes nothing else.
func (b *NoteBody) fold(s *State, e Event) error {
	s.note(e, b.Text, "")
	return nil
}

// Attach records measurements that belong to no round: earlier ones, or measurements from elsewhere. They guide the next
// measurements, and a posterior uses them fully. Attach is a Tell whose rows have no ids. Its sheet may come from
// elsewhere, and so the column campaign_chain of the sheet is not checked.
type Attach Tell

var attachEntry = Entry{
	Name: "attach", Synonyms: []string{"attach_data"}, New: func() Act { return new(Attach) }, Sheet: true,
	Doc: "records earlier or other measurements, task,arm,reward or task,arm,count,mean,sd, that belong to no round. They guide what is " +
		"measured next. Tests do not use them for decisions; posterior methods use all of them. Rows already attached are skipped, also from " +
		"a renamed file",
	Example: `attach("days", "pilot.csv", by="Ann")`,
	Short:   "Record earlier measurements, or measurements from elsewhere",
	Long: "Record measurements that the campaign did not ask for. The file has the columns of the problem's\n" +
		"table; or task,arm,reward; or task,arm,count,mean,sd. CoTestFC uses them only to plan;\n" +
		"CoBayesFC uses them fully.",
}

// Params implements Act.
func (a *Attach) Params() []Param {
	// the last parameter is about extra pulls of a round, which attached rows cannot be
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

// UpgradeBody records that a program of another revision continues the campaign. The two revisions may decide differently.
type UpgradeBody struct {
	From    int      `json:"from"` // revisions before and after, see Revision
	To      int      `json:"to"`
	Changes []string `json:"changes,omitempty"` // how decisions so far differ under the new revision, in sentences
}

// String returns the changes, without a full stop.
func (b UpgradeBody) String() string { return strings.Join(b.Changes, "; ") }

// fold sets the revision to To. From is only for people who read the log.
func (b *UpgradeBody) fold(s *State, e Event) error {
	s.Revision = b.To
	s.note(e, fmt.Sprintf("revision %d of the decisions instead of %d", b.To, b.From), "")
	return nil
}
