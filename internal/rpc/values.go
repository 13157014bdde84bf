package rpc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// described describes a value to the program: its name and type. For numbers, strings and lists of them it also has the
// content.
type described struct {
	Name  string `json:"name,omitempty"`
	Type  string `json:"type"`           // type in the language
	JSON  string `json:"json,omitempty"` // type in docs/reference/json.md
	Value any    `json:"value,omitempty"`
}

// describe returns the description of the value with a name, or nil if the name is not defined.
func (s *server) describe(name string) *described {
	v, t, ok := s.session.Value(name)
	if !ok {
		return nil
	}
	d := &described{Name: name, Type: string(t)}
	switch v := v.(type) {
	case float64, string, []float64, []string, [][]float64:
		d.Value = report.JSONValue(v)
	case []any:
		for _, item := range v {
			switch item.(type) {
			case float64, string:
			default:
				return d
			}
		}
		d.Value = report.JSONValue(v)
	default:
		d.JSON = report.TypeName(v)
	}
	return d
}

// valueParams are the parameters of the request value. Form is "json", "table", "bundle" or "text"; for a figure, it can
// also be "svg", "png" or "pdf".
type valueParams struct {
	Name string `json:"name"`
	Form string `json:"form"`
	ID   string `json:"id"` // unique ID for a bundle's HTML in a notebook
}

func (s *server) value(_ context.Context, p valueParams) (any, error) {
	v, _, ok := s.session.Value(p.Name)
	if !ok {
		return nil, wrong(codeRequest, fmt.Errorf("nothing is bound to %s", p.Name))
	}
	if err := s.refuse(p.Name); err != nil {
		return nil, wrong(codeRequest, err)
	}
	s.lend()
	out, err := s.form(v, p)
	if err != nil {
		return nil, wrong(codeMistake, err)
	}
	return out, nil
}

func (s *server) form(v any, p valueParams) (any, error) {
	switch p.Form {
	case "json":
		return report.JSONValue(v), nil
	case "table":
		return tableOf(v)
	case "bundle":
		if p.ID == "" {
			p.ID = fmt.Sprintf("v%d-%d", os.Getpid(), s.names.Add(1))
		}
		return bundleOf(v, p.ID)
	case "text":
		var b bytes.Buffer
		err := report.Text(&b, report.Document{Displays: []report.Display{{Value: v}}}, report.TextOptions{})
		return b.String(), err
	}
	if draw := drawings[p.Form]; draw != nil {
		f, ok := v.(report.Figure)
		if !ok {
			return nil, fmt.Errorf("%s is not a figure; plot draws one", p.Name)
		}
		var b bytes.Buffer
		err := draw(&b, f)
		return base64.StdEncoding.EncodeToString(b.Bytes()), err
	}
	return nil, fmt.Errorf(`unknown form %q; the forms are "json", "table", "bundle", "text", "svg", "png" and "pdf"`, p.Form)
}

// bundleOf returns a value as a Jupyter bundle. In contrast to the kernel's bundles, it also has a PNG of any value that
// can be drawn, for front ends without HTML and LaTeX.
func bundleOf(v any, id string) (any, error) {
	bundle, err := report.Bundle(report.Display{Value: v}, id)
	if err != nil || bundle["image/png"] != nil {
		return bundle, err
	}
	if f, err := report.FigureOf(v, report.PlotOptions{}); err == nil {
		var b bytes.Buffer
		if figure.PNGAt(&b, f, bundleDPI) == nil {
			bundle["image/png"] = base64.StdEncoding.EncodeToString(b.Bytes())
		}
	}
	return bundle, nil
}

// bundleDPI is the resolution of the PNG in a bundle.
const bundleDPI = 96

// drawings maps a file format to the function that writes a figure in this format.
var drawings = map[string]func(io.Writer, report.Figure) error{"svg": figure.SVG, "png": figure.PNG, "pdf": figure.PDF}

// tableOf returns the rows of a value, column by column. It returns an error for a value without rows.
func tableOf(v any) (any, error) {
	columns, err := report.Cells(v)
	if err != nil {
		return nil, err
	}
	return lists.Map(columns, func(c report.CellColumn) map[string]any {
		return map[string]any{"name": c.Name, "number": c.Number, "cells": report.JSONValue(c.Cells)}
	}), nil
}

// pause is the shortest time between two progress notifications.
const pause = 100 * time.Millisecond

// teller sends progress notifications, at most one per pause.
type teller struct {
	server   *server
	mu       sync.Mutex
	last     time.Time
	reported bool
}

// progress is the content of a progress notification. An empty label states that the activity has ended.
type progress struct {
	Request   string  `json:"request"`
	Label     string  `json:"label"`
	Done      int     `json:"done"`
	Total     int     `json:"total"`
	Share     float64 `json:"share"`
	Note      string  `json:"note"`
	Remaining float64 `json:"left,omitempty"` // estimated remaining seconds; 0 if unknown
}

func (t *teller) tell(a dsl.Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.last) >= pause {
		t.last, t.reported = now, true
		t.server.notify("progress", progress{Request: t.server.request, Label: a.Label, Done: a.Done, Total: a.Total, Share: a.Share,
			Note: a.Note})
	}
}

// end sends that the activity has ended, if its progress was sent.
func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reported {
		t.server.notify("progress", progress{Request: t.server.request})
	}
	t.reported = false
}

// tableFolder is the folder in the paths of the program's tables.
const tableFolder = "dataframe"

// tables holds the program's tables.
type tables struct {
	mu     sync.Mutex
	byPath map[string]*problem.Frame
	bySum  map[string]string // name and hash of a table → its path
}

// read returns the table at a path, or nil. It uses only the last two elements of the path, which may begin with the
// session's folder.
func (t *tables) read(file string) *problem.Frame {
	slashed := filepath.ToSlash(file)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byPath[path.Join(path.Base(path.Dir(slashed)), path.Base(slashed))]
}

// add stores a table under a name and returns its path. An equal table with the same name gets the same path.
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

// empty reports whether there are no tables.
func (t *tables) empty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byPath) == 0
}

// drop deletes the tables for whose path unwanted returns true.
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

// column is a column of a table in a message. Its block contains little-endian float64 ("f8"), int64 ("i8"), or int32
// indices into Labels ("codes"). NaN and negative indices are empty cells.
type column struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Block  int      `json:"block"`
	Labels []string `json:"labels"`
	Text   bool     `json:"text"` // labels are names: 3.10 differs from 3.1, and NA is not an empty cell
}

// exact is the largest n for which float64 represents all whole numbers from -n to n exactly.
const exact = 1 << 53

// framed converts columns of a message to a table. block returns the block with a number.
func framed(rows int, columns []column, block func(int) ([]byte, error)) (_ *problem.Frame, err error) {
	defer try.Caught(&err)
	f := &problem.Frame{Rows: rows, Columns: make([]problem.FrameColumn, len(columns))}
	h := sha256.New()
	for j, c := range columns {
		data := try.Of(block(c.Block))
		f.Columns[j] = try.Of(c.decoded(rows, data))
		head := try.Of(json.Marshal([]any{rows, c.Name, c.Kind, c.Labels, c.Text}))
		h.Write(head)
		h.Write(data)
	}
	f.Hash = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

// decoded returns the column with its cells decoded from data. data has 8 bytes per row, or 4 for codes.
func (c column) decoded(rows int, data []byte) (problem.FrameColumn, error) {
	out := problem.FrameColumn{Name: c.Name, Whole: c.Kind == "i8", Labels: c.Labels, Text: c.Text}
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
		_, err := binary.Decode(data, binary.LittleEndian, out.Numbers)
		return out, err
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
