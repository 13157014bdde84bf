package rpc

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// described is a value as the program gets it: its name and type, and of a number, a text or a list
// of these what it is.
type described struct {
	Name  string `json:"name,omitempty"`
	Type  string `json:"type"`           // in the language
	JSON  string `json:"json,omitempty"` // in docs/json.md
	Value any    `json:"value,omitempty"`
}

// describe returns what a name is bound to, nil for nothing.
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

// valueParams ask for a value in one form: "json", "table", "bundle", "text", or of a figure "svg",
// "png" or "pdf".
type valueParams struct {
	Name string `json:"name"`
	Form string `json:"form"`
	ID   string `json:"id"` // of a bundle: unique in a notebook
}

// value returns a value in a form.
func (s *server) value(_ context.Context, p valueParams) (any, error) {
	v, _, ok := s.session.Value(p.Name)
	if !ok {
		return nil, wrong(codeRequest, fmt.Errorf("nothing is bound to %s", p.Name))
	}
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
			s.names++
			p.ID = fmt.Sprintf("v%d-%d", os.Getpid(), s.names)
		}
		return bundleOf(v, p.ID)
	case "text":
		var b bytes.Buffer
		err := report.Text(&b, report.Document{Displays: []report.Display{{Value: v}}}, report.TextOptions{})
		return b.String(), err
	case "svg", "png", "pdf":
		f, ok := v.(report.Figure)
		if !ok {
			return nil, fmt.Errorf("%s is not a figure; plot draws one", p.Name)
		}
		return drawing(f, p.Form)
	}
	return nil, fmt.Errorf(`there is no form %q; there are "json", "table", "bundle", "text", "svg", "png" and "pdf"`, p.Form)
}

// bundleOf returns the representations of a value for a notebook. Beside a cell's it has a PNG
// of all that can be drawn, for front ends and converters that show neither HTML nor LaTeX.
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

// bundleDPI is the resolution of that PNG.
const bundleDPI = 96

// drawing returns a figure as a file, in base64.
func drawing(f report.Figure, form string) (any, error) {
	var b bytes.Buffer
	var err error
	switch form {
	case "svg":
		err = figure.SVG(&b, f)
	case "pdf":
		err = figure.PDF(&b, f)
	default:
		err = figure.PNG(&b, f)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// tableOf returns the rows of a value column by column; a value without any is an error.
func tableOf(v any) (any, error) {
	columns, err := report.Cells(v)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]any, len(columns))
	for j, c := range columns {
		out[j] = map[string]any{"name": c.Name, "number": c.Number, "cells": report.JSONValue(c.Cells)}
	}
	return out, nil
}

// pause is the least time between two notifications of progress.
const pause = 100 * time.Millisecond

// teller passes progress on, and not too often.
type teller struct {
	server *server
	mu     sync.Mutex
	last   time.Time
	told   bool
}

// progress is the content of the notification of that name; an empty label says that nothing is under
// way any more.
type progress struct {
	Request string  `json:"request"`
	Label   string  `json:"label"`
	Done    int     `json:"done"`
	Total   int     `json:"total"`
	Share   float64 `json:"share"`
	Note    string  `json:"note"`
	Left    float64 `json:"left,omitempty"` // seconds, where that can be said
}

func (t *teller) tell(a dsl.Activity) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); now.Sub(t.last) >= pause {
		t.last, t.told = now, true
		t.server.notify("progress", progress{Request: t.server.request, Label: a.Label, Done: a.Done, Total: a.Total, Share: a.Share,
			Note: a.Note})
	}
}

// end says that what was told is over.
func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told {
		t.server.notify("progress", progress{Request: t.server.request})
	}
	t.told = false
}
