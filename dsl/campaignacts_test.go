package dsl

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/report"
)

// started returns a session with a campaign, and the folder of its files.
// Its forecast is left out, since it takes time.
func started(t *testing.T) (*Session, string) {
	t.Helper()
	s, dir := notebookIn(t)
	cell(t, s, strings.Replace(daysScript, "runs=4", "runs=0", 1))
	cell(t, s, `c = start(days, "days")`)
	return s, dir
}

// Each act is recorded once, however often its cell is run, and the cells of several acts can be run
// again from the top.
func TestActsAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("TestActsOfPrograms does most of it")
	}
	s, dir := notebookIn(t)
	cell(t, s, posteriorScript)
	cell(t, s, `c = start(days, "days")`)
	// The acts read a table with one arm more, and the results of a pilot.
	written(t, dir, "more.csv", "task,arm,x_temperature\noak,hot,70\n")
	written(t, dir, "pilot.csv", "task,arm,reward\noak,cold,10\noak,warm,19\n")
	first := cell(t, s, `ask(c, by="Ann")`).(campaign.List)
	a, b := first.Rows[0].ID, first.Rows[1].ID
	written(t, dir, "one.csv", "id,reward\n"+b+",11\n")
	cell(t, s, `tell(c, "one.csv", by="Ann")`)
	// An act for each kind, some of them more than once.
	acts := []string{
		`amend(c, epsilon=2, reason="good enough")`,
		`amend(c, epsilon=1, reason="the plant wants more")`,
		`amend(c, delta=0.2, capacity=0, reason="no more time")`,
		`amend(c, withdraw="ash/cold", reason="sold out")`,
		`amend(c, add="more.csv", reason="a new oven")`,
		`fail(c, "` + a + `", reason="the vial broke", by="Ann")`,
		`correct(c, "` + b + `", 12, reason="misread")`,
		`attach(c, "pilot.csv")`,
		`close(c, round=1, reason="the freezer failed")`,
	}
	// Each act records something when its cell is run first.
	before := cell(t, s, `resume("days")`).(campaign.Status).Events
	for _, act := range acts {
		cell(t, s, act)
		once := cell(t, s, `resume("days")`).(campaign.Status)
		if once.Events <= before {
			t.Errorf("%s recorded nothing", act)
		}
		before = once.Events
	}
	// All of them once more, in the same order: none changes the campaign.
	end := cell(t, s, `resume("days")`).(campaign.Status)
	for _, act := range acts {
		cell(t, s, act)
		if again := cell(t, s, `resume("days")`).(campaign.Status); again.Hash != end.Hash {
			t.Fatalf("%s changes the campaign when it is run again", act)
		}
	}
	if end.Open == nil || end.Open.Round != 2 || end.Capacity != 0 || end.Failed != 1 || end.Corrected != 1 || end.Attached != 2 {
		t.Errorf("status %+v", end)
	}
	// the same change for another reason is another act
	k := cell(t, s, `amend(c, epsilon=2, reason="good enough after all")`).(campaign.Status)
	if k.Hash == end.Hash {
		t.Error("a change with a reason of its own is not made")
	}
}

// Tasks and arms may have slashes in their names.
func TestWithdrawWithSlashes(t *testing.T) {
	// A name such as Holz/B/kalt/trocken is divided where a task and an arm of the problem meet.
	s, dir := notebookIn(t)
	written(t, dir, "odd.csv", "task,arm\nHolz/B,kalt/trocken\nHolz/B,warm\nHolz/B,heiß\n")
	cell(t, s, "p = problem(\"odd.csv\", kernel=task(identity()) * arm(identity()), noise=2)\ndays = protocol(p, algorithm=\"CoBayesFC\", seed=1, runs=0)")
	cell(t, s, `c = start(days, "days")`)
	once := cell(t, s, `amend(c, withdraw="Holz/B/kalt/trocken", reason="sold out")`).(campaign.Status)
	again := cell(t, s, `amend(c, withdraw="Holz/B/kalt/trocken", reason="sold out")`).(campaign.Status)
	if again.Hash != once.Hash || once.Events < 2 {
		t.Errorf("%d events, then %d", once.Events, again.Events)
	}
}

// A value that cannot be recorded is refused, with the value and the text to write instead.
func TestActErrors(t *testing.T) {
	s, _ := started(t)
	// Values, names, files and rounds that are not there, and reasons that are missing.
	for text, want := range map[string]string{
		`amend(c, reason="x")`:                              "nothing to change: state capacity=",
		`amend(c, epsilon=2)`:                               "reason",
		`amend(c, epsilon=2, reason=" ")`:                   "reason",
		`amend(c, withdraw="oak", reason="x")`:              `a task and an arm, got "oak"`,
		`amend(c, withdraw=["oak/cold", 3], reason="x")`:    "list of texts",
		`amend(c, withdraw="elm/cold", reason="x")`:         `no task is called "elm"`,
		`amend(c, add="none.csv", reason="x")`:              "cannot be read",
		`fail(c, "ZZZZZZ", reason="x")`:                     "ZZZZZZ",
		`fail(c, [], reason="x")`:                           "list of texts",
		`correct(c, "ZZZZZZ", 3, reason="x")`:               "ZZZZZZ",
		`close(c, round=2, reason="x")`:                     "there is no round 2 yet: 0 were planned",
		`attach(c, "none.csv")`:                             "cannot be read",
		`amend(c, delta=0, reason="x")`:                     "delta",
		`amend("nowhere", epsilon=2, reason="x")`:           "holds no campaign",
		`sweep(amend(c, epsilon=1, reason="x"), delta=[1])`: "sweep",
	} {
		_, err := tryCell(t, s, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	// nothing of that was recorded; a plan may have been
	if st := cell(t, s, `resume("days")`).(campaign.Status); st.Events != 1 && st.Events != 2 {
		t.Errorf("%d events were recorded", st.Events)
	}
}

// A plot of a campaign shows its present state, not the state when the name was bound.
func TestPlotOfToday(t *testing.T) {
	s, dir := started(t) // binds c
	l := cell(t, s, `ask(c, by="Ann")`).(campaign.List)
	text := "id,reward\n"
	for i, r := range l.Rows {
		// Two rewards alternate, so that nothing is decided.
		text += r.ID + "," + strings.Repeat("1", 1+i%2) + "\n"
	}
	written(t, dir, "all.csv", text)
	cell(t, s, `tell(c, "all.csv", by="Ann", sure=true)`)
	cell(t, s, `close(c, round=1, reason="the week is over")`)
	got := cell(t, s, `plot(c, x="round", y="samples")`).(report.Figure)
	if len(got.Series) != 1 || len(got.Series[0].X) == 0 {
		t.Errorf("the figure is %+v", got.Series)
	}
}

// A cell that is run again does not write its list over results that are typed in and not recorded.
// Saving is refused only while the sheet has an unrecorded result.
func TestSaveOverResults(t *testing.T) {
	s, dir := started(t)
	cell(t, s, "l = ask(c, by=\"Ann\")\nsave(l, \"list.csv\")")
	id := cell(t, s, "l").(campaign.List).Rows[0].ID
	cell(t, s, `save(l, "list.csv")`)                    // written again, with nothing in it
	written(t, dir, "list.csv", "id,reward\n"+id+",0\n") // a result is typed in
	if _, err := tryCell(t, s, `save(l, "list.csv")`); err == nil || !strings.Contains(err.Error(), "list.csv has 1 row with results that are not recorded yet") {
		t.Errorf("saving says %v", err)
	}
	cell(t, s, `tell(c, "list.csv", by="Ann")`) // after telling it, the list may be written over
	cell(t, s, "l = ask(c, by=\"Ann\")\nsave(l, \"list.csv\")")
}
