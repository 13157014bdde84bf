package export

import (
	"maps"
	"reflect"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// record returns the provenance as JSON metadata of an executed notebook. Unknown fields are missing.
func record(p report.Provenance) map[string]any {
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
		"cells": lists.Map(p.Cells, func(c report.CellTime) any {
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
func withProvenance(nb *notebook.Notebook, p report.Provenance) *notebook.Notebook {
	out := *nb
	out.Metadata = map[string]any{}
	maps.Copy(out.Metadata, nb.Metadata)
	if r := record(p); len(r) > 0 {
		out.Metadata["gonb-cope"] = r
	}
	return &out
}
