package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Tables of strangers are answered by naming their columns, with nothing else to choose. Where one arm of a task
// is far ahead of the others, by the means that TestStrangersTables and TestPublicTables have, it is the pick.
func TestBestOfStrangersTables(t *testing.T) {
	const tables, public, own = "../engine/problem/testdata/tables", "../engine/problem/testdata/public", "../notebooks/data"
	const machines = `task="machine", arm="temp", reward="throughput"`
	// Tables without clear leaders have no picks: any answer will do that hangs together.
	for _, c := range []struct {
		folder, file, columns string
		picks                 string // "TASK: ARM" of clear tasks, in lines
	}{
		{tables, "excel-german.csv", `task="maschine", arm="temperatur", reward="durchsatz"`, "A: temperatur=180\nB: temperatur=150"},
		{tables, "excel-sep-line.csv", machines, "A: temp=180"},
		{tables, "excel-trailing.csv", machines, "A: temp=180"},
		{tables, "instrument-preamble-named.csv", machines, "A: temp=180"},
		{tables, "pandas-index.csv", machines, "A: temp=180.0"},
		{tables, "r-write-csv.csv", machines, ""},
		{tables, "single-replicates.csv", machines, ""},
		{tables, "pilot-gaps.csv", machines, ""},
		{tables, "multiline-comment.csv", machines, ""},
		{tables, "instrument.tsv", `task="Sample ID", arm=["temp (°c)", "speed, rpm"], reward="Yield [%]"`, "S-1: temp (°c)=150, speed, rpm=20\nS-2: temp (°c)=150, speed, rpm=10"},
		{tables, "summaries.csv", `task="machine", arm="temp", reward="mean_throughput", sd="std dev", count="n"`, ""},
		{public, "penguins-raw.csv", `task="Island", arm="Species", reward="Body Mass (g)"`, "Biscoe: Gentoo penguin (Pygoscelis papua)"},
		{public, "barley.csv", `task="site", arm="variety", reward="yield"`, ""},
		{public, "suzuki.csv", `task="temperature", arm=["pd_mol", "arbpin", "k3po4"], reward="yield"`, ""},
		{own, "cn_coupling_raw.csv", `task="task", arm="arm", reward="reward"`, ""},
		{own, "stroke.csv", "", ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			if testing.Short() && slices.Contains([]string{"suzuki.csv", "cn_coupling_raw.csv", "barley.csv", "stroke.csv"}, c.file) {
				t.Skip("takes seconds")
			}
			t.Parallel()
			call := `problem("` + c.file + `")` // without columns, a table with a row for each arm
			if c.columns != "" {
				call = `problem(data="` + c.file + `", ` + c.columns + ")"
			}
			values := try.Of(evalText(NewSession(Options{Folder: c.folder}), "p = "+call+"\nbest(p, next=3)"))
			a := values[0].(answer.Answer)
			picks := ""
			for _, x := range a.Picks {
				picks += "\n" + x.Task + ": " + x.Arm
				if !(x.Within > 0 && x.Within <= 1) || !(x.CI95[0] <= x.Estimate && x.Estimate <= x.CI95[1]) || !(x.Loss >= 0) {
					t.Errorf("task %q: probability %g, estimate %g in [%g, %g], loss %g", x.Task, x.Within, x.Estimate, x.CI95[0], x.CI95[1], x.Loss)
				}
			}
			for want := range strings.Lines(c.picks) { // each of the picks that are clear
				if !strings.Contains(picks+"\n", "\n"+strings.TrimSuffix(want, "\n")+"\n") {
					t.Errorf("picks%s\nwant %s", picks, want)
				}
			}
			next := 0
			for _, x := range a.Next {
				next += x.Count
			}
			if next != 3 {
				t.Errorf("%d measurements to make next, want 3", next)
			}
		})
	}
}
