package main

import (
	"strings"
	"testing"
)

// Tasks whose names differ have folders that differ and that a file system takes; a name that is
// one already stays, so that runs of before go on.
func TestFolderName(t *testing.T) {
	seen := map[string]string{}
	for _, task := range []string{"a/b", "a_b", `a\b`, "a:b", "a?b", "a|b", "a\tb", "Ågatan 3"} {
		name := folderName("wells-" + task)
		if other, taken := seen[name]; taken {
			t.Errorf("%q and %q share the folder %q", task, other, name)
		}
		if seen[name] = task; strings.ContainsAny(name, "/\\:\"*?<>|\t") {
			t.Errorf("%q has the folder %q", task, name)
		}
	}
	for _, plain := range []string{"wells-a_b", "wells-Ågatan 3"} {
		if got := folderName(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}
