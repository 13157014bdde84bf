package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// CSV and Parquet hold the same table: columns in the same order, and cells that are
// the same numbers and texts, null where CSV is empty.
func TestParquetIsCSVWithTypes(t *testing.T) {
	for name, v := range report.Tables() {
		want, got := csvRecords(t, v), parquetRecords(t, v)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-CSV +Parquet):\n%s", name, diff)
		}
	}
}

func csvRecords(t *testing.T, v any) [][]string {
	t.Helper()
	var b bytes.Buffer
	try.To(report.CSV(&b, v))
	return try.Of(csv.NewReader(&b).ReadAll())
}

// parquetRecords reads a Parquet file back as the text of its cells.
func parquetRecords(t *testing.T, v any) [][]string {
	t.Helper()
	var b, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&b, &again} {
		try.To(save.Parquet(w, v))
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same table is other bytes")
	}
	f := try.Of(parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())))
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
		return report.CellText(v.Double())
	case strings.Contains(f.Type().String(), "INT(64,false)"):
		return fmt.Sprint(v.Uint64())
	}
	return v.String()
}

// The types are those that a reader expects: counts whole, intervals three numbers,
// names texts, and a column of "auto" and 0.25 texts.
func TestParquetTypes(t *testing.T) {
	var b bytes.Buffer
	try.To(save.Parquet(&b, report.RunSweep()))
	f := try.Of(parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())))
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

// Two columns of one name would be one column of Parquet.
func TestParquetErrors(t *testing.T) {
	twice := report.Table{Columns: []report.Column{{Name: "gap"}, {Name: "gap"}}, Rows: [][]any{{1.0, 2.0}}}
	for want, v := range map[string]any{
		"two columns of the table are called gap": twice,
		"a kernel has no rows and columns":        kernels.RBF{Lengthscale: []float64{1}},
	} {
		if err := save.Parquet(&bytes.Buffer{}, v); err == nil || !strings.Contains(err.Error(), want) {
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
	try.To(save.File(path, report.RunSweep()))
	c := exec.Command("python3", "-c", program, path)
	c.Stderr = os.Stderr
	out := try.Of(c.Output())
	var got struct {
		Types, Columns []string
		Rows           [][]any
	}
	try.To(json.Unmarshal(out, &got))
	records := csvRecords(t, report.RunSweep())
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
