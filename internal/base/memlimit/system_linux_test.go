package memlimit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The control groups around the process count, too, and what is only cached counts as left.
func TestInGroup(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "a", "b")
	try.To(os.MkdirAll(inner, 0o755))
	for path, text := range map[string]string{
		"self": "0::/a/b\n", "a/b/memory.max": "max\n", "a/b/memory.current": "100\n",
		"a/memory.max": "1000\n", "a/memory.current": "700\n", "a/memory.stat": "anon 1\ninactive_file 50\n",
	} {
		try.To(os.WriteFile(filepath.Join(root, path), []byte(text), 0o644))
	}
	if left, ok := inGroup(filepath.Join(root, "self"), root); !ok || left != 350 {
		t.Errorf("left %g, %v; 1000 - 700 + 50 are", left, ok)
	}
	if _, ok := inGroup(filepath.Join(root, "none"), root); ok {
		t.Error("a limit without a file that says so")
	}
}
