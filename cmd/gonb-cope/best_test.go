package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/bestcall"
)

// A newcomer names the table alone and gets a command to copy. For each table that dsl.TestBestOfStrangersTables answers
// at the first try, it is the command of that test, except for commands that name more.
func TestCommandToCopy(t *testing.T) {
	const root = "../../"
	const tables, public, own = root + "engine/problem/testdata/tables", root + "engine/problem/testdata/public", root + "notebooks/data"
	const machines = `--arm temp --reward throughput`
	right := 0
	for _, c := range []struct{ folder, file, want string }{
		{tables, "excel-german.csv", `--task Maschine --arm Temperatur --reward Durchsatz`},
		{tables, "excel-sep-line.csv", machines}, // of one machine: one task
		{tables, "excel-trailing.csv", machines},
		{tables, "instrument-preamble-named.csv", ""}, // its header has to be found first
		{tables, "pandas-index.csv", machines},
		{tables, "r-write-csv.csv", machines},
		{tables, "single-replicates.csv", "--task machine " + machines},
		{tables, "pilot-gaps.csv", "--task machine " + machines},
		{tables, "multiline-comment.csv", machines},
		{tables, "instrument.tsv", `--task "Sample ID" --arm "Speed, rpm" --reward "Yield [%]"`}, // all at one temperature
		{tables, "summaries.csv", `--task machine --arm temp --reward mean_throughput`},          // without --sd and --count
		{public, "penguins-raw.csv", ""},                                                         // eight columns of measurements
		{public, "barley.csv", `--task site --arm variety --reward yield --blocks year`},
		{public, "suzuki.csv", `--arm temperature --arm pd_mol --arm arbpin --arm k3po4 --reward yield`},
		{own, "cn_coupling_raw.csv", `--task task --arm arm --reward reward --blocks rep`},
		{own, "pilot-runs.csv", `--task Halide --arm Base --arm Ligand --arm Additive --reward "Yield (%)"`},
		{own, "coupling-runs.csv", `--task Halide --arm Base --arm Ligand --arm Additive --reward "Yield (%)"`},
		{root + "cmd/gonb-cope/testdata", "losses.csv", `--task model --arm lr --reward val_loss --goal min`},
	} {
		path := filepath.Join(c.folder, c.file)
		d, err := problem.Describe(path, problem.LoadOptions{})
		if err != nil {
			if c.want != "" {
				t.Errorf("%s: %v", c.file, err)
			}
			continue
		}
		o := bestOptions{Call: bestcall.New()}
		var b strings.Builder
		if err := o.describe(t.Context(), &b, d); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		line := regexp.MustCompile(`(?m)^  gonb-cope best (.*)$`).FindStringSubmatch(b.String())
		switch {
		case line == nil:
			t.Errorf("%s: no command in\n%s", c.file, &b)
		case c.want != "" && line[1] != shell.Quote(path)+" "+c.want:
			t.Errorf("%s: %s, want %s", c.file, line[1], c.want)
		case c.want != "":
			right++
		}
	}
	if right < 15 {
		t.Errorf("%d commands to copy", right)
	}
}

// The quotes of a proposed command work in every shell, except for an argument that a shell changes inside them.
func TestQuotesForAllShells(t *testing.T) {
	for argument, want := range map[string]string{
		"runs.csv": "runs.csv", "": `""`, "Yield (%)": `"Yield (%)"`, `C:\data\runs.csv`: `"C:\data\runs.csv"`, "Temp °C": `"Temp °C"`,
		`5" plate`: `'5" plate'`, "cost in $": `'cost in $'`, "Bob's plate": `"Bob's plate"`, `C:\`: `'C:\'`,
	} {
		if got := shell.Quote(argument); got != want {
			t.Errorf("%s: %s, want %s", argument, got, want)
		}
	}
}

// Each flag of best and run is in one group of its help.
func TestFlagsAreGrouped(t *testing.T) {
	for _, x := range []struct {
		command *cobra.Command
		groups  []flagGroup
	}{{bestCommand(), bestGroups}, {runCommand(), runGroups}} {
		count := map[string]int{}
		for _, g := range x.groups {
			for _, name := range g.names {
				count[name]++
			}
		}
		x.command.Flags().VisitAll(func(f *pflag.Flag) {
			if count[f.Name] != 1 {
				t.Errorf("%s --%s is in %d groups", x.command.Name(), f.Name, count[f.Name])
			}
		})
	}
}

// A command that the table refuses is not proposed: what is wrong is said in its place. If nothing looks like options the
// command has a gap to fill in.
func TestNoCommandThatFails(t *testing.T) {
	for _, c := range []struct{ table, want, not string }{
		{"option,yield\na,1\na,2\na,3\nb,3O.5\nb,4\nb,5\n", `runs.csv:5:3: column "yield": expected a finite number, got "3O.5"`, "Perhaps"},
		{"option,yield\na,1\na,2\na,3\nb,12 g\nb,4\nb,5\n", "No command is proposed", "Perhaps"},
		{"option,yield\na,1 g\na,2 g\na,1 g\nb,2 g\n", "--reward COLUMN", "Perhaps"},
		{"task,opt,y\ns,a,45 mg\ns,b,50 mg\nu,a,47 mg\nu,b,30 mg\n", `such as "45 mg". Write only the numbers`, "it differs in every row"},
		{"time,value\n1,3\n2,4\n3,5.5\n", "--arm COLUMN --reward value", "Perhaps"},
		{"task,opt,y\ns,a,1.2\ns,b,3.1\nu,a,1.3\nu,b,2.9\nTotal,,8.5\n", `column "opt" has no value here`, "Perhaps"},
		{"task,temp,y\n-,°C,g/l\ns,20,3.1\ns,30,1.3\nu,20,2.9\nu,30,1.5\n", "--task task --arm temp --reward y\n", "COLUMN"},
		{"opt,trials,successes\na,100,40\nb,100,60\nc,90,40\n", "--arm opt --successes successes --trials trials\n", "COLUMN"},
		{"Name,Score\nA,5.1\nB,6.2\nC,4.9\n", "--arm Name --reward Score\n", "COLUMN"},
		{"Bench,Jahr,Behandlung,Ertrag\n1,2021,K,5.1\n1,2022,N,7.2\n2,2021,N,7.1\n2,2022,P,6.1\n3,2021,P,6.3\n3,2022,K,5.2\n",
			"--arm Behandlung --reward Ertrag --blocks Bench\n", "--task"},
		{"option,yield\na,<0.5\na,2\nb,crash\nb,4\nc,3\nc,5\n", "--arm option --reward yield\n", "where"},
		{"option,yield\na,<0.5\na,2\nb,crash\nb,4\nc,3\nc,5\n", `; detection limits such as <0.5 in 1 cell; 1 cell without a number; text: "crash"`, "where"},
	} {
		path := filepath.Join(t.TempDir(), "runs.csv")
		try.To(os.WriteFile(path, []byte(c.table), 0o600))
		d := try.Of(problem.Describe(path, problem.LoadOptions{}))
		o := bestOptions{Call: bestcall.New()}
		var b strings.Builder
		if err := o.describe(t.Context(), &b, d); err != nil {
			t.Error(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%q gives\n%s", c.table, got)
		}
	}
}

// With --bounded no interval leaves the limits; limits that are none are a mistake of usage.
func TestBounded(t *testing.T) {
	args := []string{"best", "../../notebooks/data/pilot-runs.csv", "--task", "Halide", "--arm", "Base", "--arm", "Ligand", "--reward", "Yield (%)", "--format", "json"}
	out := try.Of(exec.Command("gonb-cope", append(args, "--bounded", "0,100")...).Output())
	var d struct {
		Displays []struct {
			Value struct {
				Picks []struct {
					CI95 [2]float64 `json:"ci95"`
				} `json:"picks"`
			} `json:"value"`
		} `json:"displays"`
	}
	if err := json.Unmarshal(out, &d); err != nil || len(d.Displays) != 1 || len(d.Displays[0].Value.Picks) != 3 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, p := range d.Displays[0].Value.Picks {
		if p.CI95[0] < 0 || p.CI95[1] > 100 {
			t.Errorf("an interval %v", p.CI95)
		}
	}
	for _, wrong := range []string{"100,0", "0", "a,b", "0,1,2"} {
		if out, err := exec.Command("gonb-cope", append(args, "--bounded", wrong)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "--bounded must be two numbers") {
			t.Errorf("%s: %v, %s", wrong, err, out)
		}
	}
}
