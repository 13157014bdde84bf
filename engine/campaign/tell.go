package campaign

import (
	"cmp"
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

// Tell records the results of a sheet. A row names a pull by its id, or an arm. Tell may be repeated: results recorded
// before are known. The receipt reports mistakes in rows; they are not errors.
type Tell struct {
	File File // its base name is the sheet's name if TellOptions.Sheet is ""
	TellOptions

	results Results // the parsed sheet, set by Prepare
}

var tellEntry = Entry{
	Name: "tell", Synonyms: []string{"observe", "record"}, New: func() Act { return new(Tell) }, Sheet: true, Plans: true,
	Doc: "records results from a CSV file with the columns id,reward; or task,arm,reward; or task,arm,count,mean,sd. A row without a " +
		"reward is not measured yet. A text without digits, such as vial broken, means that the measurement failed, as in best; a reaction " +
		"without product is a result: enter 0. Rows already recorded are skipped, so the same growing sheet can be recorded every day",
	Example: `tell("days", "results.csv", by="Ann")`,
	Short:   "Record results",
	Long: `Record the results of a sheet. Its columns are id,reward; or task,arm,reward; or
task,arm,count,mean,sd. Rows without a reward are not measured yet, and rows already recorded
are skipped, so you can record the same growing sheet every evening. A text without digits,
such as "vial broken", NaN and inf mean that the measurement failed, as in best; it is handed
out again. A reaction without product is a result: enter 0. If a row is wrong, nothing is
recorded. With --take-good, the good rows are recorded. A file named - is standard input.
Values may have decimal commas if the problem's table has them.`,
}

// Params implements Act.
func (a *Tell) Params() []Param {
	file := fileParam(&a.File, "results")
	file.Synonyms = []string{"path", "results", "data"}
	return append([]Param{file, byParam(&a.By)}, a.params()...)
}

// params returns the arguments that acts with a sheet share. Attach relies on their order.
func (o *TellOptions) params() []Param {
	return []Param{
		{Name: "sure", Into: &o.Sure, Doc: "accept rewards that look like typing errors"},
		{Name: "take_good", Into: &o.TakeGood, Doc: "record the good rows of a file in which others are wrong",
			Flag: "record the good rows of a sheet in which others are wrong"},
		{Name: "again", Into: &o.Again, Doc: "rows with the same values as recorded results are further measurements, not copies",
			Flag: "rows with the same values as recorded ones are further measurements, not copies"},
		{Name: "tolerance", Into: &o.Tolerance, Optional: true, Hint: `write tolerance="temp=0.5", or a list of these`,
			Doc:  `largest difference between a setting of a row and the arm's, for rows that name arms by columns: "temp=0.5", or a list of these`,
			Flag: "accept settings that differ from an arm's by at most `COLUMN=AMOUNT`, such as temp=0.5 (repeatable)"},
		{Name: "extra", Into: &o.Extra, Doc: "if a sheet has more rows without ids than open measurements, record the rest as extra"},
	}
}

// Prepare implements Prepared.
func (a *Tell) Prepare(ctx context.Context, p Protocol) error { return a.prepare(ctx, p, KindTell) }

// prepare parses the sheet, before the lock is held. do checks later whether the rows fit the campaign.
func (a *Tell) prepare(ctx context.Context, p Protocol, kind Kind) (err error) {
	if a.Sheet == "" && a.File.Path != "" {
		a.Sheet = filepath.Base(a.File.Path)
	}
	a.results, err = ReadResults(ctx, p, a.File.Content, a.Sheet, kind)
	return err
}

// Do implements Act: it matches the rows with the open pulls. It returns an error if the sheet as a whole is wrong:
// another copy of the campaign made it, or it lacks the ids that blocks need. No row is then processed.
func (a *Tell) Do(ctx context.Context, at Doing) (Done, error) {
	if err := at.checkChain(a.results); err != nil {
		return Done{}, err
	}
	if r := at.open(); a.results.set > 0 && r != nil && r.plan.Sides != nil {
		return Done{}, errors.New("arms are measured in blocks, and rows without ids do not name their block. Keep the column id of the list")
	}
	return a.do(ctx, at, KindTell, a.results.hash)
}

// do processes every row, and then decides whether to record all of them. If the context ends first, nothing is recorded.
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
	t.receipt.Notes = a.results.sheet.Notes() // complete only after all numbers were read
	return t.finish(kind, hash), nil
}

// TellOne records the result of one pull, for programs that record results one by one. It is not in the table of acts, and
// needs no Prepare. As for a sheet, the receipt reports an unknown id.
type TellOne struct {
	ID     string  // id of the pull, as typed
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

// notesOf returns the content of a row other than its result, as one text. It contains the note, the laboratory's own
// columns, and settings that differ from the arm's. It leaves out planned settings and the columns of lists and tables.
func (t *teller) notesOf(row problem.SheetRow, columns []string, arm int) string {
	var parts []string
	if note := row.Text("note"); note != "" {
		parts = append(parts, note)
	}
	p := t.protocol
	parts = append(parts, p.changed(row, columns, arm)...)
	for _, c := range columns {
		text := row.Text(c)
		switch {
		case text == "" || slices.Contains(ownColumns, c) || slices.Contains(blockColumns(p.Problem), c) || p.setting(c) >= 0:
		case strings.HasPrefix(c, "x_") || strings.HasPrefix(c, "z_") || slices.Contains(p.Problem.Tasks.Columns, c):
		default:
			parts = append(parts, c+"="+text)
		}
	}
	return strings.Join(parts, "; ")
}

// setting returns the number of the feature of arms that a column has; -1 if it has none.
func (p Protocol) setting(column string) int {
	return slices.Index(p.Problem.Arms.Columns, formulas.Unguard(column))
}

// changed returns the settings of a row that differ from those of its arm, as "temp=200 instead of 180".
func (p Protocol) changed(row problem.SheetRow, columns []string, arm int) (out []string) {
	for _, c := range columns {
		own := slices.Contains(ownColumns, c) || slices.Contains(blockColumns(p.Problem), c)
		if k := p.setting(c); k >= 0 && !own && row.Text(c) != "" && !p.sameSetting(row, k, arm) {
			out = append(out, fmt.Sprintf("%s=%s instead of %s", c, row.Text(c), p.Problem.ArmText(k, arm)))
		}
	}
	return out
}

// sameSetting reports whether a row has the planned value of feature c of an arm. Texts must be equal; numbers must be
// equal to 12 digits, because spreadsheets keep no more.
func (p Protocol) sameSetting(row problem.SheetRow, c, arm int) bool {
	column := p.Problem.Arms.Columns[c]
	if cell, text := row.Text(column), p.Problem.ArmText(c, arm); cell == text || formulas.Unguard(cell) == text {
		return true
	}
	x, err := row.Number(column)
	return err == nil && p.Problem.Categories[column] == nil && rounded(x) == rounded(p.Problem.Arms.Value(c, arm))
}

// TellBody is the body of an event with results.
type TellBody struct {
	Sheet   string         `json:"sheet,omitempty"`  // name of the file
	SHA256  string         `json:"sha256,omitempty"` // SHA-256 of the sheet; "" for a single result
	Results []ResultRecord `json:"results"`          // in the order of the rows
}

// ResultRecord is one result. Rewards have the sign of the data.
//
// A result has an ID, or Number, Slots and Fills name its pulls. Number is the first pull; Slots are the further pulls of
// a mean. An attached result belongs to no pull.
type ResultRecord struct {
	ID     string   `json:"id,omitempty"`     // id in the row; "" for a result by arm
	Arm    int      `json:"arm"`              // number of the arm when the result was recorded; in a State, its present number
	Number int      `json:"number,omitempty"` // number of its pull; rewards are summed in this order
	Fills  []string `json:"fills,omitempty"`  // ids of the pulls whose result it is, if the row had no id
	Slots  []int    `json:"slots,omitempty"`  // numbers of the further pulls of a mean
	Count  int      `json:"count,omitempty"`  // number of rewards; 0 means 1
	Reward float64  `json:"reward"`           // mean of Count rewards
	// -1 if the true value is at most Reward ("<0.05"), +1 if it is at least Reward; otherwise 0
	Censored int8    `json:"censored,omitempty"`
	Squares  float64 `json:"squares,omitempty"` // Σ (reward - mean)² of the rewards in a mean, reward units²
	Plate    string  `json:"plate,omitempty"`   // plate of the measurement, if not the planned one
	Block    string  `json:"block,omitempty"`   // block of the measurement, from the problem's block columns
	Row      int     `json:"row,omitempty"`     // without an id: index of the row among the sheet's rows of the arm
	Note     string  `json:"note,omitempty"`    // further text of the row
	Sure     string  `json:"sure,omitempty"`    // the warning about the value, which the person confirmed

	// used only while a sheet is read
	line  int    // line of the sheet
	round string // text in the row's column round
}

// sheetKey identifies the sheet of a row without an id. Phones and instruments give all their files the same name, so the
// key also contains the person.
type sheetKey struct {
	attached bool   // recorded by attach
	name, by string // name of the sheet, and of the person who recorded it
}

// fold adds results to the state. The kind of the event decides whether they belong to the open round, to an ended round
// or to no round: the recording program determined it under the lock. Results of the open round are summed; all others are
// guides (State.guides).
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
		// the same rows are then known when the sheet is recorded again
		if x.ID == "" {
			key := sheetKey{e.Kind == KindAttach, b.Sheet, e.By}
			s.sheets[key] = append(s.sheets[key], m)
		}
		// a mean is the result of each pull that it fills
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
		// the pulls are now assigned; extra pulls have numbers after the planned ones
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

// The outcomes of a row in a sheet of results.
const (
	RowNew      = "new"      // recorded
	RowKnown    = "known"    // recorded before, with this value
	RowLate     = "late"     // of an ended round: it guides measurements, and tests do not decide by it
	RowFailed   = "failed"   // recorded as a pull without result
	RowWaiting  = "waiting"  // no reward yet
	RowConflict = "conflict" // recorded before, with another value
	RowUnknown  = "unknown"  // no such id
	RowBad      = "bad"      // cannot be read, or is impossible
	RowSure     = "unlikely" // may be a typing error: --sure confirms it
)

// Receipt reports the outcome of every row of a sheet. The caller gets it after the results are on disk. Round, Remaining,
// Over, Hash and Chain are set then, and describe the state with the results.
type Receipt struct {
	Campaign  string         `json:"campaign"`        // name of the campaign
	Sheet     string         `json:"sheet,omitempty"` // name of the sheet
	Taken     bool           `json:"taken"`           // something was recorded
	Counts    map[string]int `json:"counts"`          // number of rows by outcome, such as RowNew
	Lines     []ReceiptLine  `json:"lines"`           // remarks on rows; simply new, known and waiting rows have none
	Round     int            `json:"round,omitempty"` // the open round, otherwise the last one
	Remaining int            `json:"left"`            // pulls of the open round without result
	Over      bool           `json:"round_over"`      // whether the open round has all its results
	Notes     []problem.Note `json:"notes,omitempty"` // how the sheet was read, if this is not obvious
	Hash      string         `json:"hash,omitempty"`  // hash of the last event
	Chain     string         `json:"chain,omitempty"` // see State.Chain
	ByArm     bool           `json:"-"`               // the sheet has no ids, and so is not a list from Ask
}

// ReceiptLine is a remark on a row of a sheet.
type ReceiptLine struct {
	Line int    `json:"line,omitempty"` // line of the file, from 1; 0 for a result without a sheet
	ID   string `json:"id,omitempty"`   // id, as typed or as issued
	Kind string `json:"kind"`           // RowConflict or another outcome
	Text string `json:"text,omitempty"` // the fault or irregularity
}

// Refused reports whether some row was rejected. Nothing of the sheet is then recorded, except with TakeGood.
func (r Receipt) Refused() bool {
	return r.Counts[RowConflict]+r.Counts[RowUnknown]+r.Counts[RowBad]+r.Counts[RowSure] > 0
}

// Words returns the counts of accepted and of rejected rows in words, such as "23 new, 2 without a result yet" and
// "1 unlikely"; "" for none.
func (r Receipt) Words() (good, wrong string) {
	longer := map[string]string{RowKnown: "already recorded", RowWaiting: "without a result yet", RowUnknown: "with an unknown id",
		RowBad: "with wrong cells"}
	list := func(kinds ...string) string {
		kinds = lists.Where(kinds, func(kind string) bool { return r.Counts[kind] > 0 })
		return strings.Join(lists.Map(kinds, func(kind string) string {
			return fmt.Sprintf("%d %s", r.Counts[kind], cmp.Or(longer[kind], kind))
		}), ", ")
	}
	return list(RowNew, RowKnown, RowLate, RowFailed, RowWaiting), list(RowConflict, RowUnknown, RowBad, RowSure)
}

// Unsaved returns an error if a sheet contains results or notes of the list's pulls that are not recorded yet: writing the
// list over the sheet would lose them. It returns nil if the file is not a sheet of results. Rows of other lists are
// ignored.
func (l List) Unsaved(ctx context.Context, name string, sheet []byte) error {
	s, _, err := problem.ReadSheet(ctx, name, sheet, nil, []string{"id", "reward"})
	if err != nil {
		return ctx.Err()
	}
	// by id: whether its result is missing
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

// Unsaved returns an error if the receipt of a preview contains rows that are not recorded yet.
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
