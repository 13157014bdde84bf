package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// source is a script as it was read.
type source struct {
	name   string // as given, "<stdin>" for -
	folder string // what relative paths are relative to
	text   string
}

func readSource(path string) (source, error) {
	if path == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return source{}, fmt.Errorf("cannot read standard input: %w", err)
		}
		return source{"<stdin>", ".", string(text)}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, fmt.Errorf("cannot read script: %w", err)
	}
	return source{path, filepath.Dir(path), string(text)}, nil
}

// hash is the SHA-256 of the text, in hexadecimal.
func (s source) hash() string {
	sum := sha256.Sum256([]byte(s.text))
	return hex.EncodeToString(sum[:])
}

// recorder is the file system, remembering which data files were read.
type recorder struct{ data []report.DataFile }

var _ dsl.Host = (*recorder)(nil)

// Load reads a problem, as engine.Load.
func (r *recorder) Load(path string, k kernels.Joint, opt engine.LoadOptions) (*engine.Problem, error) {
	p, err := engine.Load(path, k, opt)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Sources {
		if f := report.DataFile(s); !slices.Contains(r.data, f) {
			r.data = append(r.data, f)
		}
	}
	return p, nil
}

// Save writes a value, as report.Save.
func (r *recorder) Save(path string, v any) error { return report.Save(path, v) }
