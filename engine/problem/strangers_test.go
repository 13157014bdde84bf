package problem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Tables as spreadsheets, instruments and statistics programs write them are loaded, with what is said of
// them, or refused with place and remedy.
func TestStrangersTables(t *testing.T) {
	summaries := Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "mean_throughput", SD: "std dev", Count: "n"}
	machines := Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "throughput"}
	const repeated = "1 of 4 rows repeats another in every column: line 3 repeats line 2. It counts as a measurement; if it is a copy, delete it"
	const noNoise = "the noise of rewards is not stated. Some algorithms estimate it while sampling. To state it, write noise= or add a column sd"
	for _, c := range []struct {
		file  string
		long  Long   // the zero value means one row per arm
		noise string // NoiseModel.Known
		drop  bool   // arms that are not measured are left out
		want  string // tasks | arms | means | noise scales, or the error
		notes string // in lines, without the path
	}{
		{file: "excel-german.csv", long: Long{Task: []string{"maschine"}, Arm: []string{"temperatur"}, Reward: "durchsatz"},
			want:  "[A B] | [temperatur=150 temperatur=180 temperatur=150 temperatur=180] | [42 44.5 31 28.5] | [0.707 0.707 0.901 0.901]",
			notes: "columns are separated by semicolons, numbers have decimal commas\ncolumns not used: Bemerkung. If one of them matters, its effect counts as noise"},
		{file: "excel-sep-line.csv", long: machines, want: "[A] | [temp=150 temp=180] | [42 45] | [1.12 1.12]", notes: "columns are separated by semicolons"},
		{file: "excel-trailing.csv", long: machines, want: "[A] | [temp=150 temp=180] | [42 45] | [1.12 1.12]"},
		{file: "excel-unicode-text.txt", long: machines, want: "[A] | [temp=150] | [41.5] | [1]", notes: "columns are separated by tabs\n" + noNoise},
		{file: "latin1.csv", long: machines, want: `FILE:1: no column "machine"; the columns are Ger�t, temp, throughput. The file is not UTF-8, so names may be unreadable. Save it as UTF-8`},
		{file: "instrument.tsv", long: Long{Task: []string{"Sample ID"}, Arm: []string{"temp (°c)", "speed, rpm"}, Reward: "Yield [%]"},
			want:  "[S-1 S-2] | [temp (°c)=150, speed, rpm=10 temp (°c)=150, speed, rpm=20 temp (°c)=150, speed, rpm=10 temp (°c)=150, speed, rpm=20] | [55 60 46 41] | [0.224 0.224 1.35 1.35]",
			notes: "columns are separated by tabs"},
		{file: "instrument-preamble.csv", long: machines, want: "[A] | [temp=150] | [41] | [1]",
			notes: "line 1, above the header, is skipped\n" +
				"the noise of rewards is not stated. Some algorithms estimate it while sampling. To state it, write noise= or add a column sd"},
		{file: "instrument-preamble.csv", long: Long{Task: []string{"machine"}, Arm: []string{"temperature"}, Reward: "throughput"},
			want: "FILE:2:1: this line has 3 values, but the header has 1. Lines above the header are skipped only if the header has the named columns. Otherwise delete them"},
		{file: "instrument-preamble-named.csv", long: machines, want: "[A] | [temp=150 temp=180] | [42 45] | [1.12 1.12]",
			notes: "lines 1 to 4, above the header, are skipped\ncolumns are separated by semicolons, numbers have decimal commas"},
		// Of 3 around 10 with sd 2 and 2 around 13 with sd 1 the mean is 11.2, the variance (2·4 +
		// 1 + 3·1.44 + 2·3.24)/4.
		{file: "summaries.csv", long: summaries, want: "[A B] | [temp=150 temp=180 temp=150 temp=180] | [11.2 14 7 9] | [2.22 2.22 0.5 0.5]",
			notes: `task "A", arm "temp=180" and 1 more of 4 arms are without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "summaries-without-counts.csv", long: Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "mean_throughput", SD: "std dev"},
			want: "[A] | [temp=150 temp=180] | [11 14] | [3.54 1]"},
		{file: "summaries-negative.csv", long: summaries, want: `FILE:3:10: column "std dev": a standard deviation cannot be negative, got -1`},
		{file: "summaries-half.csv", long: summaries, want: `FILE:2:12: column "n": expected a whole number of measurements from 1 to 1000000000, got 2.5`},
		{file: "pilot-gaps.csv", long: machines, drop: true, want: "[A B] | [temp=150 temp=150 temp=180] | [42 30.5 29] | [0.707 0.707 0.707]",
			notes: "rows without a value of throughput do not count as measurements. There are 1, the last in line 4\n" +
				`1 of 4 arms are not measured and are left out: task "A", arm "temp=180"` + "\n" +
				`task "B", arm "temp=180" is without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "wide-pilot.csv", drop: true, want: "[A] | [a] | [41.5] | [1.2]", notes: `1 of 2 arms are not measured and are left out: task "A", arm "b"`},
		{file: "pandas.csv", long: machines, want: "[A] | [temp=150 temp=180] | [41.5 44] | [1 1]", notes: "columns not used: Unnamed: 0. If one of them matters, its effect counts as noise\n" + noNoise},
		{file: "pandas-index.csv", long: machines, want: "[A] | [temp=150.0 temp=180.0] | [42 45] | [1.12 1.12]",
			notes: "columns not used: idx. If one of them matters, its effect counts as noise\ncolumn \"throughput\": 1 measurement counts as failed (\"nan\"). The estimates do not use failures. An option that only failed is not recommended without retry=true (--retry). If the option was not tried, leave the cell empty. If such a text means 0, write 0"},
		{file: "r-write-csv.csv", long: machines, want: "[A] | [temp=150 temp=180] | [42 44] | [0.707 0.707]",
			notes: "rows without a value of throughput do not count as measurements. There are 1, the last in line 4\n" +
				`task "A", arm "temp=180" is without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "single-replicates.csv", long: machines, want: "[A B] | [temp=150 temp=180 temp=150 temp=180] | [41.5 44 30 29] | [1 1 1 1]",
			notes: "the noise of rewards is not stated. Some algorithms estimate it while sampling. To state it, write noise= or add a column sd"},
		{file: "single-replicates.csv", long: machines, noise: NoiseSD, want: `FILE: noise="sd" needs an arm with at least two rewards, or with a standard deviation, but there is none. State noise= as a number`},
		{file: "pilot-gaps.csv", long: machines, noise: NoiseSD, want: "[A B] | [temp=150 temp=180 temp=150 temp=180] | [] | [0.707 0.707 0.707 0.707]",
			notes: "rows without a value of throughput do not count as measurements. There are 1, the last in line 4\n" +
				`task "A", arm "temp=180" is not measured. Simulated runs draw expected rewards there from predictions by the other measurements, and fit and bounds ` +
				`use these. To leave such arms out, write unmeasured="drop"` + "\n" +
				`task "A", arm "temp=180" and 1 more of 4 arms are without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "categories.csv", long: Long{Task: []string{"line"}, Arm: []string{"oil"}, Reward: "yield"},
			want:  "[L1 L2] | [mineral ester ester none] | [5.5 7.5 8.5 2.5] | [0.707 0.707 0.707 0.707]",
			notes: "columns not used: speed. If one of them matters, its effect counts as noise\ncolumn \"oil\" has text. Its values are categories without an order, with the codes mineral = 0, ester = 1, none = 2"},
		{file: "typo.csv", long: machines, want: `FILE:3:3: column "temp": expected a number as in line 2, got "l80". A feature has numbers in all rows, or text in all. If these are names, write text="temp" (--text "temp")`},
		{file: "thousands.csv", long: machines, want: `FILE:3:7: "1,234" in line 3 has a decimal comma, but "1.234" in line 2 has a decimal point. Write all numbers alike`},
		{file: "quoted-decimals.csv", long: machines, want: `FILE:2:7: column "throughput": expected a finite number, got "41,5". Decimal commas are allowed only if semicolons or tabs separate the columns`},
		{file: "missing-key.csv", long: machines, want: `FILE:3:1: column "machine" has no value here. Every row needs its task, its arm and their features. Fill in the cell, or delete the row`},
		{file: "feature-changes.csv", long: Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "throughput", TaskFeatures: []string{"age"}},
			want: `FILE:3:3: column "age" is "2" here but "1" in line 2. It must be equal in all rows of task "A"`},
		{file: "header-twice.csv", long: machines, want: "[A] | [temp=150] | [41.5] | [1]",
			notes: "several columns are named \"temp\". The first is used; the second is renamed \"temp.1\"\ncolumns not used: temp.1. If one of them matters, its effect counts as noise\n" + noNoise},
		{file: "spaces.txt", long: machines, want: "[A] | [temp=150 temp=180] | [41 44] | [1 1]", notes: "columns are separated by blanks\n" + noNoise},
		{file: "units-row.csv", long: machines, want: "[A] | [temp=150 temp=180] | [41 44] | [1 1]",
			notes: "rows that have units below the header are skipped: 1, the first in line 2\n" + noNoise},
		{file: "ragged.csv", long: machines, want: "FILE:3:1: this line has 2 values, but the header has 3. Add the missing values, or leave their cells empty"},
		{file: "numeric-ids.csv", long: Long{Task: []string{"plot"}, Arm: []string{"variety"}, Reward: "yield"}, want: `FILE:4:3: column "variety": expected a number as in line 2, got "12b". A feature has numbers in all rows, or text in all. If these are names, write text="variety" (--text "variety")`},
		{file: "numeric-ids.csv", long: Long{Task: []string{"plot"}, Arm: []string{"variety"}, Reward: "yield", ArmFeatures: []string{"block"}}, want: `FILE:3:6: column "block" is "2" here but "1" in line 2. It must be equal in all rows of task "plot=1", arm "12"`},
		{file: "unit-in-cell.csv", long: machines, want: `FILE:2:7: column "throughput": expected a finite number, got "41.5 kg". Write only the number, without unit or thousands separators. If the measurement failed, write failed="col('throughput') == '41.5 kg'" (--failed "col('throughput') == '41.5 kg'")`},
		{file: "multiline-comment.csv", long: machines, want: "[A] | [temp=150 temp=180] | [42 44.5] | [0.707 0.707]", notes: "columns not used: comment. If one of them matters, its effect counts as noise"},
		{file: "quantised.csv", long: machines, want: "[A] | [temp=150 temp=180] | [41 44.5] | [0.5 0.5]", notes: repeated},
		{file: "quantised.csv", long: machines, noise: NoiseSD, want: `FILE: task "A", arm "temp=150": the noise scale is 0, but it must be positive. Write noise="task" to pool it over the task, or give a number`},
		{file: "quantised.csv", long: machines, noise: NoiseTask, want: "[A] | [temp=150 temp=180] | [41 44.5] | [0.5 0.5]", notes: repeated},
		{file: "wide-excel.csv", want: "[A B] | [a b a b] | [41.5 44 30 29] | [1.2 1.2 0.8 0.8]",
			notes: "columns are separated by semicolons, numbers have decimal commas\n" +
				`task "A", arm "b" and 1 more of 4 arms are without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "wide-pilot.csv", want: "[A] | [a b] | [] | [1.2 1.2]",
			notes: `task "A", arm "b" is not measured. fit and bounds use the others; fc and fb cannot simulate it. Measure it, or leave it out by unmeasured="drop"` + "\n" +
				`task "A", arm "b" is without a standard deviation. The standard deviation pooled over the task's other arms is used, or over all tasks if the task has none`},
		{file: "wide-category.csv", want: "[A B] | [a b a b] | [41.5 44 30 29] | [1.2 1.2 0.8 0.8]",
			notes: "column \"x_oil\" has text. Its values are categories without an order, with the codes mineral = 0, ester = 1"},
		{file: "wide-category-typo.csv", want: `FILE:3:5: column "x_oil": expected a finite number, got "l80"`},
		{file: "wide-comment.csv", want: `FILE:1: unknown column "comment"; expected task, arm, mean, sd, reps, cost, or a name that begins with x_ (arm feature) or z_ (task feature)`},
		{file: "excel-sep-line.csv", long: Long{Task: []string{"machin"}, Arm: []string{"temp"}, Reward: "throughput"}, want: `FILE:1: no column "machin"; the columns are machine, temp, throughput`},
		{file: "excel-sep-line.csv", long: Long{Task: []string{"machine"}, Arm: []string{"temp"}, Reward: "Temp"}, want: `FILE:1: column "temp" is named for two roles. A column can have only one role, such as task or arm`},
	} {
		t.Run(c.file+" "+c.noise, func(t *testing.T) {
			path := filepath.Join("testdata", "tables", c.file)
			opt := LoadOptions{Noise: NoiseModel{Known: c.noise}, Drop: c.drop}
			if c.long.Reward != "" {
				opt.Long = &c.long
			}
			p, err := Load(path, independent, opt)
			if err != nil {
				var data *DataError
				if got := strings.ReplaceAll(err.Error(), path, "FILE"); got != c.want || p != nil || !errors.As(err, &data) {
					t.Errorf("loaded %v, error\n %s\nwant\n %s", p, got, c.want)
				}
				return
			}
			scales := make([]string, p.N())
			for i, s := range p.Noise.Scales {
				scales[i] = fmt.Sprintf("%.3g", s)
			}
			if got := fmt.Sprint(p.Tasks.Names, " | ", p.Arms.Names, " | ", p.Mean, " | ", scales); got != c.want {
				t.Errorf("got\n %s\nwant\n %s", got, c.want)
			}
			if got := strings.ReplaceAll(strings.Join(sentencesOf(p.Notes), "\n"), path+": ", ""); got != c.notes {
				t.Errorf("notes\n%s\nwant\n%s", got, c.notes)
			}
		})
	}
}

// A long table gives the problem that the wide one of its means and the rewards beside it give.
func TestLongIsWide(t *testing.T) {
	files := map[string]string{
		"long.csv": "y,m,t,s,age\n1,A,1,5,7\n3,A,1,5,7\n2,B,1,5,8\n5,A,2,5,7\n4,A,2,5,7\n1,B,1,5,8\n0,B,2,5,8\n1,B,2,5,8\n9,B,2,5,8\n",
		"wide.csv": "task,arm,x_t,x_s,z_age\nA,\"t=1, s=5\",1,5,7\nA,\"t=2, s=5\",2,5,7\nB,\"t=1, s=5\",1,5,8\nB,\"t=2, s=5\",2,5,8\n",
		"raw.csv":  "task,arm,rep,reward\nA,\"t=1, s=5\",1,1\nA,\"t=1, s=5\",2,3\nB,\"t=1, s=5\",1,2\nA,\"t=2, s=5\",1,5\nA,\"t=2, s=5\",2,4\nB,\"t=1, s=5\",2,1\nB,\"t=2, s=5\",1,0\nB,\"t=2, s=5\",2,1\nB,\"t=2, s=5\",3,9\n",
	}
	read := func(path string) ([]byte, error) { return []byte(files[path]), nil }
	for _, known := range []string{NoiseSD, NoiseTask, ""} {
		noise := NoiseModel{Known: known}
		got := try.Of(Load("long.csv", independent, LoadOptions{Read: read, Name: "p", Noise: noise, Long: &Long{Task: []string{"m"}, Arm: []string{"t", "s"}, Reward: "y", TaskFeatures: []string{"age"}}}))
		want := try.Of(Load("wide.csv", independent, LoadOptions{Read: read, Name: "p", Noise: noise, Rewards: "raw.csv"}))
		if got.Noise.Environment != EnvironmentPosterior || want.Noise.Environment != EnvironmentResampled {
			t.Errorf("long is simulated by %q, wide with its rewards by %q", got.Noise.Environment, want.Noise.Environment)
		}
		got.Noise.Environment = want.Noise.Environment
		for _, x := range [][2]any{
			{got.Mean, want.Mean}, {got.Reps, want.Reps}, {got.Rewards, want.Rewards}, {got.Noise, want.Noise}, {got.TaskOf, want.TaskOf},
			{got.Tasks.Names, want.Tasks.Names}, {got.Arms.Names, want.Arms.Names}, {got.Arms.X, want.Arms.X}, {got.Tasks.X, want.Tasks.X},
		} {
			if fmt.Sprint(x[0]) != fmt.Sprint(x[1]) {
				t.Errorf("noise %q: long %v, wide %v", known, x[0], x[1])
			}
		}
		if !slices.Equal(got.Arms.Columns, []string{"t", "s"}) || !slices.Equal(got.Tasks.Columns, []string{"age"}) {
			t.Errorf("columns %v and %v", got.Arms.Columns, got.Tasks.Columns)
		}
	}
}

// Measurements that are all alike say nothing of noise, and refuse no table: in a task they scatter as in the others,
// and where all are alike the noise is unknown.
func TestAllAlike(t *testing.T) {
	for text, want := range map[string]string{
		"site,arm,y\nA,a,0\nA,a,0\nA,b,0\nA,b,0\n":                             UnknownTested,
		"site,arm,y\nA,a,0\nA,a,0\nA,b,0\nA,b,0\nB,a,0\nB,a,1\nB,b,1\nB,b,0\n": "",
	} {
		p := try.Of(Load("t.csv", independent, LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }, Long: &Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"}}))
		if p.Noise.UnknownBy != want || slices.Min(p.Noise.Scales) <= 0 {
			t.Errorf("%q: noise %+v", text, p.Noise)
		}
	}
}

// Different combinations have different names, and equal numbers are equal however they are written.
func TestNamesOfCombinations(t *testing.T) {
	read := func(string) ([]byte, error) {
		return []byte("m,a,b,n,y\nT,\"1, b=2\",3,150,1\nT,1,\"2, b=3\",150.0,2\nT,1,\"2, b=3\",1.5e2,4\n"), nil
	}
	p := try.Of(Load("p.csv", independent, LoadOptions{Read: read, Long: &Long{Task: []string{"m"}, Arm: []string{"a", "b", "n"}, Reward: "y", ArmFeatures: []string{"n"}}}))
	if want := []string{`a="1, b=2", b=3, n=150`, `a=1, b="2, b=3", n=150`}; !slices.Equal(p.Arms.Names, want) || !slices.Equal(p.Mean, []float64{1, 3}) {
		t.Errorf("arms %q with means %v, want %q", p.Arms.Names, p.Mean, want)
	}
}

// Headers are read for completion as tables read them.
func TestHeader(t *testing.T) {
	for text, want := range map[string][]string{
		"\ufeffa;b c;\"d;e\"\r\n1;2;3\r\n": {"a", "b c", "d;e"},
		"sep=\t\na\tb\n":                   {"a", "b"},
		"a, b\n\"unfinished":               {"a", "b"},
		"":                                 nil,
	} {
		if got := Header([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Completion finds the header below what an instrument writes above it, and in no line of data.
func TestColumns(t *testing.T) {
	for text, want := range map[string][]string{
		"Instrument: X\nRun by, Ada\n\nm;t;y\nA;1,5;2,5\nB;1,5;2,5\n": {"m", "t", "y"},
		"m;t;y\nA;1,5;2,5\nB;x, y, z, u;2\n":                          {"m", "t", "y"},
		"a,b\n\"quoted, with\na line\",2\n":                           {"a", "b"},
		"\ufeffa;b c;\"d;e\"\r\n1;2;3\r\n":                            {"a", "b c", "d;e"},
		"":                                                            nil,
	} {
		if got := Columns([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzLoad wants no panic from any table, wide or long, and an error with its file or a whole problem.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/tables/*")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d tables, error %v", len(files), err)
	}
	for _, path := range files {
		data := try.Of(os.ReadFile(path))
		f.Add(data, "machine", "temp", "throughput")
		if header := Header(data); len(header) > 2 {
			f.Add(data, header[0], header[1], header[len(header)-1])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, task, arm, reward string) {
		read := func(string) ([]byte, error) { return data, nil }
		for k, long := range []*Long{nil, {Task: []string{task}, Arm: []string{arm}, Reward: reward}, {Task: []string{task}, Arm: []string{arm}, Reward: reward, TaskFeatures: []string{task}}, {Task: []string{task}, Arm: []string{task}, Reward: arm, SD: reward, Count: reward}} {
			opt := LoadOptions{Read: read, Long: long, Noise: NoiseModel{Scales: []float64{1}}, Drop: k == 1, Standardize: k == 2}
			if k == 2 {
				opt.Goal = GoalMin
			}
			p, err := Load("p.csv", independent, opt)
			if err != nil {
				var data *DataError
				if p != nil || !errors.As(err, &data) || !strings.HasPrefix(err.Error(), "p.csv") {
					t.Errorf("loaded %v, error %v", p, err)
				}
				continue
			}
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			for _, note := range p.Notes {
				if !strings.HasPrefix(note.String(), "p.csv: ") {
					t.Errorf("the note %q does not begin with the file", note)
				}
			}
		}
	})
}
