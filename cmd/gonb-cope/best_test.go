package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// A newcomer names the table alone and gets a command to copy. Of the tables that dsl.TestBestOfStrangersTables answers by
// such a command, at the first try, it is the one that names columns as there, but for those that say more.
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
		{tables, "instrument.tsv", `--task 'Sample ID' --arm 'Speed, rpm' --reward 'Yield [%]'`}, // all at one temperature
		{tables, "summaries.csv", `--task machine --arm temp --reward mean_throughput`},          // without --sd and --count
		{public, "penguins-raw.csv", ""},                                                         // eight columns of measurements
		{public, "barley.csv", `--task site --arm variety --arm year --reward yield`},            // a year may be chosen
		{public, "suzuki.csv", `--arm temperature --arm pd_mol --arm arbpin --arm k3po4 --reward yield`},
		{own, "cn_coupling_raw.csv", `--task task --arm arm --reward reward`},
		{own, "pilot-runs.csv", `--task Halide --arm Base --arm Ligand --arm Additive --reward 'Yield (%)'`},
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
		var o bestOptions
		o.columns = bestColumns()
		var b strings.Builder
		if err := o.describe(&b, d); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		line := regexp.MustCompile(`(?m)^  gonb-cope best (.*)$`).FindStringSubmatch(b.String())
		switch {
		case line == nil:
			t.Errorf("%s: no command in\n%s", c.file, &b)
		case c.want != "" && line[1] != quote(path)+" "+c.want:
			t.Errorf("%s: %s, want %s", c.file, line[1], c.want)
		case c.want != "":
			right++
		}
	}
	if right < 15 {
		t.Errorf("%d commands to copy", right)
	}
}
