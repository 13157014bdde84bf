package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Correct replaces the result of the pull with an id. The round of the pull may be open or over, even if later rounds have
// begun. Results without an id cannot be corrected.
type Correct struct {
	ID         string  // as typed; an error for a mistyped id names the nearest id
	Value      float64 // reward, with the sign of the data
	Reason, By string  // the reason, required and shown in the report; the person who gives it
}

var correctEntry = Entry{
	Name: "correct", Synonyms: []string{"replace", "revise"}, New: func() Act { return new(Correct) },
	Doc: "replaces a wrong result, and shows how far the campaign is. If the round is over, later decisions are computed again. If one of " +
		"them changes, the guarantee of the answers is heuristic",
	Example: `correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")`,
	Short:   "Replace a result that was wrong",
}

// Params implements Act.
func (a *Correct) Params() []Param {
	return []Param{
		{Name: "id", Into: &a.ID, Doc: "the id of the pull", Place: "ID", Words: "an id"},
		{Name: "value", Synonyms: []string{"reward", "result"}, Into: &a.Value, Doc: "the right reward", Place: "VALUE",
			Words: "the right value"},
		reasonParam(&a.Reason), byParam(&a.By),
	}
}

// Do implements Act. It reports only the first of several faults: a missing reason, then a value that is not a reward,
// then a fault of the id. If the pull already has this value, the result is Known and nothing is recorded.
func (a *Correct) Do(_ context.Context, at Doing) (Done, error) {
	it, err := (&teller{state: at.State}).item(a.ID)
	switch missing := reasoned(a.Reason, nil); {
	case missing != nil:
		return Done{}, missing
	case problem.CheckReward(a.Value) != nil:
		return Done{}, problem.CheckReward(a.Value)
	case err != nil:
		return Done{}, err
	case it.result == nil:
		return Done{}, fmt.Errorf("%s has no result to correct. Record one with tell", it.ID)
	case it.result.count() > 1:
		return Done{}, fmt.Errorf("%s is one of %d results recorded as a mean. A single result of a mean cannot be corrected", it.ID,
			it.result.count())
	}
	var events []Event
	if it.result.Reward != a.Value {
		events = []Event{NewEvent(KindCorrect, at.Now, a.By, CorrectBody{ID: it.ID, Old: it.result.Reward, Reward: a.Value, Reason: a.Reason})}
	}
	return recordedOnce(events, fmt.Sprintf("recorded: %s is %g", a.ID, a.Value), nil)
}

// CorrectBody replaces a result.
type CorrectBody struct {
	ID     string  `json:"id"`     // id of the pull, as issued
	Old    float64 `json:"old"`    // the previous value, for people who read the log: fold uses the value in the state
	Reward float64 `json:"reward"` // the new value, with the sign of the data
	Reason string  `json:"reason"` // never ""
}

// fold replaces the result, and keeps the old value, so that a sheet that still has the old value causes no conflict.
// Plans based on the old value stay recorded. The replay computes which decisions follow from the new one.
func (b *CorrectBody) fold(s *State, e Event) error {
	it := s.items[b.ID]
	if it == nil || it.result == nil {
		return fmt.Errorf("id %s has no result", b.ID)
	}
	it.result.old = append(it.result.old, it.result.Reward)
	it.result.Reward, it.result.Censored = b.Reward, 0
	s.reopened = s.done != nil
	s.note(e, fmt.Sprintf("%s corrected from %g to %g", b.ID, b.Old, b.Reward), b.Reason)
	return nil
}

// FailureRule is the rule for people who report pulls as failed or close a round, for any problem.
const FailureRule = `a reaction that ran and gave nothing is a result: record the worst possible reward (a yield of 0; with goal="min" the largest loss). ` + givenBack

const givenBack = "Use fail and close only if the reason is independent of the option, such as a broken vial"

// Fail reports pulls that were not measured. They are handed out again under other ids; a round of blocks continues
// without them.
type Fail struct {
	IDs        []string // as typed; ids that failed before are skipped
	Reason, By string
}

var failEntry = Entry{
	Name: "fail", Synonyms: []string{"give_back"}, New: func() Act { return new(Fail) },
	Doc: "reports pulls that were not measured, and shows how far the campaign is; they are handed out again. " +
		sentence.Upper(FailureRule),
	Example: `fail("days", ["K7M2PQ"], reason="the vial broke")`,
	Short:   "Report measurements that could not be made",
	Long:    "Report measurements that could not be made. They are handed out again.\n\n" + sentence.Upper(FailureRule) + ".",
}

// Params implements Act.
func (a *Fail) Params() []Param {
	return []Param{
		{Name: "ids", Synonyms: []string{"id"}, Into: &a.IDs, Doc: "the id of a pull, or a list of ids", Place: "ID...", Words: "ids",
			Hint: `write "K7M2PQ", or ["K7M2PQ", "M3R8TX"]: ids of a list of ask`},
		reasonParam(&a.Reason), byParam(&a.By),
	}
}

// Do implements Act.
func (a *Fail) Do(_ context.Context, at Doing) (Done, error) {
	// the message of a refusal and that of a success both show the rule, because wrongly reported failures bias answers
	rule := at.Protocol.FailureRule()
	if err := reasoned(a.Reason, rule); err != nil {
		return Done{}, err
	}
	t := &teller{state: at.State}
	b := FailBody{Reason: a.Reason}
	for _, text := range a.IDs {
		it, err := t.item(text)
		switch {
		case err != nil:
			return Done{}, err
		case it.result != nil:
			return Done{}, fmt.Errorf("%s has the result %g. To replace it, use correct", it.ID, it.result.Reward)
		case it.failed != "":
			continue // reported before
		}
		b.IDs = lists.Add(b.IDs, it.ID)
	}
	var events []Event
	if len(b.IDs) > 0 {
		events = []Event{NewEvent(KindFail, at.Now, a.By, b)}
	}
	return recordedOnce(events, fmt.Sprintf("recorded: no result for %s; %s", strings.Join(a.IDs, ", "), rule), nil)
}

// FailBody reports pulls that could not be measured.
type FailBody struct {
	IDs    []string `json:"ids"` // ids of the failed pulls, each once
	Reason string   `json:"reason"`
	// of a sheet whose rows have no ids: its rows without a value. IDs includes the pulls of these rows
	Rows     []FailedRow `json:"rows,omitempty"`
	Sheet    string      `json:"sheet,omitempty"`
	Attached bool        `json:"attached,omitempty"` // the rows belong to no round
}

// FailedRow is a row without an id whose measurement was attempted and gave no value.
type FailedRow struct {
	Arm  int  `json:"arm"`            // its number when the failure was recorded; in a State the present one
	Row  int  `json:"row"`            // index among the rows of the arm in its sheet
	Pull bool `json:"pull,omitempty"` // IDs of the event includes the pull of this row
}

// fold marks pulls as failed. A pull with a result cannot fail; a failed pull may still get a result.
func (b *FailBody) fold(s *State, e Event) error {
	for _, id := range b.IDs {
		it := s.items[id]
		if it == nil || it.result != nil {
			return fmt.Errorf("id %s was never issued, or has a result", id)
		}
		it.failed = Plain(b.Reason)
	}
	key := sheetKey{b.Attached, Plain(b.Sheet), e.By}
	for _, x := range b.Rows {
		if x.Arm < 0 || x.Arm >= len(s.taskOf) {
			return fmt.Errorf("there is no arm %d", x.Arm)
		}
		s.failedRows = append(s.failedRows, &failedRow{x, key})
	}
	what := fmt.Sprintf("%s without result: %s", pulls(len(b.IDs)), sentence.List(b.IDs, 8))
	if len(b.IDs) == 0 {
		what = fmt.Sprintf("%s of %q without a value", sentence.Count(len(b.Rows), "row"), b.Sheet)
	}
	s.note(e, what, b.Reason)
	return nil
}

// failedRow is a FailedRow with its sheet.
type failedRow struct {
	FailedRow
	sheet sheetKey
}

// Close ends the open round with the results so far. If Round names a round that has ended, nothing changes. Do returns an
// error if the algorithm has fixed rounds. If Round is 0 and no pull of the open round was handed out, Do also returns an
// error: the person probably repeats an earlier close.
type Close struct {
	Round      int // from 1; 0 for the open round
	Reason, By string
}

var closeEntry = Entry{
	Name: "close", Synonyms: []string{"end_round"}, New: func() Act { return new(Close) }, Plans: true,
	Doc: "ends an open round with the results so far, and shows how far the campaign is; a finished round does not change. " +
		sentence.Upper(FailureRule),
	Example: `close("days", round=3, reason="the freezer failed")`,
	Short:   "End the open round with the results so far",
	Long: "End the open round with the results so far. With --round, a round that is already over does not change.\n\n" +
		sentence.Upper(FailureRule) + ".",
}

// Params implements Act.
func (a *Close) Params() []Param {
	return []Param{
		{Name: "round", Into: &a.Round, Range: fromOne, Doc: "the number of the round",
			Flag: "`NUMBER` of the round to end (default: the open one, if any of its pulls was handed out)"},
		reasonParam(&a.Reason), byParam(&a.By),
	}
}

// Refusable implements the interface of this name. Algorithms with fixed rounds refuse Close.
func (a *Close) Refusable() {}

// Closing states the effect of closing the open round.
type Closing struct {
	Round    int        `json:"round"`             // the open round
	Planned  int        `json:"planned"`           // planned pulls, without pulls of withdrawn arms
	Measured int        `json:"measured"`          // measured pulls of all arms, including extra ones
	Lost     int        `json:"lost"`              // planned pulls without a result
	PValue   *float64   `json:"p_value,omitempty"` // of the test whether losses are random, see LossTest; nil if it was not made
	Worst    []LossLine `json:"worst,omitempty"`   // arms that lost more pulls than chance explains
	Rule     Note       `json:"sentence"`          // the rule of failures, for the person who closes the round
}

// Do implements Act.
func (a *Close) Do(_ context.Context, at Doing) (Done, error) {
	if a.Round != 0 {
		if over, err := at.ended(a.Round); err != nil || over {
			return Done{Known: over, Text: fmt.Sprintf("round %d was already over, so nothing was recorded", a.Round)}, err
		}
	}
	// Closing is returned even with an error: a command shows it, and then asks for the reason
	r := at.open()
	if r == nil {
		return Done{}, errors.New("no round is open")
	}
	planned, lost := at.pulls(r)
	c := Closing{Round: r.plan.Round, Planned: lists.Total(planned), Measured: r.measured(), Lost: lists.Total(lost),
		Rule: at.Protocol.FailureRule()}
	c.PValue, c.Worst = LossTest(at.Protocol, planned, lost)
	out := Done{Closing: &c, Warnings: lists.Map(c.Worst, LossLine.Warning)}
	if err := reasoned(a.Reason, c.Rule); err != nil {
		return out, err
	}
	// after a close the next round is planned at once; a repeated close probably means the previous round, and must not
	// end the new one
	if a.Round == 0 && len(r.filled) == 0 && !slices.ContainsFunc(at.order, func(it *item) bool { return it.round == r.plan.Round }) {
		return out, fmt.Errorf("no pull of round %d is handed out yet, so nothing was closed. To close it anyway, write --round %[1]d", c.Round)
	}
	out.Text = fmt.Sprintf("round %d is closed with %d of %d pulls; %s", c.Round, c.Measured, c.Planned, c.Rule)
	out.Events = []Event{NewEvent(KindClose, at.Now, a.By, CloseBody{Round: c.Round, Lost: c.Lost, PValue: c.PValue, Reason: a.Reason})}
	return out, nil
}

// CloseBody ends the open round.
type CloseBody struct {
	Round  int      `json:"round"`             // the open round
	Lost   int      `json:"lost"`              // planned pulls without a result
	PValue *float64 `json:"p_value,omitempty"` // of the test whether losses are random, see LossTest; nil if it was not made
	Reason string   `json:"reason"`            // from the person who closed it, the rule that ended it early, or the run that continued
	Early  bool     `json:"early,omitempty"`   // CloseEarly ended the round because its missing results are late
}

// fold ends the round. Outstanding pulls keep their ids: their results count as late.
func (b *CloseBody) fold(s *State, e Event) error {
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	r.closed, r.reason, r.early = e.Seq, Plain(b.Reason), b.Early
	if b.Early {
		return nil // it happens nearly every day, and is not a person's decision
	}
	s.note(e, fmt.Sprintf("round %d closed with %s lost", b.Round, pulls(b.Lost)), b.Reason)
	return nil
}
