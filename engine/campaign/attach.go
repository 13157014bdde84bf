package campaign

import "context"

// Attach records measurements of before, or from elsewhere, that are of no round: they guide what is measured next, and a
// posterior takes them whole.
type Attach struct {
	File File // its name is that of the sheet
	TellOptions

	results Results
}

var attachEntry = Entry{
	Name: "attach", Synonyms: []string{"attach_data"}, New: func() Act { return new(Attach) }, Sheet: true,
	Doc: "records measurements task,arm,reward or task,arm,count,mean,sd of before, or from elsewhere, that are of no round. They guide what is measured and decide nothing in tests; " +
		"methods that go by a posterior take them whole. Rows attached before are known",
	Example: `attach("days", "pilot.csv", by="Ann")`,
	Short:   "Record measurements of before, or from elsewhere",
	Long: "Record measurements task,arm,reward or task,arm,count,mean,sd that belong to no round.\n" +
		"They guide what is measured next. A test decides nothing by them; a posterior uses them like all others.",
}

// Params implements Act.
func (a *Attach) Params() []Param {
	return append([]Param{fileParam(&a.File, "measurements"), byParam(&a.By)}, a.params()[:2]...)
}

// Prepare implements Prepared.
func (a *Attach) Prepare(p Protocol) (err error) {
	a.Sheet = sheetName(a.File, a.Sheet)
	a.results, err = ReadResults(p, a.File.Content, a.Sheet, KindAttach)
	return err
}

// Do implements Act.
func (a *Attach) Do(ctx context.Context, at Doing) (Done, error) {
	t := newTeller(at.Moment, a.TellOptions)
	t.byArms(ctx, a.results, KindAttach)
	if err := ctx.Err(); err != nil {
		return Done{}, err
	}
	t.receipt.Notes = a.results.sheet.Notes() // known once numbers were read
	if !a.Sure {
		t.late = t.without(t.late, RowNew)
	} else {
		t.confirm()
	}
	out := Done{Receipt: &t.receipt}
	if t.receipt.Refused() && !a.TakeGood || len(t.late) == 0 {
		return out, nil
	}
	t.receipt.Taken = true
	out.Events = []Event{NewEvent(KindAttach, at.Now, t.opt.By, TellBody{Sheet: t.opt.Sheet, Results: t.late})}
	return out, nil
}
