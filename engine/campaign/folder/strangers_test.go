package folder

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// byArm writes rows without ids.
func byArm(list campaign.List, reward func(k int) float64) []byte {
	text := "task,arm,reward\n"
	for k, r := range list.Rows {
		text += fmt.Sprintf("%s,%q,%v\n", r.Task, r.Arm, reward(k))
	}
	return []byte(text)
}

// Phones and instruments give all their sheets the same name. Sheets of two people are two sheets, even if their rows
// are equal. A sheet that does not begin with the recorded rows is another sheet, and is refused; and a sheet that grew
// adds its new rows.
func TestSheetsOfOneName(t *testing.T) {
	p := small(t)
	p.Capacity = 0
	c := begin(t, p, Options{})
	ann, bob := asked(t, c, "Ann", 6), asked(t, c, "Bob", 6)
	// every sheet has the same name
	tell := func(by string, data []byte, opt campaign.TellOptions) campaign.Receipt {
		t.Helper()
		opt.By, opt.Sheet = by, "results.csv"
		return try.Of(c.Tell(t.Context(), data, opt))
	}
	one := func(int) float64 { return 1 }
	if r := tell("Ann", byArm(ann, one), campaign.TellOptions{}); r.Counts[campaign.RowNew] != 6 {
		t.Fatalf("Ann's: %+v", r)
	}
	r := tell("Bob", byArm(bob, one), campaign.TellOptions{Sure: true}) // both may have the same arms
	if r.Counts[campaign.RowNew] != 6 || r.Counts[campaign.RowKnown] != 0 {
		t.Errorf("Bob's, with the same values: %+v", r)
	}
	if st, err := c.Status(t.Context()); err != nil || st.Open.Measured != 12 {
		t.Errorf("%v: %+v", err, st.Open)
	}
	// the same rows sent by another person may be the same sheet: it is asked about, and not doubled
	r = tell("Cy", byArm(ann, one), campaign.TellOptions{TakeGood: true})
	if r.Taken || r.Counts[campaign.RowSure] != 6 || !strings.Contains(fmt.Sprint(r.Lines), "This may be the same sheet") {
		t.Errorf("Ann's sheet, sent by Cy: %+v", r)
	}
	// the next day another sheet has that name, with the same values in part
	before := now(c).Seq
	r = tell("Ann", byArm(ann, func(k int) float64 { return float64(min(k, 1)) }), campaign.TellOptions{TakeGood: true})
	if r.Taken || r.Counts[campaign.RowConflict] != 6 || now(c).Seq != before || !strings.Contains(fmt.Sprint(r.Lines), "give it another name (--sheet)") {
		t.Errorf("another sheet of the same name: %+v", r)
	}
	if r := tell("Ann", byArm(campaign.List{Rows: ann.Rows[:5]}, one), campaign.TellOptions{TakeGood: true}); r.Taken || r.Counts[campaign.RowConflict] != 5 || !strings.Contains(fmt.Sprint(r.Lines), "now is missing") {
		t.Errorf("a sheet that lacks a row: %+v", r)
	}
	// the recorded rows come before the new ones
	more := asked(t, c, "Ann", 3)
	grown := append(byArm(ann, one), byArm(more, func(int) float64 { return 2 })[len("task,arm,reward\n"):]...)
	if r := tell("Ann", grown, campaign.TellOptions{}); r.Counts[campaign.RowKnown] != 6 || r.Counts[campaign.RowNew] != 3 {
		t.Errorf("a sheet that grew: %+v", r)
	}
}

// Numbers that nothing can be computed with are refused on every way in.
func TestNumbersOutOfRange(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1))
	before := now(c).Seq
	// too large, no number, or written as no table has it
	for _, x := range []string{"1.7976931348623157e308", "1e300", "-1.1e100", "0x1p3", "1_000", "3O.5"} {
		opt := campaign.TellOptions{By: "Ann", Sheet: "x.csv", Sure: true}
		value, err := problem.Dialect{}.Reward(x)
		if err == nil {
			t.Errorf("%s is read as %g", x, value)
		}
		r, err := c.TellOne(t.Context(), l.Rows[1].ID, 1e300, opt)
		if err != nil || r.Taken || !r.Refused() {
			t.Errorf("told one by one: %v, %+v", err, r)
		}
		wants(t, correctBy(t.Context(), c, l.Rows[0].ID, 1e300, "a reason", "Ann"), "from -1e100 to 1e100")
		sheets := []string{"id,reward\n" + l.Rows[1].ID + "," + x + "\n", "task,arm,count,mean,sd\nnorth,a,2," + x + ",1\n", "task,arm,count,mean,sd\nnorth,a,2,1," + x + "\n"}
		for k, text := range sheets {
			if r, err = c.Tell(t.Context(), []byte(text), opt); err != nil || r.Taken {
				t.Errorf("%s: %v, %+v", text, err, r)
			}
			if r, err = attachBy(t.Context(), c, []byte(text), opt); k > 0 && (err != nil || r.Taken) {
				t.Errorf("attached %s: %v, %+v", text, err, r)
			}
		}
	}
	if now(c).Seq != before {
		t.Errorf("%d events were recorded", now(c).Seq-before)
	}
}

// A row says that a pull failed or has a reward, not both; nor may two rows of one sheet say one each.
func TestToldAndFailed(t *testing.T) {
	c := begin(t, small(t), Options{})
	a := asked(t, c, "Ann", 6).Rows[0].ID
	// in one row, and in two of either order
	for _, rows := range []string{a + ",1,failed,spilt\n", a + ",0,failed,spilt\n", a + ",1,,\n" + a + ",,failed,spilt\n", a + ",,failed,spilt\n" + a + ",1,,\n"} {
		r, err := c.Tell(t.Context(), []byte("id,reward,status,note\n"+rows), campaign.TellOptions{By: "Ann"})
		if err != nil || r.Taken || r.Counts[campaign.RowBad]+r.Counts[campaign.RowConflict] != 1 {
			t.Errorf("%s: %v, %+v", rows, err, r)
		}
	}
	r, err := c.Tell(t.Context(), []byte("id,reward,status,note\n"+a+",,failed,spilt\n"+a+",,failed,twice\n"), campaign.TellOptions{By: "Ann"})
	if err != nil || r.Counts[campaign.RowFailed] != 1 || r.Counts[campaign.RowKnown] != 1 {
		t.Errorf("failed twice: %v, %+v", err, r)
	}
	if _, err := c.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

// A person who may see only their own results learns no ids of others, nor anything that depends on the measurements of
// others in the open round: neither by guesses, nor by values that are the same, nor by values far from all others.
func TestReceiptsOfTheirOwn(t *testing.T) {
	p := small(t)
	p.Capacity = 0
	c := begin(t, p, Options{})
	ann, bob := asked(t, c, "Ann", 9), asked(t, c, "Bob", 1)
	var rows []string
	for k, r := range ann.Rows {
		rows = append(rows, row(r.ID, 12.5+float64(k%3)))
	}
	told(t, c, campaign.TellOptions{By: "Ann"}, rows...)
	own := campaign.TellOptions{By: "Bob", Own: true, Sheet: "s.csv"}
	preview := func(text string) campaign.Receipt {
		t.Helper()
		return try.Of(c.Preview(t.Context(), []byte(text), own))
	}
	first := ann.Rows[0].ID
	mistyped := first[:5] + map[bool]string{true: "0", false: "1"}[first[5] != '0']
	// Bob tries the id of Ann's pull with its value, and with another one: both receipts are the same
	same, other := preview("id,reward\n"+first+",12.5\n"), preview("id,reward\n"+first+",-1\n")
	if fmt.Sprint(same) != fmt.Sprint(other) || !other.Refused() {
		t.Errorf("the value of another: %+v, and another value: %+v", same, other)
	}
	// and by other ways: as failed, by a value that is far from hers, by an id near hers
	failed := preview("id,reward,status,note\n" + first + ",,failed,x\n")
	far := preview("id,reward\n" + bob.Rows[0].ID + ",1e6\n")
	for _, r := range []campaign.Receipt{same, other, failed, far, preview("id,reward\n" + mistyped + ",1\n")} {
		text := fmt.Sprint(r.Lines)
		if strings.Contains(text, "12.5") || strings.Contains(text, "13.5") || strings.Contains(text, "nearest") || strings.Contains(text, "Ann") {
			t.Errorf("the receipt says %q", text)
		}
	}
	if far.Counts[campaign.RowNew] != 1 {
		t.Errorf("a value far from all others: %+v", far)
	}
	mine := bob.Rows[0].ID
	slip := mine[:5] + map[bool]string{true: "0", false: "1"}[mine[5] != '0']
	if r := preview("id,reward\n" + slip + ",1\n"); !strings.Contains(fmt.Sprint(r.Lines), "the nearest is "+mine) {
		t.Errorf("a slip in one's own id: %+v", r)
	}
}

// A large sheet names the nearest ids of the first unknown ones alone, and stops at an interrupt. A mean of impossibly
// many measurements is refused before room is made for them.
func TestLargeSheets(t *testing.T) {
	p := small(t)
	p.Capacity = 0
	c := begin(t, p, Options{})
	l := asked(t, c, "Ann", 6)
	// ids that begin as an issued one does
	text, unknown := "id,reward\n", 0
	for k := range 200 {
		id := fmt.Sprintf("%s%d", l.Rows[0].ID[:4], 10+k)
		if slices.ContainsFunc(l.Rows, func(r campaign.ListRow) bool { return r.ID == id }) {
			continue // an id by chance
		}
		text, unknown = text+id+",1\n", unknown+1
	}
	r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann"})
	if n := strings.Count(fmt.Sprint(r.Lines), "the nearest is"); err != nil || r.Counts[campaign.RowUnknown] != unknown || n != 10 {
		t.Errorf("%v: %d unknown, %d with the nearest", err, r.Counts[campaign.RowUnknown], n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	act := &campaign.Tell{File: campaign.File{Content: []byte(text)}}
	try.To(act.Prepare(t.Context(), c.Protocol()))
	if _, err := act.Do(ended, campaign.Doing{Moment: now(c)}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
	for _, n := range []string{"1000000000", "2147483647"} {
		r, err := c.Tell(t.Context(), []byte("task,arm,count,mean,sd\nnorth,a,"+n+",1,1\n"), campaign.TellOptions{By: "Ann", Extra: true, Sheet: "x.csv"})
		if err != nil || r.Taken || !strings.Contains(fmt.Sprint(r.Lines), "at most 10000 are allowed") {
			t.Errorf("a mean of %s: %v, %+v", n, err, r)
		}
	}
	// rows by arm fill the teller's own pulls first, then unassigned ones, then others'
	r, err = c.Tell(t.Context(), byArm(l, func(int) float64 { return 1 }), campaign.TellOptions{By: "Ann", Sheet: "y.csv"})
	if mine, _, err2 := c.Mine(t.Context(), "Ann"); err != nil || err2 != nil || r.Counts[campaign.RowNew] != 6 || mine.Rows[5].Reward == nil {
		t.Errorf("%v, %v: %+v, %+v", err, err2, r, mine)
	}
}

// A value is judged by the table of the problem and by attached measurements, too: a slip is asked about at the first
// result.
func TestSlipsByTheTable(t *testing.T) {
	attached := "task,arm,reward\n"
	for k := range 8 {
		attached += fmt.Sprintf("north,a,%g\n", 8+float64(k%4)/10)
	}
	for name, p := range map[string]campaign.Protocol{"attached": small(t), "table": small(t)} {
		// rewards of the problem's own table, six arms
		if name == "table" {
			q := *p.Problem
			q.Rewards = [][]float64{{8, 8.1}, {8.2}, {8}, {7.9, 8.3}, {8.1}, {8}}
			p.Problem = &q
		}
		c := begin(t, p, Options{})
		if name == "attached" {
			try.Of(attachBy(t.Context(), c, []byte(attached), campaign.TellOptions{By: "Ann", Sheet: "before.csv"}))
		}
		id := asked(t, c, "Ann", 1).Rows[0].ID
		if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(id, 83.1)); r.Taken || r.Counts[campaign.RowSure] != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(id, 8.31)); !r.Taken {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Names, reasons and notes of people reach no terminal or report with what these obey, and no spreadsheet as formulas.
func TestTextsOfPeople(t *testing.T) {
	c := begin(t, small(t), Options{})
	by := "=cmd|'/C calc'!A0" // a formula
	l := asked(t, c, by, 6)
	if again := asked(t, c, by, 6); !again.Again || again.Rows[0].ID != l.Rows[0].ID {
		t.Errorf("the same person gets another list: %+v", again)
	}
	// formulas, colours, and a mark that turns the direction of writing
	text := "id,reward,note\n" + l.Rows[0].ID + ",1,=cmd|'/C calc'!A0\n" + l.Rows[1].ID + ",-2,\x1b[31mred\u202e\n" + l.Rows[2].ID + ",3,@SUM(1+1)\n"
	try.Of(c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: by, Sheet: "\x1b[2J.csv"}))
	for _, err := range []error{
		noteBy(t.Context(), c, "two\nlines \x1b[2J", by),
		failBy(t.Context(), c, []string{l.Rows[3].ID}, "\x1b[31mreason", "-1+1"),
		correctBy(t.Context(), c, l.Rows[0].ID, 1.5, "+1\u009b31m", by),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	try.Of(closeBy(t.Context(), c, "=HYPERLINK(\"http://x\")\x7f", by))
	// names that cannot be shown are refused, whatever is done under them
	for name, word := range map[string]string{"\x1b]0;by\x07": "control characters", "Ann\u202e": "control characters", " \u200b": "is blank",
		strings.Repeat("a", 101): "more than 100 characters"} {
		wants(t, func() error { _, err := c.Invite(t.Context(), "", name); return err }(), word)
		wants(t, func() error { _, err := c.Ask(t.Context(), campaign.Request{By: name}); return err }(), word)
		wants(t, func() error {
			_, err := c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: name})
			return err
		}(), word)
		wants(t, func() error {
			_, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: name})
			return err
		}(), word)
		wants(t, noteBy(t.Context(), c, "x", name), word)
	}
	st := try.Of(c.Status(t.Context()))
	h := try.Of(c.History(t.Context()))
	out := filepath.Join(t.TempDir(), "out")
	try.To(c.Export(t.Context(), out))
	// all that programs show, and all exports
	seen := fmt.Sprint(l, st, h.Log, h.Measurements, h.Rounds)
	for _, name := range []string{"measurements.csv", "log.csv", "answers.csv"} {
		data := try.Of(os.ReadFile(filepath.Join(out, name)))
		seen += string(data)
		rows := try.Of(csv.NewReader(strings.NewReader(string(data))).ReadAll())
		for _, row := range rows {
			for _, cell := range row {
				if strings.IndexAny(cell, "=+-@") == 0 && cell != "-2" {
					t.Errorf("%s: a spreadsheet takes %q for a formula", name, cell)
				}
			}
		}
	}
	if strings.ContainsAny(strings.ReplaceAll(seen, "\n", ""), "\x1b\x07\x7f\u009b\u202e") {
		t.Errorf("control characters in %q", seen)
	}
	if !strings.Contains(seen, "two lines") || !strings.Contains(seen, "red") {
		t.Errorf("words are gone: %q", seen)
	}
}
