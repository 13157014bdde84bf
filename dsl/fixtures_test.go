package dsl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// valuesOf evaluates a script that has no mistakes and returns what it displays.
func valuesOf(t testing.TB, s *Session, src string) []any {
	t.Helper()
	return try.Of(evalText(s, src))
}

// written writes a file that a script reads.
func written(t testing.TB, folder, name, text string) {
	t.Helper()
	try.To(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}

// put gives a session a value of a Go cell.
func put(t testing.TB, s *Session, name string, v any) {
	t.Helper()
	try.To(s.Put(name, v))
}
