package report

import (
	"bytes"
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

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// runSweep is a sweep of two cells with a record of its runs; the truth is unknown in
// the second.
func runSweep() sim.Sweep {
	known, unknown := fcResult(), undecidedResult()
	known.Runs, unknown.Runs = 3, 2
	known.Detail = &engine.Detail{
		Run: []int{1, 2, 3}, Samples: []float64{9000, 9100.5, 10000}, Rounds: []int{4, 4, 3}, Undecided: []bool{false, false, true},
		Wrong: []bool{false, true, false}, WrongTasks: []int{0, 2, 0}, Regret: []float64{0, 0.04, 1.0 / 3},
	}
	unknown.Detail = &engine.Detail{Run: []int{1, 2}, Samples: []float64{400, 400}, Rounds: []int{2, 2}, Undecided: []bool{true, true}}
	return sim.Sweep{Names: []string{"delta", "xi"}, Per: sim.PerRun, Rows: []sim.SweepRow{
		{Values: []any{0.005, "auto"}, Result: known}, {Values: []any{0.05, 0.25}, Result: unknown},
	}}
}

// tables are values of every kind that files of rows can hold.
func tables() map[string]any {
	odd := fcSweep()
	odd.Rows[0].Result.SamplesPerAgent.CI95 = [2]float64{math.Inf(-1), math.NaN()}
	odd.Rows[1].Result.Seed = math.MaxUint64
	interval := engine.Interval{Mean: 4.2, CI95: [2]float64{3.9, 4.6}}
	return map[string]any{
		"fc sweep": odd, "fb sweep": fbSweep(), "runs": runSweep(), "result": fcResult(), "results": []engine.Result{fcResult(), undecidedResult()},
		"bounds": boundsReport(), "spectrum": spectrum(), "hardness": hardness(), "number": 2.5, "text": "ä\n\"b\", c", "list": []any{1.5, "x", true},
		"matrix": []any{[]any{1.0, 2.0}, []any{3.0, 4.0}}, "empty": sim.Sweep{Names: []string{"gap"}},
		"comparisons": sim.Comparisons{Names: []string{"gap"}, Reference: "IndRAGE", Measure: "error", Rows: []sim.Comparison{
			{Values: []any{0.1}, Algorithm: "CoKernelFC", Difference: interval, Ratio: interval, Paired: true, Runs: 50},
			{Values: []any{0.2}, Algorithm: "CoKernelFC", Difference: interval, Runs: 20},
		}},
		"speedup": sim.Speedup{Names: []string{"lengthscale"}, Algorithm: "CoKernelFC", Alone: "IndRAGE", Tasks: 5, Rows: []sim.SpeedupRow{
			{Values: []any{0.5}, Beta: interval, ByRank: 1, ByHardness: 1.1}, {Values: []any{math.Inf(1)}, Beta: interval, ByRank: 5},
		}},
		"explanation": explanation(),
		"claims": sim.Claims{Rows: []sim.Claim{
			{Source: "[Du23, Sec. 5]", Case: 1, Name: "gap", Value: 0.1, Statement: "s", Quantity: "q", Measured: interval, Verdict: sim.ClaimHolds},
			{Source: "[Du23, Sec. 5]", Case: 2, Name: "gap", Value: 0.1, Statement: "s", Quantity: "q", Measured: interval, Verdict: sim.ClaimFails, Why: "w"},
		}},
	}
}

// CSV and Parquet hold the same table: columns in the same order, and cells that are
// the same numbers and texts, null where CSV is empty.
func TestParquetIsCSVWithTypes(t *testing.T) {
	for name, v := range tables() {
		want, got := csvRecords(t, v), parquetRecords(t, v)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-CSV +Parquet):\n%s", name, diff)
		}
	}
}

func csvRecords(t *testing.T, v any) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := CSV(&b, v); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// parquetRecords reads a Parquet file back as the text of its cells.
func parquetRecords(t *testing.T, v any) [][]string {
	t.Helper()
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		if err := Parquet(w, v); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same table is other bytes")
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var header []string
	for _, field := range f.Schema().Fields() {
		header = append(header, field.Name())
	}
	records := [][]string{header}
	reader := parquet.NewReader(f)
	defer reader.Close()
	row := make([]parquet.Row, 1)
	for range f.NumRows() {
		if n, err := reader.ReadRows(row); n != 1 {
			t.Fatal(err)
		}
		record := make([]string, len(header))
		for _, cell := range row[0] {
			record[cell.Column()] = cellText(cell, f.Schema().Fields()[cell.Column()])
		}
		records = append(records, record)
	}
	return records
}

func cellText(v parquet.Value, f parquet.Field) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() == parquet.Double:
		return field(v.Double())
	case strings.Contains(f.Type().String(), "INT(64,false)"):
		return fmt.Sprint(v.Uint64())
	}
	return v.String()
}

// The types are those that a reader expects: counts whole, intervals three numbers,
// names texts, and a column of "auto" and 0.25 texts.
func TestParquetTypes(t *testing.T) {
	var b bytes.Buffer
	if err := Parquet(&b, runSweep()); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, field := range f.Schema().Fields() {
		if !field.Optional() {
			t.Errorf("%s has no nulls", field.Name())
		}
		got[field.Name()] = field.Type().String()
	}
	want := map[string]string{
		"delta": "DOUBLE", "xi": "STRING", "problem": "STRING", "mode": "STRING", "algorithm": "STRING", "reference": "BOOLEAN", "schedule": "STRING",
		"epsilon": "DOUBLE", "budget": "DOUBLE", "ridge": "DOUBLE", "seed": "INT(64,false)", "run": "INT(64,true)", "samples": "DOUBLE",
		"rounds": "INT(64,true)", "wrong": "BOOLEAN", "undecided": "BOOLEAN", "wrong_tasks": "INT(64,true)", "regret": "DOUBLE",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// A row of a run has what is swept, the settings and what the run measured.
func TestRunRows(t *testing.T) {
	records := csvRecords(t, runSweep())
	want := []string{
		"delta,xi,problem,mode,algorithm,reference,schedule,epsilon,budget,ridge,seed,run,samples,rounds,wrong,undecided,wrong_tasks,regret",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,1,9000,4,false,false,0,0",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,2,9100.5,4,true,false,2,0.04",
		"0.005,auto,paper case 2,fc,CoKernelFC,false,tuned,,,1e-06,1,3,10000,3,false,true,0,0.3333333333333333",
		"0.05,0.25,coupling & <yield>,fc,CoKernelFC,false,tuned,0.02,,0.001,7,1,400,2,,true,,",
		"0.05,0.25,coupling & <yield>,fc,CoKernelFC,false,tuned,0.02,,0.001,7,2,400,2,,true,,",
	}
	var got []string
	for _, r := range records {
		got = append(got, strings.Join(r, ","))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	s := runSweep()
	s.Rows[1].Result.Detail = nil
	if err := CSV(&bytes.Buffer{}, s); err == nil || !strings.Contains(err.Error(), "no record of its single runs") {
		t.Errorf("error %v", err)
	}
}

// JSON has the single runs where they were asked for.
func TestJSONOfRuns(t *testing.T) {
	s := runSweep()
	for per, want := range map[string]bool{sim.PerRun: true, sim.PerCell: false, "": false} {
		s.Per = per
		var b bytes.Buffer
		if err := JSON(&b, Document{Displays: []Display{{Value: s}}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), `"wrong_tasks"`); got != want || s.Rows[0].Result.Detail == nil {
			t.Errorf("rows=%q: runs in JSON %v, want %v", per, got, want)
		}
	}
}

// Two columns of one name would be one column of Parquet.
func TestParquetErrors(t *testing.T) {
	twice := Table{Columns: []Column{text("gap", ""), text("gap", "")}, Rows: [][]any{{1.0, 2.0}}}
	for want, v := range map[string]any{
		"two columns of the table are called gap": twice,
		"a kernel has no rows and columns":        kernel(),
	} {
		if err := Parquet(&bytes.Buffer{}, v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Another implementation of the format reads the same.
func TestParquetElsewhere(t *testing.T) {
	const program = `import json, sys, pyarrow.parquet as q
t = q.read_table(sys.argv[1])
json.dump({"types": [str(f.type) for f in t.schema], "columns": t.column_names, "rows": [list(r.values()) for r in t.to_pylist()]}, sys.stdout)`
	if err := exec.Command("python3", "-c", "import pyarrow.parquet").Run(); err != nil {
		t.Skip("no python3 with pyarrow here")
	}
	path := filepath.Join(t.TempDir(), "runs.parquet")
	if err := Save(path, runSweep()); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("python3", "-c", program, path)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Types, Columns []string
		Rows           [][]any
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	records := csvRecords(t, runSweep())
	if !slices.Equal(got.Columns, records[0]) || len(got.Rows) != len(records)-1 {
		t.Fatalf("%d rows of %v", len(got.Rows), got.Columns)
	}
	at := func(name string) int { return slices.Index(got.Columns, name) }
	if got.Types[at("samples")] != "double" || got.Types[at("run")] != "int64" || got.Types[at("wrong")] != "bool" || got.Types[at("xi")] != "string" {
		t.Errorf("types %v", got.Types)
	}
	if r := got.Rows[1]; r[at("samples")] != 9100.5 || r[at("wrong")] != true || r[at("xi")] != "auto" || r[at("epsilon")] != nil {
		t.Errorf("second row %v", r)
	}
	if r := got.Rows[3]; r[at("wrong")] != nil || r[at("xi")] != "0.25" || r[at("run")] != 1.0 {
		t.Errorf("fourth row %v", r)
	}
}
