package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const inputs = "testdata/inputs"

// answered is what a program reads of the answer of best.
type answered struct {
	Picks []struct {
		Task     string         `json:"task"`
		Features map[string]any `json:"features"`
		P        float64        `json:"probability_within"`
	} `json:"picks"`
}

// A tableInput is a table as people have it, with the columns that they name and the right answer.
type tableInput struct {
	file string
	args string            // after the file, separated by blanks
	want map[string]string // by task: the values of the pick
	// what warnings, notes and errors say, on standard error or in JSON
	says  []string
	least float64 // probability that every pick has at least
	most  float64 // and at most; 0 means 1
	fails bool
}

var tableInputs = []tableInput{
	{file: "versions.csv", args: "--task machine --arm cuda --reward images_per_s", want: map[string]string{"m1": "12.1", "m2": "12.1"},
		says: []string{"12.1 and 12.10"}}, // one setting by the rule for numbers, and it is said
	{file: "versions.csv", args: "--task machine --arm cuda --reward images_per_s --text cuda",
		want: map[string]string{"m1": "12.10", "m2": "12.10"}, least: 0.99},
	{file: "leading-zeros.csv", args: "--task store --arm shelf --reward sold", want: map[string]string{"01": "y", "1": "x"}, least: 0.99,
		says: []string{"01 and 1"}},
	{file: "small-units.csv", args: "--task sensor --arm coating --reward current_A", want: map[string]string{"s1": "q", "s2": "q"}, least: 0.99},
	{file: "first-plate.csv", args: "--task reaction --arm ligand --reward yield_percent", most: 0.5, says: []string{`"undetermined"`}},
	{file: "task-scales.csv", args: "--task table --arm engine --reward seconds --goal min", want: map[string]string{"small": "p", "large": "r"}, least: 0.99},
	{file: "detection-limit.csv", args: "--task site --arm additive --reward impurity --goal min", want: map[string]string{"s1": "b", "s2": "c"},
		says: []string{"has limits instead of some values"}},
	{file: "arange.csv", args: "--task site --arm dose --reward y --next 4", want: map[string]string{"a": "0.30000000000000004"}, least: 0.95},
	{file: "default-to-csv.csv", args: "--task machine --arm temp --reward output", want: map[string]string{"A": "150", "B": "180"}, least: 0.95},
	{file: "write-table.tsv", args: "--task machine --arm temp --reward output", want: map[string]string{"A": "150"}, least: 0.95},
	{file: "na-name.csv", args: "--task country --arm page --reward rate", fails: true, says: []string{"NA", `text="country"`}},
	{file: "na-name.csv", args: "--task country --arm page --reward rate --text country", want: map[string]string{"NA": "y", "ZA": "x"}, least: 0.95},
	{file: "all-equal.csv", args: "--task site --arm dose --reward y", most: 0.5, says: []string{`"undetermined"`}},
	{file: "zero-trials.csv", args: "--task site --arm arm --successes won --trials shown"},
	{file: "header-newline.csv", args: "--task site --arm variety --reward yield␣(t/ha)", want: map[string]string{"a": "q"}},
	{file: "pipes.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q"}},
	{file: "confounded.csv", args: "--task task --arm arm --reward y --blocks day", most: 0.9, says: []string{"day"}},
	{file: "one-option.csv", args: "--task site --arm arm --reward y", want: map[string]string{"a": "q", "b": "q", "c": "p"}},
	{file: "pasted-twice.csv", args: "--task line --arm resin --arm temp --reward output", most: 0.9, says: []string{"repeat"}},
	{file: "header-twice.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{`the second is renamed "yield.1"`}},
	{file: "header-twice.csv", args: "--task site --arm variety --reward yield.1", want: map[string]string{"A": "p", "B": "p"}, least: 0.99},
	{file: "below-detection.csv", args: "--task site --arm additive --reward impurity --goal min", fails: true, says: []string{`4 "ND"`, "<0.05"}},
	{file: "below-detection.csv", args: "--task site --arm additive --reward impurity", want: map[string]string{"A": "q", "B": "q"},
		says: []string{`4 measurements count as failed ("ND")`}},
	{file: "units-row.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"units below the header"}},
	{file: "joined-files.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"repeat the header"}},
	{file: "markdown-table.md", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"draw a line"}},
	{file: "legend.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"neither a value nor a name"}},
	{file: "dos-end.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "totals.csv", args: "--task site --arm variety --reward yield", says: []string{`\"Total\" in column \"variety\" looks like a total`}},
	{file: "totals.csv", args: "--task site --arm variety --reward yield --where col('variety')␣!=␣'Total'", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "thousands.csv", args: "--task site --arm arm --successes won --trials shown", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"such as 1,100"}},
	{file: "thousands-points.csv", args: "--task site --arm arm --reward sales", want: map[string]string{"A": "q", "B": "q"}, least: 0.99,
		says: []string{"such as 1.100,50"}},
	{file: "rounded-copy.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, says: []string{"lines 8 to 13 repeat lines 2 to 7"}},
	{file: "renumbered-copy.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, says: []string{"lines 8 to 13 repeat lines 2 to 7"}},
	{file: "copy-not-code.csv", args: "--arm arm --reward y", want: map[string]string{"all": "q"}, says: []string{"lines 10 to 17 repeat lines 2 to 9"}},
	{file: "minus-one.csv", args: "--task site --arm page --reward clicked", says: []string{"the value -1 of clicked occurs 18 times"}},
	{file: "minus-one.csv", args: "--task site --arm page --reward clicked --where col('clicked')␣!=␣-1", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "unit-column.csv", args: "--task site --arm variety --reward yield", says: []string{`several values in a task, such as \"mg\" and \"g\"`}},
	{file: "unit-column.csv", args: "--task site --arm variety --reward yield --where col('unit')␣==␣'g'", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "melted.csv", args: "--task site --arm variety --reward value", says: []string{`such as \"yield\" and \"height\"`}},
	{file: "melted.csv", args: "--task site --arm variety --reward value --where col('variable')␣==␣'yield'", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "utf16.txt", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "timeouts.csv", args: "--task node --arm threads --reward seconds --goal min", want: map[string]string{"A": "1", "B": "1"}, least: 0.99,
		says: []string{`6 measurements count as failed ("TIMEOUT")`}},
	{file: "inches.csv", args: "--task site --arm tube --reward yield", want: map[string]string{"A": `3/4"`, "B": `3/4"`}, least: 0.99},
	{file: "old-mac.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "packed.csv.gz", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.99},
	{file: "narrow-blanks.csv", args: "--task store --arm shelf --reward sales", want: map[string]string{"A": "q", "B": "q"}, least: 0.99, says: []string{"numbers have decimal commas"}},
	{file: "crashed-runs.csv", args: "--task site --arm lr --reward loss --goal min",
		want: map[string]string{"A": "0.2", "B": "0.3"}, says: []string{"even with a value: 3 crashed", "--failed false"}},
	{file: "crashed-runs.csv", args: "--task site --arm lr --reward loss --goal min --failed false", says: []string{`3 of the measured rows`, "col('error') != nil"}},
	{file: "crashed-runs.csv", args: "--task site --arm lr --reward loss --goal min --failed col('error')␣!=␣nil",
		want: map[string]string{"A": "0.2", "B": "0.3"}, says: []string{"3 measurements count as failed (by the condition failed=)"}},
	{file: "percentages.csv", args: "--task site --arm arm --reward won --count shown", says: []string{`are percentages of \"shown\"`}},
	{file: "limits-commas.csv", args: "--task site --arm additive --reward impurity --goal min", want: map[string]string{"s1": "b", "s2": "b"}, least: 0.95,
		says: []string{"has limits instead of some values: 3 below"}},
	{file: "sas-dot.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.95},
	{file: "write-csv2.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.95},
	{file: "spss-null.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.95},
	{file: "failed-words.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "q", "B": "q"}, least: 0.95, says: []string{"échec"}},
	{file: "date-names.csv", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "1-Mar", "B": "1-Mar"}, least: 0.95},
	{file: "uint64.parquet", args: "--task site --arm variety --reward yield", want: map[string]string{"A": "18446744073709551614"}, least: 0.95},
	{file: "yesno.csv", args: "--task site --arm variety --reward worked", want: map[string]string{"A": "q", "B": "q"}, least: 0.95},
	{file: "truths-german.csv", args: "--task site --arm variety --reward worked", want: map[string]string{"A": "q", "B": "q"}, least: 0.95},
	{file: "candidates.csv", args: "--task reaction --arm ligand --arm base --reward yield", fails: true, says: []string{"0 of its 8 arms are measured"}},
}

// TestTablesOfStrangers: tables as other programs and people write them have the right answer, or the right words.
func TestTablesOfStrangers(t *testing.T) {
	for _, in := range tableInputs {
		name := in.file + " " + in.args
		t.Run(name, func(t *testing.T) {
			args := append([]string{"best", filepath.Join(inputs, in.file), "--format", "json"}, strings.Split(in.args, " ")...)
			for k := range args {
				args[k] = strings.ReplaceAll(args[k], "␣", " ")
			}
			var said strings.Builder
			c := exec.Command("gonb-cope", args...)
			c.Stderr = &said
			out, err := c.Output()
			if (err != nil) != in.fails {
				t.Fatalf("error %v: %s", err, said.String())
			}
			var d struct {
				Displays []struct {
					Value answered `json:"value"`
				} `json:"displays"`
			}
			if !in.fails {
				if err := json.Unmarshal(out, &d); err != nil || len(d.Displays) == 0 {
					t.Fatalf("%v: %s", err, out)
				}
			}
			text := said.String() + string(out)
			for _, want := range in.says {
				if !strings.Contains(text, want) {
					t.Errorf("nothing says %q: %s", want, said.String())
				}
			}
			if in.fails {
				return
			}
			in.judge(t, d.Displays[0].Value)
		})
	}
}

// judge compares an answer with the right one.
func (in tableInput) judge(t *testing.T, a answered) {
	t.Helper()
	if in.want != nil && len(a.Picks) != len(in.want) {
		t.Errorf("%d picks, want %d", len(a.Picks), len(in.want))
	}
	for _, p := range a.Picks {
		var values []string
		for _, v := range p.Features {
			values = append(values, fmt.Sprint(v))
		}
		if want, known := in.want[p.Task]; known && !slices.Contains(values, want) {
			t.Errorf("task %q: pick %v, want %s", p.Task, p.Features, want)
		}
		if most := in.most; p.P < in.least || most > 0 && p.P > most {
			t.Errorf("task %q: probability %g, want %g to %g", p.Task, p.P, in.least, math.Max(most, 0))
		}
	}
}

// notebookInputs has what a report of a notebook contains, and must not.
var notebookInputs = map[string]struct{ has, lacks []string }{
	"python-cells.ipynb":  {has: []string{"```python"}, lacks: []string{"```go"}},
	"attachment.ipynb":    {has: []string{".png"}, lacks: []string{"is missing"}},
	"math-in-table.ipynb": {has: []string{"|x|", "two"}},
	"hidden.ipynb":        {has: []string{"<details>"}, lacks: []string{"print("}},
	"tag.ipynb":           {has: []string{"(1)"}},
}

// TestNotebooksOfStrangers: what notebooks of other kernels hold is in their reports.
func TestNotebooksOfStrangers(t *testing.T) {
	for name, in := range notebookInputs {
		for _, ending := range []string{".md", ".html"} {
			to := filepath.Join(t.TempDir(), "report"+ending)
			out, err := exec.Command("gonb-cope", "report", filepath.Join(inputs, name), "--no-execute", "-o", to).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
				continue
			}
			data := try.Of(os.ReadFile(to))
			text := string(data) + string(out)
			for _, want := range in.has {
				if ending == ".md" && !strings.Contains(text, want) && !(want == "(1)" && strings.Contains(text, `\tag{1}`)) &&
					!(want == "|x|" && strings.Contains(text, `\|x\|`)) && !(want == "|x|" && strings.Contains(text, `\vert{}x\vert{}`)) {
					t.Errorf("%s%s lacks %q:\n%s", name, ending, want, text)
				}
			}
			for _, not := range in.lacks {
				if strings.Contains(text, not) {
					t.Errorf("%s%s has %q", name, ending, not)
				}
			}
		}
	}
}

// scriptInputs has a last line for each Python script, which prints True where the right thing happened.
var scriptInputs = map[string]string{
	"versions.py":        `print(cope.maximize(speed, arms=["3.1", "3.9", "3.10"], budget=12).arm == "3.10" and calls["3.10"] >= 2)`,
	"failing-option.py":  `print(calls["p"] <= 3)`,
	"after-certainty.py": `print(calls["worst"] <= 6)`,
	"infinite.py":        `print(list(s.picks(s.best()).values())[0] == s.told[0][0].arm)`,
	"raises.py":          `print(n == 20)`,
	"none-choice.py":     `print(study.best_params == {"penalty": "l1"})`,
	"pending.py":         `a = cope.Strategy(arms=["p", "q", "r", "s", "t"]); x, y = ({t.arm for t in a.ask(2)} for _ in range(2)); print(bool(y) and not x & y)`,
	"list-column.py":     `print(len(cope.problem(df, task="s", arm="arm", reward="y").json["tasks"]) == 1)`,
	"array.py":           `print(True)`,
	"int-columns.py":     `print(True)`,
	"save-xlsx.py":       "import pathlib; print(pathlib.Path('file.xlsx').read_bytes()[:2] == b'PK')",
	"stale-cells.py":     `print(said == [1, True, True, True, True, 0.5])`,
	"dataframe-part.py":  `print(len(said) == 2 and all("is a table" in s for s in said))`,
}

// TestScriptsOfStrangers: loops of Python measure what they should, and errors of functions lose nothing.
func TestScriptsOfStrangers(t *testing.T) {
	python := os.Getenv("GONB_COPE_PYTHON")
	if python == "" {
		t.Skip("GONB_COPE_PYTHON names no Python with pandas and optuna: make python-env installs one from PyPI")
	}
	command := try.Of(exec.LookPath("gonb-cope"))
	root := try.Of(filepath.Abs("../../python"))
	for name, last := range scriptInputs {
		t.Run(name, func(t *testing.T) {
			code, err := os.ReadFile(filepath.Join(inputs, name))
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Command(python, "-W", "ignore", "-")
			c.Dir = t.TempDir()
			c.Env = append(os.Environ(), "PYTHONPATH="+root, "GONB_COPE="+command)
			c.Stdin = strings.NewReader(string(code) + "\n" + last + "\n")
			out, err := c.CombinedOutput()
			text := strings.TrimSpace(string(out))
			if err != nil || !strings.HasSuffix(text, "True") {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

// TestInputsAreTried: every input has its right value in one of the lists above.
func TestInputsAreTried(t *testing.T) {
	files := try.Of(os.ReadDir(inputs))
	for _, f := range files {
		_, notebook := notebookInputs[f.Name()]
		_, script := scriptInputs[f.Name()]
		if !notebook && !script && !slices.ContainsFunc(tableInputs, func(in tableInput) bool { return in.file == f.Name() }) {
			t.Errorf("%s has no right value", f.Name())
		}
	}
}

// TestCampaignsOfStrangers: a campaign begins with candidates alone, with a first plate of zeros, and with a list before data are attached.
func TestCampaignsOfStrangers(t *testing.T) {
	for name, in := range map[string]struct{ table, rest, reward, says, lacks string }{
		"candidates alone": {"candidates.csv", `task="reaction", arm=["ligand", "base"], reward="yield"`, "", "", "Go "},
		"a plate of zeros": {"candidates.csv", `task="reaction", arm=["ligand", "base"], reward="yield"`, "0", "All measurements are 0", "more than"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(inputs, in.table))
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			for file, text := range map[string]string{"plan.csv": string(data),
				"c.cope": `p = problem(data="plan.csv", ` + in.rest + ")\nc = protocol(p, budget=4, plate=4, capacity=4, runs=2)\n"} {
				try.To(os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
			}
			run := func(args ...string) string {
				t.Helper()
				c := exec.Command("gonb-cope", append([]string{"campaign"}, args...)...)
				c.Dir = folder
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
				}
				return string(out)
			}
			run("start", "c", "c.cope")
			run("ask", "c", "--by", "Ann", "-o", "list.csv")
			list, err := os.ReadFile(filepath.Join(folder, "list.csv"))
			if rows := strings.Count(strings.TrimSpace(string(list)), "\n"); err != nil || rows != 4 {
				t.Fatalf("%d rows, %v: %s", rows, err, list)
			}
			if in.reward != "" {
				rows := try.Of(csv.NewReader(strings.NewReader(string(list))).ReadAll())
				at := slices.Index(rows[0], "reward")
				for _, row := range rows[1:] {
					row[at] = in.reward
				}
				var told strings.Builder
				try.To(csv.NewWriter(&told).WriteAll(rows))
				try.To(os.WriteFile(filepath.Join(folder, "list.csv"), []byte(told.String()), 0o600))
				run("tell", "c", "list.csv", "--by", "Ann")
			}
			status := run("status", "c")
			if !strings.Contains(status, in.says) || strings.Contains(status, in.lacks) {
				t.Errorf("%s", status)
			}
		})
	}
}

// TestProposalsForStrangers: without columns, the command that is proposed takes means with their standard deviations and counts, and none is
// proposed for a table with a column for each option.
func TestProposalsForStrangers(t *testing.T) {
	for table, want := range map[string][]string{
		"site,variety,yield_mean,yield_sd,yield_n\nA,p,1.05,0.10,3\nA,q,5.1,0.11,4\nB,p,1.25,0.12,3\nB,q,5.45,0.13,4\n": {
			"--task site --arm variety --reward yield_mean --sd yield_sd --count yield_n"},
		"site,variety,mean,sd,n\nA,p,1.05,0.1,3\nA,q,5.1,0.1,3\nB,p,1.25,0.1,3\nB,q,5.45,0.1,3\n": {"--reward mean --sd sd --count n"},
		"task,a,b,c\nt1,1.1,5.2,2.2\nt2,1.3,5.5,2.1\nt3,0.9,5.1,2.4\n":                            {"But a, b, c may be options in columns", "table.melt"},
		",a,b,c\nt1,1.1,5.2,2.2\nt2,1.3,5.5,2.1\nt3,0.9,5.1,2.4\n":                                {"But a, b, c may be options in columns"},
		"site,variety,yield\nA,p,<0.05\nA,q,41.5\nB,p,<0.05\nB,q,43.5\n":                          {"detection limits such as <0.05"},
		"n,Tool,Time\n10,R,1.5\n10,Py,2.5\n1000,R,15.5\n1000,Py,25.5\n":                           {"--task n --arm Tool --reward Time"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		try.To(os.WriteFile(path, []byte(table), 0o600))
		out, err := exec.Command("gonb-cope", "best", path).CombinedOutput()
		for _, text := range want {
			if err != nil || !strings.Contains(string(out), text) {
				t.Errorf("error %v, nothing says %q: %s", err, text, out)
			}
		}
	}
}

// TestOrdersOfStrangers: a campaign names the same recommended arms whether a list is made before or after data are attached, and a
// setting that differs a little from the planned one can be recorded.
func TestOrdersOfStrangers(t *testing.T) {
	twice := try.Of(os.ReadFile(filepath.Join(inputs, "pasted-twice.csv")))
	lines := strings.SplitAfter(string(twice), "\n")
	var recommended []string
	for _, order := range [][]string{{"ask", "attach"}, {"attach", "ask"}} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "pilot.csv"), strings.Join(lines[:9], ""))
		write(t, filepath.Join(folder, "set.csv"), "line,resin,temp,output\nA,r1,150.2,20.5\n")
		write(t, filepath.Join(folder, "w.cope"), `p = problem(data="pilot.csv", task="line", arm=["resin", "temp"], reward="output", goal="min")`+
			"\nw = protocol(p, budget=8, plate=4, capacity=4, runs=4)\n")
		run := func(fails bool, args ...string) string {
			t.Helper()
			c := exec.Command("gonb-cope", append([]string{"campaign"}, args...)...)
			c.Dir = folder
			out, err := c.CombinedOutput()
			if (err != nil) != fails {
				t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
			}
			return string(out)
		}
		run(false, "start", "w", "w.cope")
		for _, act := range order {
			run(false, map[string][]string{"ask": {"ask", "w", "--by", "Ann", "-o", "list.csv"}, "attach": {"attach", "w", "pilot.csv", "--by", "Ann"}}[act]...)
		}
		_, found, _ := strings.Cut(run(false, "status", "w"), "Recommendation")
		found, _, _ = strings.Cut(found, "Open lists")
		if recommended = append(recommended, found); found != recommended[0] || !strings.Contains(found, "r2, 180") || strings.Contains(found, "150") {
			t.Errorf("%v: recommended%s", order, found)
		}
		if said := run(true, "attach", "w", "set.csv", "--by", "Ann"); !strings.Contains(said, "temp=150.2 instead of 150") {
			t.Errorf("%s", said)
		}
		if said := run(false, "attach", "w", "set.csv", "--by", "Ann", "--tolerance", "temp=0.5"); !strings.Contains(said, "1 new") {
			t.Errorf("%s", said)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	try.To(os.WriteFile(path, []byte(content), 0o600))
}
