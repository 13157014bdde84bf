package rpc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// tableFolder is the folder in which the tables of the program seem to stand.
const tableFolder = "dataframe"

// tables are those that the program has sent, by their paths.
type tables struct {
	mu     sync.Mutex
	byPath map[string]*problem.Frame
	bySum  map[string]string // paths by name and hash
}

func newTables() *tables {
	return &tables{byPath: map[string]*problem.Frame{}, bySum: map[string]string{}}
}

// read returns a table, or nil. The path may stand below the folder of the session.
func (t *tables) read(file string) *problem.Frame {
	slashed := filepath.ToSlash(file)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byPath[path.Join(path.Base(path.Dir(slashed)), path.Base(slashed))]
}

// add keeps a table under a name and returns its path. The same table has the same path again.
func (t *tables) add(name string, table *problem.Frame) string {
	sum := name + "\x00" + table.Hash
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.bySum[sum]; ok {
		return known
	}
	own := path.Join(tableFolder, name+".csv")
	for n := 2; t.byPath[own] != nil; n++ {
		own = path.Join(tableFolder, fmt.Sprintf("%s-%d.csv", name, n))
	}
	t.byPath[own], t.bySum[sum] = table, own
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
}

// exact is the largest size of whole numbers that are float64 as well, one by one.
const exact = 1 << 53

// framed returns the columns of a message as a table; block takes a block by its number.
func framed(rows int, columns []column, block func(int) ([]byte, error)) (*problem.Frame, error) {
	f := &problem.Frame{Rows: rows, Columns: make([]problem.FrameColumn, len(columns))}
	h := sha256.New()
	for j, c := range columns {
		data, err := block(c.Block)
		if err != nil {
			return nil, err
		}
		if f.Columns[j], err = c.decoded(rows, data); err != nil {
			return nil, err
		}
		head, err := json.Marshal([]any{rows, c.Name, c.Kind, c.Labels})
		if err != nil {
			return nil, err
		}
		h.Write(head)
		h.Write(data)
	}
	f.Hash = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

// decoded returns the column with the cells of its block.
func (c column) decoded(rows int, data []byte) (problem.FrameColumn, error) {
	out := problem.FrameColumn{Name: c.Name, Whole: c.Kind == "i8", Labels: c.Labels}
	width := 8
	if c.Kind == "codes" {
		width = 4
	}
	if len(data) != rows*width {
		return out, fmt.Errorf("column %q has %d bytes; %d rows of kind %q have %d", c.Name, len(data), rows, c.Kind, rows*width)
	}
	switch c.Kind {
	case "f8":
		out.Numbers = make([]float64, rows)
		for i := range out.Numbers {
			out.Numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		}
	case "i8":
		out.Numbers = make([]float64, rows)
		for i := range out.Numbers {
			x := int64(binary.LittleEndian.Uint64(data[8*i:]))
			if x < -exact || x > exact {
				return out, fmt.Errorf("column %q has %d; whole numbers beyond 2^53 are sent as labels", c.Name, x)
			}
			out.Numbers[i] = float64(x)
		}
	case "codes":
		out.Codes = make([]int32, rows)
		for i := range out.Codes {
			out.Codes[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
			if int(out.Codes[i]) >= len(c.Labels) {
				return out, fmt.Errorf("column %q has place %d of %d labels", c.Name, out.Codes[i], len(c.Labels))
			}
		}
	default:
		return out, fmt.Errorf(`column %q is of kind %q; there are "f8", "i8" and "codes"`, c.Name, c.Kind)
	}
	return out, nil
}
