package dsl

import (
	"os"
	"path/filepath"
	"testing"
)

// valuesOf evaluates a script that has no mistakes and returns what it displays.
func valuesOf(t testing.TB, s *Session, src string) []any {
	t.Helper()
	values, err := evalText(s, src)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// written writes a file that a script reads.
func written(t testing.TB, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// put gives a session a value of a Go cell.
func put(t testing.TB, s *Session, name string, v any) {
	t.Helper()
	if err := s.Put(name, v); err != nil {
		t.Fatal(err)
	}
}
