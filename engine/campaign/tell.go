package campaign

import (
	"context"
	"errors"
	"path/filepath"
)

// Tell records the results of a sheet: of pulls by their ids, or of arms.
type Tell struct {
	File File // its name is that of the sheet, where TellOptions has none
	TellOptions

	results Results
}

var tellEntry = Entry{
	Name: "tell", Synonyms: []string{"observe", "record"}, New: func() Act { return new(Tell) }, Sheet: true, Plans: true,
	Doc: "records results from a CSV file: id,reward; or task,arm,reward; or task,arm,count,mean,sd. Rows without a reward are not measured yet, " +
		"and rows told before are known: the same growing sheet can be told every day",
	Example: `tell("days", "results.csv", by="Ann")`,
	Short:   "Record results",
	Long: `Record the results of a sheet: id,reward; or task,arm,reward; or
task,arm,count,mean,sd. Rows without a reward are not measured yet, rows told before
are known: the same growing sheet can be told every evening. Where a row is wrong
nothing is recorded, unless --take-good takes the others. - is standard input.
Values may have decimal commas where the table of the problem has them.`,
}

// Params implements Act.
func (a *Tell) Params() []Param {
	file := fileParam(&a.File, "results")
	file.Synonyms = []string{"path", "results", "data"}
	return append([]Param{file, byParam(&a.By)}, a.params()...)
}

// params are the options of sheets.
func (o *TellOptions) params() []Param {
	return []Param{
		{Name: "sure", Into: &o.Sure, Doc: "rewards that look like slips are right"},
		{Name: "take_good", Into: &o.TakeGood, Doc: "take the good rows of a file in which others are wrong", Flag: "take the good rows of a sheet in which others are wrong"},
		{Name: "extra", Into: &o.Extra, Doc: "rows without ids beyond the open pulls are extra measurements"},
	}
}

// Prepare implements Prepared.
func (a *Tell) Prepare(p Protocol) (err error) {
	a.Sheet = sheetName(a.File, a.Sheet)
	a.results, err = ReadResults(p, a.File.Content, a.Sheet, KindTell)
	return err
}

// sheetName returns the name of the sheet that a file is: the one stated, else that of the file.
func sheetName(f File, stated string) string {
	if stated != "" || f.Path == "" {
		return stated
	}
	return filepath.Base(f.Path)
}

// Do implements Act: it matches the sheet with what is open. Its error is of the sheet as a whole.
func (a *Tell) Do(ctx context.Context, at Doing) (Done, error) {
	if err := at.checkChain(a.results); err != nil {
		return Done{}, err
	}
	t := newTeller(at.Moment, a.TellOptions)
	if r := at.open(); a.results.set > 0 && r != nil && r.plan.Sides != nil {
		return Done{}, errors.New("arms are measured side by side, and rows without ids do not say in which block: " +
			"keep the column id of the list")
	}
	if a.results.set > 0 {
		t.byArms(ctx, a.results, KindTell)
	} else {
		for _, row := range a.results.sheet.Rows {
			if ctx.Err() != nil {
				break
			}
			t.byID(row, a.results.sheet.Columns)
		}
	}
	if err := ctx.Err(); err != nil {
		return Done{}, err
	}
	t.receipt.Notes = a.results.sheet.Notes() // known once numbers were read
	return t.finish(a.results.hash), nil
}

// TellOne records the result of one id. It is an act of programs, which tell one result at a time.
type TellOne struct {
	ID     string
	Reward float64 // with the sign of the data
	TellOptions
}

// Params implements Act.
func (a *TellOne) Params() []Param { return nil }

// Do implements Act.
func (a *TellOne) Do(_ context.Context, at Doing) (Done, error) {
	t := newTeller(at.Moment, a.TellOptions)
	if it, err := t.item(a.ID); err != nil {
		t.say(0, a.ID, RowUnknown, "%s", err)
	} else {
		t.one(0, it, ResultRecord{Reward: a.Reward})
	}
	return t.finish(""), nil
}
