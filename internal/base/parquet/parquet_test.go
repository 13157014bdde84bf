package parquet_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

type run struct {
	Machine    string   `parquet:"machine"`
	Temp       int64    `parquet:"temp"`
	Throughput *float64 `parquet:"throughput,optional"`
	Single     float32  `parquet:"single"`
	Good       bool     `parquet:"good"`
}

func file[T any](t testing.TB, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	try.To(pq.Write(&b, rows))
	return b.Bytes()
}

func example(t testing.TB) []byte {
	y := 41.5
	return file(t, run{"A, left", 150, &y, 0.1, true}, run{"B", -3, nil, 2, false})
}

// csvOf reads a table without limits but the usual one.
func csvOf(data []byte) ([]byte, error) {
	return parquet.CSV(allowance.New(context.Background(), "the table", 1<<30, allowance.NoLimit), data)
}

// A flat table becomes CSV with the texts of its cells; other data stay.
func TestCSV(t *testing.T) {
	const want = "text=,machine\nmachine,temp,throughput,single,good\n\"A, left\",150,41.5,0.1,true\nB,-3,,2,false\n"
	if got, err := csvOf(example(t)); string(got) != want || err != nil {
		t.Errorf("%q, error %v; want %q", got, err, want)
	}
	if got, err := csvOf([]byte("a,b\n")); string(got) != "a,b\n" || err != nil {
		t.Errorf("%q, error %v; want it unchanged", got, err)
	}
	type nested struct {
		Levels []int64 `parquet:"levels"`
	}
	if _, err := csvOf(file(t, nested{[]int64{1, 2}})); err == nil || !strings.Contains(err.Error(), `column "levels" holds lists or groups`) {
		t.Errorf("a list: error %v", err)
	}
	type money struct {
		Cost int64 `parquet:"cost,decimal(2:10)"`
	}
	if got, err := csvOf(file(t, money{150}, money{-7})); string(got) != "cost\n1.50\n-0.07\n" || err != nil {
		t.Errorf("decimals: %q, error %v", got, err)
	}
}

// Texts are names, whatever they look like: a missing one is an empty cell, and an empty one is shown. Numbers lose no digit.
func TestNames(t *testing.T) {
	type row struct {
		Cuda *string `parquet:"cuda,optional"`
		Size float64 `parquet:"size"`
		ID   int64   `parquet:"id"`
	}
	names := []string{"12.10", "", "NA"}
	data := file(t, row{&names[0], 1e6, 9007199254740993}, row{&names[1], 0.30000000000000004, -9223372036854775808}, row{&names[2], 1e-5, 7}, row{nil, 1, 7})
	const want = "text=,cuda\ncuda,size,id\n12.10,1000000,9007199254740993\n\"\"\"\"\"\",0.30000000000000004,-9223372036854775808\n" +
		"NA,1e-05,7\n,1,7\n"
	if got, err := csvOf(data); string(got) != want || err != nil {
		t.Errorf("%s, error %v; want\n%s", got, err, want)
	}
}

// A damaged file is an error and no panic.
func TestDamaged(t *testing.T) {
	whole := example(t)
	failed, step := 0, 1
	if testing.Short() {
		step = 7
	}
	for i := 4; i < len(whole); i += step {
		for _, data := range [][]byte{whole[:i], slices.Concat(whole[:i], []byte{whole[i] ^ 0x55}, whole[i+1:])} {
			if _, err := csvOf(data); err != nil {
				failed++
			}
		}
	}
	if failed < (len(whole)-4)/step {
		t.Errorf("%d damaged files are refused, want %d at least", failed, (len(whole)-4)/step)
	}
}

// The columns are known without reading the rows.
func TestColumns(t *testing.T) {
	for name, data := range map[string][]byte{"runs.parquet": example(t), "runs.csv": []byte("a,b\n1,2\n"), "short": []byte("PA"), "broken": []byte("PAR1 and no more")} {
		path := filepath.Join(t.TempDir(), name)
		try.To(os.WriteFile(path, data, 0o600))
		f := try.Of(os.Open(path))
		columns, ok := parquet.Columns(f)
		if want := name == "runs.parquet"; ok != want || want && !slices.Equal(columns, []string{"machine", "temp", "throughput", "single", "good"}) {
			t.Errorf("%s: %q, %v", name, columns, ok)
		}
		_ = f.Close()
	}
}

// A table in text may have a column that is named as Parquet files begin.
func TestColumnNamedAsMagic(t *testing.T) {
	const text = "PAR1,yield\n1,2\n"
	got, err := parquet.CSV(allowance.New(context.Background(), "the table", 1<<20, allowance.NoLimit), []byte(text))
	if err != nil || string(got) != text {
		t.Errorf("%q, error %v", got, err)
	}
}

// The library returns wrong values of columns that are compressed with LZ4, so they are refused.
func TestLZ4(t *testing.T) {
	var b bytes.Buffer
	try.To(pq.Write(&b, make([]run, 100), pq.Compression(&pq.Lz4Raw)))
	if got, err := csvOf(b.Bytes()); err == nil || !strings.Contains(err.Error(), "compressed with LZ4_RAW, which cannot be read. Save it with snappy or zstd") {
		t.Errorf("%q, error %v", got, err)
	}
}
