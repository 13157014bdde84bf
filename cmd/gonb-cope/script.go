package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
