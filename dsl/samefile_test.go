package dsl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Two paths name one file however they are written, whether it exists or not.
func TestSameFile(t *testing.T) {
	t.Chdir(t.TempDir())
	here := try.Of(os.Getwd())
	try.To(os.WriteFile("old.csv", nil, 0o600))
	try.To(os.Symlink("old.csv", "link.csv"))
	// Files that exist and files that do not, by relative and absolute paths and through links; each pair in both orders.
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"new.csv", filepath.Join(here, "new.csv"), true},
		{"new.csv", "other.csv", false},
		{"a/../new.csv", "./new.csv", true},
		{"a/new.csv", "b/new.csv", false},
		{"a/", "a", true},
		{"a/..", here, true}, // the last parts differ
		{here, "a/.", false},
		{"a/b/..", filepath.Join(here, "a"), true},
		{"old.csv", "link.csv", true},
		{"old.csv", "new.csv", false},
	} {
		if got := sameFile(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
		if got := sameFile(c.b, c.a); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.b, c.a, got, c.want)
		}
	}
}
