package rpc

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// tableFolder is the folder in which the tables of the program seem to stand.
const tableFolder = "dataframe"

// tables are those that the program has sent, as CSV, by their paths.
type tables struct {
	mu     sync.Mutex
	byPath map[string][]byte
	bySum  map[[32]byte]string // paths by the hash of name and text
}

func newTables() *tables {
	return &tables{byPath: map[string][]byte{}, bySum: map[[32]byte]string{}}
}

// read returns the text of a table. The path may stand below the folder of the session.
func (t *tables) read(file string) ([]byte, bool) {
	slashed := filepath.ToSlash(file)
	own := path.Join(path.Base(path.Dir(slashed)), path.Base(slashed))
	t.mu.Lock()
	defer t.mu.Unlock()
	text, known := t.byPath[own]
	return text, known
}

// add keeps a table under a name and returns its path. The same table has the same path again.
func (t *tables) add(name string, text []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), text...))
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.bySum[sum]; ok {
		return known
	}
	own := path.Join(tableFolder, name+".csv")
	for n := 2; t.byPath[own] != nil; n++ {
		own = path.Join(tableFolder, fmt.Sprintf("%s-%d.csv", name, n))
	}
	t.byPath[own], t.bySum[sum] = text, own
	return own
}

// drop forgets the tables that are not wanted any more.
func (t *tables) drop(unwanted func(path string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for sum, own := range t.bySum {
		if unwanted(own) {
			delete(t.bySum, sum)
			delete(t.byPath, own)
		}
	}
}

// column is a column of a table in a message. Its block holds, little endian, float64 ("f8"), int64
// ("i8"), or int32 places in Labels ("codes"); a NaN, and a place below 0, is an empty cell.
type column struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Block  int      `json:"block"`
	Labels []string `json:"labels"`

	data []byte
}

// width returns the bytes of a cell.
func (c *column) width() int {
	if c.Kind == "codes" {
		return 4
	}
	return 8
}

// written returns the columns as CSV.
func written(rows int, columns []column) ([]byte, error) {
	names := make([]string, len(columns))
	cells := make([]func(b []byte, i int) []byte, len(columns))
	for j := range columns {
		c := &columns[j]
		names[j] = cell(c.Name)
		if len(c.data) != rows*c.width() {
			return nil, fmt.Errorf("column %q has %d bytes; %d rows of kind %q have %d", c.Name, len(c.data), rows, c.Kind, rows*c.width())
		}
		write, err := c.cells()
		if err != nil {
			return nil, err
		}
		cells[j] = write
	}
	head := strings.Join(names, ",") + "\n"
	b := append(make([]byte, 0, len(head)+rows*len(columns)*10), head...)
	for i := range rows {
		from := len(b)
		for j, write := range cells {
			if j > 0 {
				b = append(b, ',')
			}
			b = write(b, i)
		}
		if len(b) == from { // one empty cell: readers pass over an empty line
			b = append(b, '"', '"')
		}
		b = append(b, '\n')
	}
	return b, nil
}

// cell writes a text as a cell, in quotes where a reader could take a part of it for something else.
func cell(text string) string {
	if strings.ContainsAny(text, ",;\"\t\r\n") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// cells returns what appends cell i of a column.
func (c *column) cells() (func(b []byte, i int) []byte, error) {
	switch c.Kind {
	case "f8":
		return func(b []byte, i int) []byte {
			x := math.Float64frombits(binary.LittleEndian.Uint64(c.data[8*i:]))
			if math.IsNaN(x) {
				return b
			}
			return strconv.AppendFloat(b, x, 'g', -1, 64)
		}, nil
	case "i8":
		return func(b []byte, i int) []byte {
			return strconv.AppendInt(b, int64(binary.LittleEndian.Uint64(c.data[8*i:])), 10)
		}, nil
	case "codes":
		labels := make([]string, len(c.Labels))
		for k, label := range c.Labels {
			labels[k] = cell(label)
		}
		for i := 0; i < len(c.data); i += 4 {
			if k := int32(binary.LittleEndian.Uint32(c.data[i:])); int(k) >= len(labels) {
				return nil, fmt.Errorf("column %q has place %d of %d labels", c.Name, k, len(labels))
			}
		}
		return func(b []byte, i int) []byte {
			if k := int32(binary.LittleEndian.Uint32(c.data[4*i:])); k >= 0 {
				return append(b, labels[k]...)
			}
			return b
		}, nil
	}
	return nil, fmt.Errorf(`column %q is of kind %q; there are "f8", "i8" and "codes"`, c.Name, c.Kind)
}
