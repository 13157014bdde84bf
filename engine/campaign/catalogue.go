package campaign

// This file lists the kinds of events, the body of each, and the acts by which people record them. An act and its event
// have a file of their own.

// Kind states what an event records.
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
	KindAttach  Kind = "attach"  // TellBody: measurements from before the campaign, or from elsewhere
	KindAmend   Kind = "amend"   // AmendBody: the protocol changes
	KindUpgrade Kind = "upgrade" // UpgradeBody: a program that decides otherwise continues
	KindNote    Kind = "note"    // NoteBody: words for the report
)

// recorded is the body of an event.
type recorded interface {
	// fold takes the event into the state. An error means that the event does not fit those before it; the state
	// is half changed then, and must not be used any more.
	fold(s *State, e Event) error
}

// bodies maps each kind of event to its body. Recorded events must stay readable: their hashes are part of the chain.
// Bodies may get further fields, which are zero in earlier events. A field must not get another name or meaning.
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

// Acts is the table of acts.
func Acts() []Entry {
	return []Entry{tellEntry, amendEntry, failEntry, correctEntry, closeEntry, attachEntry, noteEntry}
}

// Entry is a row of the table of acts. Scripts, commands and cells of notebooks have the acts that are in it.
type Entry struct {
	Name     string     // name of the function and of the command
	Synonyms []string   // of the function of scripts
	Doc      string     // description of the function of scripts, one line; "" where they have none
	Example  string     // example of the function of scripts
	Short    string     // of the command, one line
	Long     string     // of the command
	New      func() Act // an act whose arguments are all at their defaults
	Sheet    bool       // it takes a sheet of results, and shows a Receipt
	Plans    bool       // the next round is planned at once, and not at the next request: earlier measurements come from several sheets
}

// Next reports whether the next round is planned at once after an act. It is not after acts that changed nothing.
func (e Entry) Next(done Done) bool {
	return e.Plans && !done.Known && (done.Receipt == nil || done.Receipt.Taken)
}
