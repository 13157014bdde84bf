package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A file is replaced with the permissions asked for, and what cannot be written leaves the old one and no draft.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for text, durable := range map[string]bool{"some text, which is long": false, "other": true} {
		try.To(Write(path, []byte(text), 0o600, durable))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file has %q, want %q, %v", got, text, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("permissions %v, %v", info.Mode(), err)
	}
	folder := filepath.Join(t.TempDir(), "folder", "in it")
	try.To(os.MkdirAll(folder, 0o777))
	if Write(filepath.Dir(folder), nil, 0o600, true) == nil {
		t.Error("a folder was replaced by a file")
	}
	if _, err := os.Stat(filepath.Dir(folder) + ".new"); !os.IsNotExist(err) {
		t.Errorf("a draft is left: %v", err)
	}
}
