package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Tell records the results of a sheet: of pulls by their ids, or of arms. It can be repeated: results that are already
// recorded are known. Mistakes in a row are in the receipt and are not an error.
type Tell struct {
	File File // its name is the sheet's, where TellOptions has none
	TellOptions

	results Results // the sheet, as Prepare read it
}

var tellEntry = Entry{
	Name: "tell", Synonyms: []string{"observe", "record"}, New: func() Act { return new(Tell) }, Sheet: true, Plans: true,
	Doc: "records results from a CSV file with the columns id,reward; or task,arm,reward; or task,arm,count,mean,sd. A row without a " +
		"reward is not measured yet. A text without digits, such as vial broken, means that nothing was measured; a reaction without product " +
		"is a result: enter 0. Rows already recorded are skipped, so the same growing sheet can be recorded every day",
	Example: `tell("days", "results.csv", by="Ann")`,
	Short:   "Record results",
	Long: `Record the results of a sheet: id,reward; or task,arm,reward; or
task,arm,count,mean,sd. Rows without a reward are not measured yet; rows already recorded are skipped, so the same growing sheet can
be recorded every evening. A text without digits, such as "vial broken", means that nothing
was measured; so do NaN and inf. A reaction without product is a result: enter 0.
If a row is wrong, nothing is recorded, unless --take-good records the others.
- is standard input.
Values may have decimal commas where the table of the problem has them.`,
}

// Params implements Act.
func (a *Tell) Params() []Param {
	file := fileParam(&a.File, "results")
	file.Synonyms = []string{"path", "results", "data"}
	return append([]Param{file, byParam(&a.By)}, a.params()...)
}

// params are the arguments that acts with a sheet share, in an order that Attach relies on.
func (o *TellOptions) params() []Param {
	return []Param{
		{Name: "sure", Into: &o.Sure, Doc: "accept rewards that look like typing errors"},
		{Name: "take_good", Into: &o.TakeGood, Doc: "record the good rows of a file in which others are wrong",
			Flag: "record the good rows of a sheet in which others are wrong"},
		{Name: "again", Into: &o.Again, Doc: "rows with the same values as recorded results are further measurements, not copies",
			Flag: "rows with the same values as recorded ones are further measurements, not copies"},
		{Name: "tolerance", Into: &o.Tolerance, Optional: true, Hint: `write tolerance="temp=0.5", or a list of these`,
			Doc:  `largest difference between a setting of a row and the arm's, for rows that name arms by columns: "temp=0.5", or a list of these`,
			Flag: "`COLUMN=AMOUNT`: largest difference between a setting of a row and the arm's (repeatable)"},
		{Name: "extra", Into: &o.Extra, Doc: "rows without ids beyond the open pulls are extra measurements"},
	}
}

// Prepare implements Prepared.
func (a *Tell) Prepare(ctx context.Context, p Protocol) error { return a.prepare(ctx, p, KindTell) }

// prepare reads the sheet, before the lock is held. Whether its rows fit the campaign shows in do.
func (a *Tell) prepare(ctx context.Context, p Protocol, kind Kind) (err error) {
	if a.Sheet == "" && a.File.Path != "" {
		a.Sheet = filepath.Base(a.File.Path)
	}
	a.results, err = ReadResults(ctx, p, a.File.Content, a.Sheet, kind)
	return err
}

// Do implements Act: it matches the sheet with the open pulls. Its error concerns the sheet as a whole: it is of another
// copy of the campaign, or without the ids that blocks need. Then no row was looked at.
func (a *Tell) Do(ctx context.Context, at Doing) (Done, error) {
	if err := at.checkChain(a.results); err != nil {
		return Done{}, err
	}
	if r := at.open(); a.results.set > 0 && r != nil && r.plan.Sides != nil {
		return Done{}, errors.New("arms are measured in blocks, and rows without ids do not name their block. Keep the column id of the list")
	}
	return a.do(ctx, at, KindTell, a.results.hash)
}

// do looks at every row, and then decides about all of them together. A context that ends leaves no sheet partly
// recorded.
func (a *Tell) do(ctx context.Context, at Doing, kind Kind, hash string) (Done, error) {
	t := newTeller(at.Moment, a.TellOptions)
	t.kind, t.receipt.ByArm = kind, a.results.set > 0
	if a.results.set > 0 {
		t.byArms(ctx, a.results, kind)
	} else {
		for _, row := range a.results.sheet.Rows {
			if ctx.Err() != nil {
				break
			}
			if t.byID(row, a.results.sheet.Columns); t.guesses() {
				return Done{}, ErrGuesses
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return Done{}, err
	}
	t.receipt.Notes = a.results.sheet.Notes() // known once numbers were read
	return t.finish(kind, hash), nil
}

// TellOne records the result of one id. It is an act of programs, which record one result at a time. It is in no table
// of acts, and is not prepared. An unknown id is in the receipt, as in a sheet.
type TellOne struct {
	ID     string  // as typed
	Reward float64 // with the sign of the data
	TellOptions
}

// Params implements Act.
func (a *TellOne) Params() []Param { return []Param{byParam(&a.By)} }

// Do implements Act.
func (a *TellOne) Do(_ context.Context, at Doing) (Done, error) {
	t := newTeller(at.Moment, a.TellOptions)
	if it, err := t.item(a.ID); err != nil {
		t.say(0, a.ID, RowUnknown, "%s", err)
	} else {
		t.one(0, it, ResultRecord{Reward: a.Reward})
	}
	return t.finish(KindTell, ""), nil
}

// notesOf returns the contents of a row besides its result: its note, columns of the laboratory's own, and settings
// other than the arm's. Columns of features that repeat the planned settings are left out, and so are columns of lists
// and tables.
func (t *teller) notesOf(row problem.SheetRow, columns []string, arm int) string {
	var parts []string
	if note := row.Text("note"); note != "" {
		parts = append(parts, note)
	}
	p := t.protocol
	for _, c := range columns {
		text := row.Text(c)
		k := slices.Index(p.Problem.Arms.Columns, formulas.Unguard(c))
		switch {
		case text == "" || slices.Contains(ownColumns, c) || slices.Contains(blockColumns(p.Problem), c):
		// a feature of the arm: it has the planned value, unless the row gives the value that was really set
		case k >= 0:
			if planned := p.Problem.ArmText(k, arm); !p.sameSetting(row, k, arm) {
				parts = append(parts, fmt.Sprintf("%s=%s instead of %s", c, text, planned))
			}
		case strings.HasPrefix(c, "x_") || strings.HasPrefix(c, "z_") || slices.Contains(p.Problem.Tasks.Columns, c):
		default:
			parts = append(parts, c+"="+text)
		}
	}
	return strings.Join(parts, "; ")
}

// sameSetting reports whether a row has the planned value of feature c of an arm: the same text, or in a column of
// numbers the same one to the digits that spreadsheets keep.
func (p Protocol) sameSetting(row problem.SheetRow, c, arm int) bool {
	column := p.Problem.Arms.Columns[c]
	if cell, text := row.Text(column), p.Problem.ArmText(c, arm); cell == text || formulas.Unguard(cell) == text {
		return true
	}
	x, err := row.Number(column)
	return err == nil && p.Problem.Categories[column] == nil && rounded(x) == rounded(p.Problem.Arms.Value(c, arm))
}

// TellBody records results.
type TellBody struct {
	Sheet   string         `json:"sheet,omitempty"`  // name of the file
	SHA256  string         `json:"sha256,omitempty"` // SHA-256 of the sheet; "" of single results, and of results from before the campaign
	Results []ResultRecord `json:"results"`          // in the order of the rows
}

// ResultRecord is one result. Rewards have the sign of the data.
//
// It has an ID, or else Number, Fills and Slots name its pulls: the first is Number, the others of a mean are Slots. An
// attached result belongs to no pull.
type ResultRecord struct {
	ID     string   `json:"id,omitempty"`     // id of the row; "" of results by arm
	Arm    int      `json:"arm"`              // its number when the result was recorded; in a State the present one
	Number int      `json:"number,omitempty"` // number of its pull, by which rewards are summed
	Fills  []string `json:"fills,omitempty"`  // ids handed out that it is the result of, named by no id
	Slots  []int    `json:"slots,omitempty"`  // numbers of pulls that it fills, when it is of several
	Count  int      `json:"count,omitempty"`  // 0 means 1
	Reward float64  `json:"reward"`           // mean of Count
	// -1 where the result is at most Reward ("<0.05"), +1 if it is at least Reward
	Censored int8    `json:"censored,omitempty"`
	Squares  float64 `json:"squares,omitempty"` // Σ (reward - mean)² of the rewards behind a mean, reward units²
	Plate    string  `json:"plate,omitempty"`   // the plate of the measurement, if not the planned one
	Block    string  `json:"block,omitempty"`   // what it was measured with, by the columns of blocks of the problem
	Row      int     `json:"row,omitempty"`     // row of results without id: the place among the sheet's rows
	Note     string  `json:"note,omitempty"`    // what the row said besides
	Sure     string  `json:"sure,omitempty"`    // what spoke against the value, which was confirmed

	// while a sheet is read
	line  int    // line of the sheet
	round string // that the row says
}

// sheetKey distinguishes the rows without ids of one sheet from those of other sheets. Phones and instruments give all
// their files the same name, so that the name alone does not.
type sheetKey struct {
	attached bool   // recorded by attach
	name, by string // of the sheet, and of the person who recorded it
}

// fold takes results in: of the open round, of one that is over, or of none. The kind of the event decides which: who recorded it looked at
// the state under the lock. Results of the open round are summed; all others guide (State.guides).
func (b *TellBody) fold(s *State, e Event) error {
	b.Sheet = Plain(b.Sheet)
	if b.SHA256 != "" {
		s.read[b.SHA256] = true
	}
	for _, x := range b.Results {
		x.Note, x.Plate, x.Block, x.Sure = Plain(x.Note), Plain(x.Plate), Plain(x.Block), Plain(x.Sure)
		m := &measured{ResultRecord: x, by: e.By, at: e.At, seq: e.Seq, sheet: b.Sheet, late: e.Kind == KindLate}
		if x.Sure != "" {
			s.note(e, fmt.Sprintf("%s confirmed as %g", x.named(), x.Reward), x.Sure)
		}
		// so that the same rows are known when the sheet is recorded again
		if x.ID == "" {
			key := sheetKey{e.Kind == KindAttach, b.Sheet, e.By}
			s.sheets[key] = append(s.sheets[key], m)
		}
		// a mean is the one result of all pulls that it fills
		if x.ID != "" || len(x.Fills) > 0 {
			for _, id := range append([]string{x.ID}, x.Fills...) {
				if id == "" {
					continue
				}
				it := s.items[id]
				if it == nil {
					return fmt.Errorf("id %s was never issued", id)
				}
				it.result = m
				m.round = it.round
			}
		}
		if e.Kind != KindTell {
			s.guides = append(s.guides, m)
			continue
		}
		r := s.open()
		if r == nil || m.round != 0 && m.round != r.plan.Round {
			return fmt.Errorf("this is a result of a round that is over")
		}
		m.round = r.plan.Round
		r.results[x.Arm] = append(r.results[x.Arm], m)
		// pulls without an id are now assigned; extra ones have numbers beyond the plan
		for _, n := range append([]int{x.Number}, x.Slots...) {
			r.filled[[2]int{x.Arm, n}] = true
			r.highest[x.Arm] = max(r.highest[x.Arm], n)
		}
	}
	return nil
}

// named returns the id of a result, or its pull and arm if it has no id.
func (x ResultRecord) named() string {
	if x.ID != "" {
		return x.ID
	}
	return fmt.Sprintf("pull %d of arm %d", x.Number, x.Arm)
}

// The outcomes of a row of a sheet of results.
const (
	RowNew      = "new"      // recorded
	RowKnown    = "known"    // recorded before, with this value
	RowLate     = "late"     // of a round that is over: it guides and decides nothing
	RowFailed   = "failed"   // recorded as a pull without result
	RowWaiting  = "waiting"  // no reward yet
	RowConflict = "conflict" // recorded before, with another value
	RowUnknown  = "unknown"  // no such id
	RowBad      = "bad"      // it cannot be read, or cannot be right
	RowSure     = "unlikely" // it may be a slip: --sure confirms it
)

// Receipt reports the outcome of every row of a sheet. It is given out once the results are durable. The lines about the
// round and the last event are set then: they describe the state with the results.
type Receipt struct {
	Campaign  string         `json:"campaign"`        // its name
	Sheet     string         `json:"sheet,omitempty"` // its name
	Taken     bool           `json:"taken"`           // whether anything was recorded
	Counts    map[string]int `json:"counts"`          // counts of rows by their outcome: RowNew and the others
	Lines     []ReceiptLine  `json:"lines"`           // lines of rows that are not simply new, known or waiting
	Round     int            `json:"round,omitempty"` // the open one, else the last
	Remaining int            `json:"left"`            // pulls of the open round without result
	Over      bool           `json:"round_over"`      // whether it has all its results
	Notes     []problem.Note `json:"notes,omitempty"` // how the sheet was read, where that is not plain
	Hash      string         `json:"hash,omitempty"`  // hash of the last event
	Chain     string         `json:"chain,omitempty"` // see State.Chain
	ByArm     bool           `json:"-"`               // the sheet has no ids, and so is not a list
}

// ReceiptLine is a row of a sheet.
type ReceiptLine struct {
	Line int    `json:"line,omitempty"` // line of the file, from 1; 0 of a result without a sheet
	ID   string `json:"id,omitempty"`   // as typed, or as issued
	Kind string `json:"kind"`           // RowConflict and the others
	Text string `json:"text,omitempty"` // what is wrong or odd
}

// Refused reports whether a row was not taken because something is wrong with it. Then nothing of the sheet was, but with TakeGood.
func (r Receipt) Refused() bool {
	return r.Counts[RowConflict]+r.Counts[RowUnknown]+r.Counts[RowBad]+r.Counts[RowSure] > 0
}

// Words lists how many rows are in order and how many are not, as "23 new, 2 waiting" and "1 unlikely"; "" for none.
func (r Receipt) Words() (good, wrong string) {
	list := func(kinds ...string) string {
		kinds = lists.Where(kinds, func(kind string) bool { return r.Counts[kind] > 0 })
		return strings.Join(lists.Map(kinds, func(kind string) string { return fmt.Sprintf("%d %s", r.Counts[kind], kind) }), ", ")
	}
	return list(RowNew, RowKnown, RowLate, RowFailed, RowWaiting), list(RowConflict, RowUnknown, RowBad, RowSure)
}

// Unsaved reports a sheet that has results or notes of pulls of the list which are not recorded yet: writing the list
// over the sheet would lose them. A file that is not a sheet of results has none. Rows of other lists do not count.
func (l List) Unsaved(ctx context.Context, name string, sheet []byte) error {
	s, _, err := problem.ReadSheet(ctx, name, sheet, nil, []string{"id", "reward"})
	if err != nil {
		return ctx.Err()
	}
	// by id, whether its result is missing
	open := lists.Keyed(l.Rows, func(_ int, r ListRow) (string, bool) { return r.ID, r.Reward == nil })
	filled := 0
	for _, r := range s.Rows {
		id, err := readID(r.Text("id"))
		if err == nil && open[id] && !(r.Empty("reward") && r.Empty("status") && r.Empty("note")) {
			filled++
		}
	}
	return unsaved(name, filled)
}

// Unsaved reports a sheet with rows that were not recorded yet, by the receipt of a preview of it.
func (r Receipt) Unsaved(name string) error {
	return unsaved(name, r.Counts[RowNew]+r.Counts[RowLate]+r.Counts[RowFailed]+r.Counts[RowConflict]+r.Counts[RowUnknown]+
		r.Counts[RowBad]+r.Counts[RowSure])
}

func unsaved(name string, rows int) error {
	if rows == 0 {
		return nil
	}
	return fmt.Errorf("%s has %d %s with results that are not recorded yet. The new list would overwrite them. Record them first with "+
		"tell, or write to another file", name, rows, agreed(rows, "row", "rows"))
}
