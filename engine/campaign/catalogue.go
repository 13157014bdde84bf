package campaign

// This file lists the kinds of events with their bodies, and the acts that record events. Each act is in a file of its
// own, together with its event.

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	KindStart   Kind = "start"   // StartBody: the protocol is fixed
	KindPlan    Kind = "plan"    // PlanBody: the previous round ends, and a round begins or the campaign is decided
	KindAsk     Kind = "ask"     // AskBody: pulls are handed out
	KindTell    Kind = "tell"    // TellBody: results of the open round
	KindFail    Kind = "fail"    // FailBody: pulls that gave no result
	KindCorrect Kind = "correct" // CorrectBody: a result was wrong
	KindClose   Kind = "close"   // CloseBody: the open round ends with the results so far
	KindLate    Kind = "late"    // TellBody: results of a round that has ended
	KindAttach  Kind = "attach"  // TellBody: measurements from before the campaign, or from elsewhere
	KindAmend   Kind = "amend"   // AmendBody: the protocol changes
	KindUpgrade Kind = "upgrade" // UpgradeBody: a program of another revision continues
	KindNote    Kind = "note"    // NoteBody: words for the report
)

// recorded is the interface of the body of an event.
type recorded interface {
	// fold applies the event to the state. It returns an error if the event contradicts earlier events. The state is then
	// partly changed, and must not be used any more.
	fold(s *State, e Event) error
}

// bodies maps each kind of event to a constructor of its body. Recorded events must stay readable: their hashes are part
// of the chain. Bodies may get further fields, whose zero value holds for earlier events. A field must never change its
// name or meaning.
var bodies = map[Kind]func() recorded{
	KindStart:   func() recorded { return new(StartBody) },
	KindPlan:    func() recorded { return new(PlanBody) },
	KindAsk:     func() recorded { return new(AskBody) },
	KindTell:    func() recorded { return new(TellBody) },
	KindFail:    func() recorded { return new(FailBody) },
	KindCorrect: func() recorded { return new(CorrectBody) },
	KindClose:   func() recorded { return new(CloseBody) },
	KindLate:    func() recorded { return new(TellBody) },
	KindAttach:  func() recorded { return new(TellBody) },
	KindAmend:   func() recorded { return new(AmendBody) },
	KindUpgrade: func() recorded { return new(UpgradeBody) },
	KindNote:    func() recorded { return new(NoteBody) },
}

// Acts returns the table of acts.
func Acts() []Entry {
	return []Entry{tellEntry, amendEntry, failEntry, correctEntry, closeEntry, attachEntry, noteEntry}
}

// Entry is a row of the table of acts. Each act in the table is available in scripts, as a command and in notebook cells.
type Entry struct {
	Name     string     // name of the script's function and of the command
	Synonyms []string   // other names of the script's function that its error messages recognise
	Doc      string     // description of the script's function, one line; "" if scripts do not have the act
	Example  string     // example call in a script
	Short    string     // description of the command, one line
	Long     string     // longer description of the command
	New      func() Act // returns an act with default arguments
	Sheet    bool       // the act reads a sheet of results, and returns a Receipt
	Plans    bool       // the next round is planned right after the act. Not for earlier measurements: they often come from several sheets
}

// Next reports whether the next round is planned right after an act. It is false if the act changed nothing.
func (e Entry) Next(done Done) bool {
	return e.Plans && !done.Known && (done.Receipt == nil || done.Receipt.Taken)
}
