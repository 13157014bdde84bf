package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// sbom returns the modules that a program was linked from, as CycloneDX. They are read from the
// program itself.
func sbom(program, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	components := []map[string]any{{
		"type": "library", "name": "Go standard library", "version": strings.TrimPrefix(info.GoVersion, "go"),
		"purl": "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		components = append(components, map[string]any{
			"type": "library", "name": d.Path, "version": d.Version,
			"purl":       fmt.Sprintf("pkg:golang/%s@%s", d.Path, url.PathEscape(d.Version)),
			"properties": []map[string]string{{"name": "go.sum", "value": d.Sum}},
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": map[string]any{"type": "application", "name": "gonb-cope", "version": version,
			"licenses": []any{map[string]any{"license": map[string]string{"id": "MIT"}}}}},
		"components": components,
	}, "", "  ")
	return append(text, '\n'), err
}
