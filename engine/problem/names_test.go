package problem

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// loadNames loads a long table from its text.
func loadNames(text string, long Long, names ...string) (*Problem, error) {
	read := func(string) ([]byte, error) { return []byte(text), nil }
	return Load("names.csv", joint, LoadOptions{Long: &long, Read: read, Text: names})
}

// rows writes a long table: every line is a task and an arm, and the reward is its number.
func rows(header string, lines ...string) string {
	text := header + "\n"
	for k, line := range lines {
		text += fmt.Sprintf("%s,%d\n", line, k)
	}
	return text
}

// namesOf lists tasks and arms, and the features of the arms as the table has them.
func namesOf(p *Problem) string {
	arms := lists.Make(p.N(), func(i int) string {
		texts := lists.Make(len(p.Arms.Columns), func(c int) string { return p.ArmText(c, i) })
		return fmt.Sprintf("%s: %s (%s)", p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i], strings.Join(texts, ", "))
	})
	return strings.Join(arms, "\n")
}

func kindsOf(notes []Note) (kinds []NoteKind) {
	for _, n := range notes {
		if n.Kind != NoteNoNoise && n.Kind != NoteCategories && !n.OfSimulation() {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// Which cells are one task, one arm or one setting, how they are shown, and what is said of it.
func TestNames(t *testing.T) {
	store := Long{Task: []string{"store"}, Arm: []string{"shelf"}, Reward: "y"}
	dose := Long{Arm: []string{"dose"}, Reward: "y"}
	two := Long{Arm: []string{"a", "b"}, Reward: "y"}
	for _, c := range []struct {
		name, table string
		long        Long
		text        []string
		want        string
		notes       []NoteKind
	}{
		{"versions are numbers", rows("dose,y", "12.1", "12.4", "12.10"), dose, nil,
			"all: dose=12.1 (12.1)\nall: dose=12.4 (12.4)", []NoteKind{NoteEqual}},
		{"versions are names", rows("dose,y", "12.1", "12.4", "12.10"), dose, []string{"Dose"},
			"all: 12.1 (12.1)\nall: 12.4 (12.4)\nall: 12.10 (12.10)", nil},
		{"one version alone", rows("dose,y", "1.40", "1.5"), dose, nil, "all: dose=1.40 (1.40)\nall: dose=1.5 (1.5)", nil},
		{"tasks with a leading zero", rows("store,shelf,y", "01,x", "1,x", "01,y"), store, nil,
			"01: x (x)\n01: y (y)\n1: x (x)", []NoteKind{NoteWritten}},
		{"tasks that are numbers", rows("store,shelf,y", "1,x", "1.0,x", "2,x"), store, nil,
			"store=1: x (x)\nstore=1.0: x (x)\nstore=2: x (x)", []NoteKind{NoteWritten}},
		{"arms with a leading zero", rows("dose,y", "007", "7", "12"), dose, nil,
			"all: 007 (007)\nall: 7 (7)\nall: 12 (12)", []NoteKind{NoteWritten, NoteIdentifiers}},
		{"long numbers", rows("dose,y", "9007199254740993", "9007199254740992", "12345678901234567890"), dose, nil,
			"all: 9007199254740993 (9007199254740993)\nall: 9007199254740992 (9007199254740992)\nall: 12345678901234567890 (12345678901234567890)",
			[]NoteKind{NoteWritten, NoteIdentifiers}},
		{"a sign and exponents", rows("dose,y", "+5", "5", "1E5", "10E4", "6"), dose, nil,
			"all: dose=+5 (+5)\nall: dose=1E5 (1E5)\nall: dose=6 (6)", []NoteKind{NoteEqual}},
		{"steps that were computed", rows("dose,y", "0.1", "0.30000000000000004", "0.3", "0.2"), dose, nil,
			"all: dose=0.1 (0.1)\nall: dose=0.30000000000000004 (0.30000000000000004)\nall: dose=0.2 (0.2)", []NoteKind{NoteRounded}},
		{"a zero that was computed", rows("dose,y", "-0.1", "-2.220446049250313e-16", "0", "0.1", "-0.0"), dose, nil,
			"all: dose=-0.1 (-0.1)\nall: dose=-2.220446049250313e-16 (-2.220446049250313e-16)\nall: dose=0.1 (0.1)", []NoteKind{NoteEqual}},
		{"thirds", rows("dose,y", "0.3333333333333333", "0.33333333333333337", "0.6666666666666666"), dose, nil,
			"all: dose=0.3333333333333333 (0.3333333333333333)\nall: dose=0.6666666666666666 (0.6666666666666666)", []NoteKind{NoteRounded}},
		{"small steps that people write", rows("dose,y", "1.00000000000001", "1.00000000000002", "0", "1e-18", "2e-18"), dose, nil,
			"all: dose=1.00000000000001 (1.00000000000001)\nall: dose=1.00000000000002 (1.00000000000002)\nall: dose=0 (0)\n" +
				"all: dose=1e-18 (1e-18)\nall: dose=2e-18 (2e-18)", nil},
		{"orders of magnitude", rows("dose,y", "0", "1.584893192461113e-20", "2.511886431509582e-20", "1"), dose, nil,
			"all: dose=0 (0)\nall: dose=1.584893192461113e-20 (1.584893192461113e-20)\nall: dose=2.511886431509582e-20 (2.511886431509582e-20)\nall: dose=1 (1)", nil},
		{"a gap that is a name", rows("store,shelf,y", "NA,x", "nan,x", "NULL,y"), store, []string{"store"},
			"NA: x (x)\nnan: x (x)\nNULL: y (y)", nil},
		{"infinity is a word", rows("dose,y", "inf", "ctl"), dose, nil, "all: inf (inf)\nall: ctl (ctl)", nil},
		{"names and numbers", rows("dose,y", "1", "1.0", "True"), dose, []string{"dose"},
			"all: 1 (1)\nall: 1.0 (1.0)\nall: True (True)", nil},
		{"several columns", rows("a,b,y", "0.50,07", "0.5,7", "0.50,7"), two, nil,
			"all: a=0.50, b=07 (0.50, 07)\nall: a=0.50, b=7 (0.50, 7)", []NoteKind{NoteEqual, NoteWritten, NoteIdentifiers}},
		{"capital letters and blanks", rows("store,shelf,y", "Gent,N 80", "gent,N  80"), store, nil,
			"Gent: N 80 (N 80)\ngent: N  80 (N  80)", []NoteKind{NoteAlike, NoteAlike}},
		{"a character that cannot be seen", rows("store,shelf,y", "Gent\u200b,x", "Aalst,x"), store, nil,
			"Gent\u200b: x (x)\nAalst: x (x)", []NoteKind{NoteUnseen}},
		{"blanks around", rows("store,shelf,y", "Gent ,x", " Gent\u00a0,x"), store, nil, "Gent: x (x)", nil},
		{"decimal commas", "dose;y\n0,50;1\n0,5;2\n1,5;3\n", dose, nil,
			"all: dose=0.50 (0.50)\nall: dose=1.5 (1.5)", []NoteKind{NoteEqual, NoteDecimalCommas}},
	} {
		p, err := loadNames(c.table, c.long, c.text...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := namesOf(p); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		if got := kindsOf(p.Notes); !slices.Equal(got, c.notes) {
			t.Errorf("%s: notes %q, want %q", c.name, got, c.notes)
		}
	}
}

// A column is found although its name in the file has another blank, or a character that cannot be seen.
func TestNamesOfColumns(t *testing.T) {
	p := try.Of(loadNames(rows("store\u200b,N\u00a0 kg,y", "a,80", "a,90"), Long{Task: []string{"store"}, Arm: []string{"N kg"}, Reward: "Y"}))
	if got, want := namesOf(p), "a: N kg=80 (80)\na: N kg=90 (90)"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// An equal number in another row of the same arm is not a contradiction, but another text of a name is.
func TestAppendEqualNumbers(t *testing.T) {
	base := []byte("task,arm,x_t,mean\n1,a,150,1\n")
	if x, err := Append(t.Context(), "base.csv", base, "more.csv", []byte("task,arm,x_t,mean\n1,a,150.0,1.0\n1.0,a,150,2\n")); err != nil || x.Same != 1 || x.Rows != 1 {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := Append(t.Context(), "base.csv", base, "more.csv", []byte("task,arm,x_t,mean\n1,a,151,1\n")); err == nil {
		t.Error("another number is taken")
	}
}

// Errors in names have their place and a remedy.
func TestNamesThatAreWrong(t *testing.T) {
	store := Long{Task: []string{"store"}, Arm: []string{"shelf"}, Reward: "y"}
	for _, c := range []struct{ name, table, want string }{
		{"NA", rows("store,shelf,y", "DE,x", "NA,x"), `names.csv:3:1: column "store" has "NA" here, which counts as an empty cell, as NA, N/A, NaN and null do. If it is a name, write text="store" (--text "store"). Otherwise fill in the cell, or delete the row`},
		{"empty", rows("store,shelf,y", "DE,x", ",x"), `names.csv:3:1: column "store" has no value here. Every row needs its task, its arm and their features. Fill in the cell, or delete the row`},
		{"no width", rows("store,shelf,y", "Gent,x", "Gent\u200b,x"), `names.csv:3:1: "Gent" looks like the name in line 2 but has other characters: U+200B here and none there. Write both names alike`},
		{"a blank that does not break", rows("store,shelf,y", "N 80,x", "N\u00a080,x"), `names.csv:3:1: "N 80" looks like the name in line 2 but has other characters: U+00A0 here and U+0020 there. Write both names alike`},
		{"another alphabet", rows("store,shelf,y", "A,x", "\u0410,x"), `names.csv:3:1: "A" looks like the name in line 2 but has other characters: U+0410 here and U+0041 there. Write both names alike`},
		{"a mark for right to left", rows("store,shelf,y", "Gent,x", "\u200fGent,x"), `names.csv:3:1: "Gent" looks like the name in line 2 but has other characters: U+200F here and U+0047 there. Write both names alike`},
		{"numbers and text", rows("store,shelf,y", "Gent,12.1", "Gent,none"), `names.csv:3:6: column "shelf": expected a number as in line 2, got "none". A feature has numbers in all rows, or text in all. If these are names, write text="shelf" (--text "shelf")`},
	} {
		if _, err := loadNames(c.table, store); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := loadNames(rows("store,shelf,y", "a,b"), store, "stoer"); err == nil || !strings.Contains(err.Error(), `no column "stoer"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// A table with one row per arm: tasks and arms are names, and features follow the rule of all columns.
func TestNamesOfWideTables(t *testing.T) {
	table := "task,arm,x_cuda,x_size,x_dose,mean\n1,a,12.1,08,0.3,1\n1.0,a,12.10,8,0.30000000000000004,2\n1,A,12.4,16,0.1,3\n"
	load := func(names ...string) *Problem {
		read := func(string) ([]byte, error) { return []byte(table), nil }
		return try.Of(Load("wide.csv", independent, LoadOptions{Read: read, Text: names, Noise: NoiseModel{Scales: []float64{1}}}))
	}
	p := load()
	if got, want := namesOf(p), "1: a (12.1, 08, 0.3)\n1: A (12.4, 16, 0.1)\n1.0: a (12.1, 8, 0.3)"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := kindsOf(p.Notes), []NoteKind{NoteAlike, NoteEqual, NoteRounded, NoteIdentifiers}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if p.Arms.X[2][0] != p.Arms.X[2][2] {
		t.Errorf("doses %v", p.Arms.X[2])
	}
	p = load("x_cuda", "x_dose")
	if got, want := p.Categories, (map[string][]string{"x_cuda": {"12.1", "12.10", "12.4"}, "x_size": {"08", "8", "16"},
		"x_dose": {"0.3", "0.30000000000000004", "0.1"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("categories %v, want %v", got, want)
	}
}

// A column of a frame that has texts has names, whatever they look like; its CSV says so.
func TestNamesOfFrames(t *testing.T) {
	f := &Frame{Rows: 5, Columns: []FrameColumn{
		{Name: "site", Codes: []int32{0, 1, 2, 3, 4}, Labels: []string{"NA", "", "12.10", "12.1", `""`}, Text: true},
		{Name: "id", Numbers: []float64{9007199254740991, 9007199254740990, 1, 2, 3}, Whole: true},
		{Name: "dose", Numbers: []float64{0.3, 0.1 + 0.2 + 1e-17, math.Copysign(0, -1), 0, 1e6}},
		{Name: "y", Numbers: []float64{1, 2, 3, 4, 5}},
	}}
	f.Columns[2].Numbers[1] = math.Nextafter(0.3, 1)
	for _, asText := range []bool{false, true} {
		p := try.Of(loadFrame(f, asText, Long{Task: []string{"site"}, Arm: []string{"id", "dose"}, Reward: "y"}))
		want := "NA: id=9007199254740991, dose=0.3 (9007199254740991, 0.3)\n" +
			"\"\": id=9007199254740990, dose=0.3 (9007199254740990, 0.3)\n" +
			"12.10: id=1, dose=0 (1, 0)\n12.1: id=2, dose=0 (2, 0)\n" +
			"\"\\\"\\\"\": id=3, dose=1000000 (3, 1000000)"
		if got := namesOf(p); got != want {
			t.Errorf("as text %t:\n%s\nwant\n%s", asText, got, want)
		}
	}
	f.Columns[0].Labels = []string{"x\ny", "x y", "x\r\nz", "u", "v"} // names of several lines are shown in one
	for _, asText := range []bool{false, true} {
		p := try.Of(loadFrame(f, asText, Long{Arm: []string{"site"}, Reward: "y"}))
		if want := []string{`"x\ny"`, "x y", "x z", "u", "v"}; !slices.Equal(p.Arms.Names, want) {
			t.Errorf("as text %t: %q, want %q", asText, p.Arms.Names, want)
		}
	}
	f.Columns[0].Codes[2] = -1
	if _, err := loadFrame(f, false, Long{Task: []string{"site"}, Arm: []string{"id"}, Reward: "y"}); err == nil ||
		!strings.Contains(err.Error(), `column "site" has no value here. `) {
		t.Errorf("a missing name: %v", err)
	}
	if got := Columns(f.CSV()); !slices.Equal(got, []string{"site", "id", "dose", "y"}) {
		t.Errorf("columns %q", got)
	}
}

// Names of a sheet are found by their text; a number that a spreadsheet wrote in another way is found by its value.
func TestNamesOfSheets(t *testing.T) {
	table := rows("store,cuda,temp,y", "01,12.1,150", "1,12.10,150", "2,12.10,0.30000000000000004")
	p := try.Of(loadNames(table, Long{Task: []string{"store"}, Arm: []string{"cuda", "temp"}, Reward: "y"}, "cuda"))
	for _, c := range []struct{ row, task, arm string }{
		{"01,12.1,150", "01", "cuda=12.1, temp=150"},
		{"1,12.10,150.0", "1", "cuda=12.10, temp=150"},
		{"1,12.10,1.5e2", "1", "cuda=12.10, temp=150"},
		{"2,12.10,0.3", "2", "cuda=12.10, temp=0.30000000000000004"},
		{"2,12.100,151", "2", "cuda=12.100, temp=151"},
	} {
		s, _, err := ReadSheet(t.Context(), "sheet.csv", []byte("store,cuda,temp,y\n"+c.row+",1\n"), p.Long, []string{"task", "arm", "reward"})
		if err != nil {
			t.Errorf("%s: %v", c.row, err)
			continue
		}
		if task, arm := s.Rows[0].Text("task"), s.Rows[0].Text("arm"); task != c.task || arm != c.arm {
			t.Errorf("%s is task %q, arm %q, want %q, %q", c.row, task, arm, c.task, c.arm)
		}
	}
}

// Scaling features leaves the values of the data unchanged.
func TestNamesOfScaledFeatures(t *testing.T) {
	long := Long{Arm: []string{"dose", "lr"}, Reward: "y", Log: []string{"lr"}}
	read := func(string) ([]byte, error) {
		return []byte(rows("dose,lr,y", "0.1,1e-4", "0.3,3E-4", "-0.7,1e-3")), nil
	}
	p := try.Of(Load("scaled.csv", joint, LoadOptions{Long: &long, Read: read, Standardize: true}))
	p = p.Some([]int{1, 2}).Logarithmic([]string{"lr"})
	if got, want := namesOf(p), "all: dose=0.3, lr=3E-4 (0.3, 3E-4)\nall: dose=-0.7, lr=1e-3 (-0.7, 1e-3)"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if p.Arms.Value(0, 0) != 0.3 || p.Arms.Value(1, 0) != 3e-4 {
		t.Errorf("values %v, %v", p.Arms.Value(0, 0), p.Arms.Value(1, 0))
	}
}
