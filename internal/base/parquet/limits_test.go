package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

type text struct {
	Name string `parquet:"name"`
}

// A file is refused by what it would make, before it makes it.
func TestLies(t *testing.T) {
	long := make([]text, 4)
	for k := range long {
		long[k].Name = strings.Repeat("x", 10*parquet.MaxCell)
	}
	var packed bytes.Buffer
	try.To(pq.Write(&packed, long, pq.Compression(&zstd.Codec{})))
	if _, err := csvOf(packed.Bytes()); err == nil || !strings.Contains(err.Error(), `column "name": it has a value of more than 1024 kB`) {
		t.Errorf("long texts: error %v", err)
	}
	many := make([]run, 100_000)
	within := memlimit.Named(context.Background(), 1e6, "--memory 1MB")
	_, err := parquet.CSV(allowance.New(within, "the table", 1<<30, allowance.NoLimit), file(t, many...))
	if err == nil || !strings.Contains(err.Error(), "the table of 100000 rows would take 6 MB of memory") {
		t.Errorf("many rows: error %v", err)
	}
	if _, err := parquet.CSV(allowance.New(context.Background(), "the table", 400_000, allowance.NoLimit), file(t, many...)); err == nil {
		t.Error("more bytes than allowed are made")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := parquet.CSV(allowance.New(ended, "the table", 1<<30, allowance.NoLimit), file(t, many...)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: error %v", err)
	}
}

// A footer of lists and structures that say more than there is, or are in one another without end, is an error.
func TestFooters(t *testing.T) {
	for name, footer := range map[string][]byte{
		"a list of 2^31":         {0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07},
		"a text of 2^40":         {0x68, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20},
		"structures":             bytes.Repeat([]byte{0x9c}, 1<<20),
		"lists":                  bytes.Repeat([]byte{0x19}, 1<<20),
		"a map of 2^31":          {0x1b, 0xff, 0xff, 0xff, 0xff, 0x07, 0x33},
		"columns without an end": append([]byte{0x29, 0xfc, 0x80, 0x80, 0x10}, bytes.Repeat([]byte{0x15, 0, 0x48, 1, 'a', 0x15, 2, 0}, 1<<15)...),
	} {
		data := append([]byte("PAR1"), footer...)
		data = append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
		if _, err := csvOf(data); err == nil || !strings.HasPrefix(err.Error(), "not valid Parquet") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Columns of lists do not keep the others from being read.
func TestNested(t *testing.T) {
	type partly struct {
		Levels []int64 `parquet:"levels,list"`
		Y      float64 `parquet:"y"`
	}
	if got, err := csvOf(file(t, partly{[]int64{1, 2}, 1.5}, partly{nil, 2})); string(got) != "levels,y\n(nested),1.5\n(nested),2\n" || err != nil {
		t.Errorf("%q, error %v", got, err)
	}
}
