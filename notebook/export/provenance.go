package export

import (
	"encoding/json"
	"maps"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// withProvenance returns a copy of the notebook with the provenance in its metadata. It does not change nb.
func withProvenance(nb *notebook.Notebook, p report.Provenance) *notebook.Notebook {
	out := *nb
	out.Metadata = map[string]any{}
	maps.Copy(out.Metadata, nb.Metadata)
	var record map[string]any
	if text, err := json.Marshal(p); err == nil && json.Unmarshal(text, &record) == nil && len(record) > 0 {
		out.Metadata["gonb-cope"] = record
	}
	return &out
}
