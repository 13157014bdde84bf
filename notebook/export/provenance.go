package export

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// Provenance states how the outputs were made, in enough detail to repeat the run. Reports omit empty fields.
type Provenance struct {
	Parameters []Parameter
	Version    string // version of gonb-cope
	Revision   string // revision of its source
	ModuleSum  string // checksum of the Go module, as in go.sum
	Go         string // Go version of the build
	Platform   string // operating system and architecture
	Host       string
	Kernel     string // display name of the kernel that executed the notebook, or else its name

	Notebook       string // path of the notebook that the reader of the report can use
	NotebookSHA256 string
	Data           []report.DataFile
	Seeds          []string
	Started        time.Time
	Duration       time.Duration
	Cells          []CellTime
	Command        string // command line that makes the report again
	Kept           bool   // true if nothing was executed and the outputs are the notebook's saved ones
}

// Parameter is a notebook parameter to which the user gave a value.
type Parameter struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default,omitempty"` // "" if the notebook has no default
}

// CellTime is the run time of a cell. Cell counts cells of all types from 1.
type CellTime struct {
	Cell     int           `json:"cell"`
	Duration time.Duration `json:"duration_ns"`
}

// tables returns the tables of a report's provenance. They contain only the known fields.
func (p Provenance) tables() []report.Block {
	made := report.KeyValues{Caption: "How this was made"}
	add := func(key string, values ...string) {
		if v := strings.TrimSpace(strings.Join(values, " ")); v != "" {
			made.Items = append(made.Items, report.KeyValue{Key: key, Value: v})
		}
	}
	add("Command", p.Command)
	add("Notebook", p.Notebook)
	add("Notebook SHA-256", p.NotebookSHA256)
	if p.Kept {
		add("Outputs", "the saved outputs of the notebook; nothing was executed")
	}
	for _, d := range p.Data {
		add("Data", fmt.Sprintf("%s, %s, SHA-256 %s", d.Path, sentence.Count(d.Rows, "row"), d.SHA256))
	}
	add("Seeds", strings.Join(p.Seeds, ", "))
	add("gonb-cope", p.Version, p.Revision)
	add("Module checksum", p.ModuleSum)
	add("Built with", p.Go, p.Platform)
	add("Kernel", p.Kernel)
	add("Host", p.Host)
	if !p.Started.IsZero() {
		add("Started", p.Started.Format(time.RFC3339))
	}
	if p.Duration > 0 {
		add("Duration", seconds(p.Duration))
	}
	if len(p.Cells) > 0 {
		add("Cells executed", fmt.Sprint(len(p.Cells)))
	}
	var out []report.Block
	if len(p.Parameters) > 0 {
		out = append(out, report.Table{Caption: "Parameters",
			Columns: []report.Column{{Title: "Parameter"}, {Title: "Value"}, {Title: "Default"}},
			Rows:    lists.Map(p.Parameters, func(x Parameter) []any { return []any{x.Name, x.Value, x.Default} })})
	}
	if len(made.Items) > 0 {
		out = append(out, made)
	}
	return out
}

// record returns the provenance as JSON metadata of an executed notebook. Unknown fields are missing.
func (p Provenance) record() map[string]any {
	started := ""
	if !p.Started.IsZero() {
		started = p.Started.Format(time.RFC3339Nano)
	}
	m := map[string]any{
		"version": p.Version, "revision": p.Revision, "module_sum": p.ModuleSum, "go": p.Go, "platform": p.Platform, "host": p.Host,
		"kernel": p.Kernel, "notebook": p.Notebook, "notebook_sha256": p.NotebookSHA256, "command": p.Command, "kept": p.Kept,
		"started": started, "duration": p.Duration.Seconds(), "parameters": p.Parameters, "seeds": p.Seeds,
		"data": lists.Map(p.Data, func(d report.DataFile) any {
			return map[string]any{"path": d.Path, "sha256": d.SHA256, "rows": d.Rows}
		}),
		"cells": lists.Map(p.Cells, func(c CellTime) any {
			return map[string]any{"cell": c.Cell, "duration": c.Duration.Seconds()}
		}),
	}
	maps.DeleteFunc(m, func(_ string, value any) bool {
		v := reflect.ValueOf(value)
		return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	})
	return m
}

// withProvenance returns a copy of the notebook with the provenance in its metadata. It does not change nb.
func withProvenance(nb *notebook.Notebook, p Provenance) *notebook.Notebook {
	out := *nb
	out.Metadata = map[string]any{}
	maps.Copy(out.Metadata, nb.Metadata)
	if r := p.record(); len(r) > 0 {
		out.Metadata["gonb-cope"] = r
	}
	return &out
}
