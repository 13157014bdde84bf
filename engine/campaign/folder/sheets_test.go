package folder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// A result that is recorded twice is known; with another value it is a conflict that changes nothing; a mistyped id is
// refused with the nearest; and a sheet with such a row is refused, except its good rows if the caller asks for them.
func TestReceipts(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 4)
	a, b, d := l.Rows[0].ID, l.Rows[1].ID, l.Rows[2].ID
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(a, 1), b+","); r.Counts[campaign.RowNew] != 1 || r.Counts[campaign.RowWaiting] != 1 || !r.Taken {
		t.Errorf("first sheet: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(a, 1), row(b, 2)); r.Counts[campaign.RowKnown] != 1 || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("growing sheet: %+v", r)
	}
	// a wrong check character
	mistyped := a[:5] + map[bool]string{true: "0", false: "1"}[a[5] != '0']
	before := now(c).Seq
	r := told(t, c, campaign.TellOptions{By: "Bob"}, row(a, 1.5), row(mistyped, 3), row(d, 4))
	if r.Taken || r.Counts[campaign.RowConflict] != 1 || r.Counts[campaign.RowUnknown] != 1 || now(c).Seq != before {
		t.Errorf("sheet with a conflict and a mistyped id: %+v", r)
	}
	text := fmt.Sprint(r.Lines)
	for _, want := range []string{"1 is recorded by Ann, but the row says 1.5", "campaign correct DIR " + a, "mistyped", "the nearest is " + a} {
		if !strings.Contains(text, want) {
			t.Errorf("receipt %q, want %q in it", text, want)
		}
	}
	if r.Lines[0].Line != 2 || r.Lines[1].Line != 3 {
		t.Errorf("lines %d and %d, want 2 and 3", r.Lines[0].Line, r.Lines[1].Line)
	}
	if r := told(t, c, campaign.TellOptions{By: "Bob", TakeGood: true}, row(a, 1.5), row(d, 4)); !r.Taken || r.Counts[campaign.RowNew] != 1 {
		t.Errorf("good rows alone: %+v", r)
	}
}

// Half a file, a wrong encoding, a missing column and a cell that is not a number are reported with file, line and
// column, and change nothing.
func TestSheetsThatCannotBeRead(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 3)
	a, b := l.Rows[0].ID, l.Rows[1].ID
	for _, s := range []struct{ name, text, want string }{
		{"a column is missing", "id,yield\n" + a + ",1\n", "day.csv:1: columns for the results are missing: the file has id, yield. Name its columns id,reward"},
		{"a quote that never ends", "id,reward\n" + a + ",\"1\n", "day.csv:"},
		{"half a line", "id,reward,note\n" + a + ",1,x\n" + b, "day.csv:3:1: this line has 1 values, but the header has 3. Add the missing values, or leave their cells empty"},
		{"a workbook", "PK\x03\x04\x14\x00\x06\x00", "day.csv: this is an archive (zip), or a workbook of a spreadsheet, not a table in text. Unpack it and give the table in it, or save the sheet as CSV"},
		{"gzip", "\x1f\x8b", "day.csv: this gzip file cannot be unpacked (unexpected EOF)"},
		{"Latin-1", "id,reward,note\n" + a + ",1,\xfcber\n", "day.csv:2:10: not UTF-8"},
		{"empty", "", "day.csv: no data"},
	} {
		_, err := c.Tell(t.Context(), []byte(s.text), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
		if err == nil || !strings.Contains(err.Error(), s.want) {
			t.Errorf("%s: error %v, want %q in it", s.name, err, s.want)
		}
	}
	r, err := c.Tell(t.Context(), []byte("id,reward\n"+a+",3O.5\n"), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
	if err != nil || r.Taken || len(r.Lines) != 1 || r.Lines[0].Line != 2 || !strings.Contains(r.Lines[0].Text, `column 8: column "reward": expected a finite number, got "3O.5"`) {
		t.Errorf("a cell that is no number: %v, %+v", err, r)
	}
	// a spreadsheet of another country
	r, err = c.Tell(t.Context(), []byte("id;task;reward\r\n"+a+";"+l.Rows[0].Task+";1,25\r\n"), campaign.TellOptions{By: "Ann", Sheet: "day.csv"})
	if err != nil || r.Counts[campaign.RowNew] != 1 || !strings.Contains(fmt.Sprint(r.Notes), "semicolons, numbers have decimal commas") {
		t.Errorf("semicolons: %v, %+v", err, r)
	}
}

// A sheet in which one column was sorted without the others is refused.
func TestSortedColumn(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	text := "id,task,arm,reward\n"
	wrong := 0
	for i, r := range l.Rows {
		other := l.Rows[(i+1)%len(l.Rows)]
		// neighbours in the list may be of one arm, and then the mistake cannot be noticed
		if other.Task != r.Task || other.Arm != r.Arm {
			wrong++
		}
		text += fmt.Sprintf("%s,%s,%q,1\n", r.ID, other.Task, other.Arm)
	}
	r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann"})
	if err != nil || r.Taken || r.Counts[campaign.RowBad] != wrong || wrong == 0 {
		t.Errorf("%v: %d rows of others, %+v", err, wrong, r)
	}
}

// A column that is read may be there twice with the same values; with others nothing is recorded. Other columns may be there often.
func TestColumnTwice(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	id, task, arm := l.Rows[0].ID, l.Rows[0].Task, l.Rows[0].Arm
	for text, taken := range map[string]bool{
		"id,reward,reward\n" + id + ",0.41,0.42\n":                                false,
		"id,reward,reward\n" + id + ",,0.42\n":                                    false,
		"id,reward,reward,reward\n" + id + ",0.41,0.41,0.42\n":                    false,
		"id,id,reward\n" + id + "," + l.Rows[1].ID + ",0.41\n":                    false,
		fmt.Sprintf("task,arm,arm,reward\n%s,%q,%q,0.41\n", task, arm, "another"): false,
		"id,reward,reward,x,x,x\n" + id + ",0.41,0.41,1,2,3\n":                    true,
	} {
		r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann"})
		if r.Taken != taken || (err == nil) != taken || err != nil && !strings.Contains(err.Error(), "several columns are named") {
			t.Errorf("%s: %v, %+v", text, err, r)
		}
	}
}

// A row that says another round than its result's is recorded with a remark, once a sheet; rows that are known get none.
func TestOtherRound(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	for k, x := range []struct{ text, want string }{
		{"id,round,reward\n" + l.Rows[0].ID + ",1.0,1\n" + l.Rows[1].ID + ",,1\n" + l.Rows[2].ID + ",plate 2,1\n", ""},
		{"id,round,reward\n" + l.Rows[0].ID + ",2,1\n", ""},
		{"id,round,reward\n" + l.Rows[3].ID + ",3,1\n" + l.Rows[4].ID + ",3,1\n",
			"the row has round 3, but its result belongs to round 1, the round of its id. Check whether a column was sorted"},
		{fmt.Sprintf("task,arm,round,reward\n%s,%q,2,1\n", l.Rows[5].Task, l.Rows[5].Arm),
			"the row has round 2, but its result belongs to round 1, the open one, because the row has no id. Check whether a column was sorted"},
	} {
		r, err := c.Tell(t.Context(), []byte(x.text), campaign.TellOptions{By: "Ann", Sheet: fmt.Sprint(k)})
		if err != nil || r.Refused() || len(r.Lines) != min(1, len(x.want)) || x.want != "" && !strings.HasPrefix(r.Lines[0].Text, x.want) {
			t.Errorf("%s: %v, %+v", x.text, err, r)
		}
	}
}

// Rewards far from all others wait for a confirmation, which the report shows.
func TestSlipsOfThePen(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 12)
	var rows []string
	for i, r := range l.Rows[:10] {
		rows = append(rows, row(r.ID, float64(i%3)))
	}
	// ten others are enough to notice it
	slip := row(l.Rows[10].ID, 1234)
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, append(rows, slip)...); r.Taken || r.Counts[campaign.RowSure] != 1 || !strings.Contains(fmt.Sprint(r.Lines), "far from all other rewards, whose median is 1") {
		t.Errorf("with a slip: %+v", r)
	}
	if r := told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, append(rows, slip)...); !r.Taken || r.Counts[campaign.RowNew] != 11 {
		t.Errorf("confirmed: %+v", r)
	}
}

// Equal values do not show how far arms are apart: the first result of another arm needs no confirmation, whatever noise
// is stated, and rows with such a value are not copies of each other.
func TestEqualValuesHaveNoScale(t *testing.T) {
	p := small(t)
	p.Problem.Noise.Scales = slices.Repeat([]float64{0.02}, p.Problem.N())
	for _, before := range [][]float64{{7, 7, 7, 7, 7, 7, 7, 7}, {7, 7, 7, 7, 7.01, 7.01, 7.01, 7.01}} {
		c := begin(t, p, Options{})
		l := asked(t, c, "Ann", 12)
		var rows []string
		for i, x := range append(before, 7.3) {
			rows = append(rows, row(l.Rows[i].ID, x))
		}
		if r := told(t, c, campaign.TellOptions{By: "Ann"}, rows...); r.Counts[campaign.RowNew] != 9 {
			t.Errorf("7.3 after %v: %+v", before, r)
		}
	}
	c := begin(t, p, Options{})
	for k, text := range []string{"north,a,7\n", "north,a,7\nsouth,a,7\n"} {
		r, err := attachBy(t.Context(), c, []byte("task,arm,reward\n"+text), campaign.TellOptions{By: "Ann", Sheet: fmt.Sprint(k, ".csv")})
		if err != nil || r.Counts[campaign.RowNew] != k+1 {
			t.Errorf("attached %q: %v, %+v", text, err, r)
		}
	}
}
