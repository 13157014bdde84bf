package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The digest of a cell changes with main, with what main uses, and with a module in a folder whose package it imports. Other
// declarations, comments and spaces do not change it.
func TestSourceDigest(t *testing.T) {
	const cell = `package main

import (
	"fmt"

	"example.com/rules"
)

type base struct{ n int }

func (b *base) next() int { b.n += step; return b.n }

type mine struct{ base }

const (
	first = iota + 1
	step
)

var table = map[string]int{"a": helper()}

func helper() int { return rules.Size }

func other() { fmt.Println("other", unused) }

var unused = 3

func main() { m := mine{}; println(m.next(), len(table)) }
`
	const rules = "package rules\n\nconst Size = 1\n"
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		try.To(os.MkdirAll(filepath.Dir(path), 0o700))
		try.To(os.WriteFile(path, []byte(text), 0o600))
	}
	digest := func(cell, rules string) string {
		t.Helper()
		write("main.go", cell)
		write("rules/rules.go", rules)
		return try.Of(sourceDigest(filepath.Join(folder, "cell")))
	}
	write("go.mod", "module cell\n\ngo 1.26\n\nrequire example.com/rules v0.0.0\n\nreplace example.com/rules => ./rules\n")
	write("rules/go.mod", "module example.com/rules\n\ngo 1.26\n")
	write("rules/rules.go", rules)
	write("main.go", cell)
	build := exec.Command("go", "build", "-o", "cell", ".")
	build.Dir, build.Env = folder, append(os.Environ(), "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before := digest(cell, rules)
	for name, c := range map[string]struct {
		old, new string
		same     bool
	}{
		"another cell's function":   {`"other"`, `"another"`, true},
		"another cell's variable":   {"unused = 3", "unused = 4", true},
		"a comment":                 {"type mine", "// mine is an algorithm\ntype mine", true},
		"main":                      {"len(table)", "len(table)+1", false},
		"a method of a nested type": {"b.n += step", "b.n -= step", false},
		"a constant of a group":     {"iota + 1", "iota + 2", false},
		"a variable":                {`"a"`, `"b"`, false},
		"a function behind it":      {"return rules.Size", "return 2*rules.Size", false},
	} {
		changed := strings.Replace(cell, c.old, c.new, 1)
		if changed == cell {
			t.Fatalf("%s: %q is not in the cell", name, c.old)
		}
		if got := digest(changed, rules) == before; got != c.same {
			t.Errorf("%s: the digest is the same: %t, want %t", name, got, c.same)
		}
	}
	for name, c := range map[string][2]string{ // imports that no name shows
		"another package of that name":   {`"fmt"`, `fmt "log"`},
		"an import for its init":         {`"fmt"`, "\"fmt\"\n\t_ \"image/png\""},
		"two imports for their init":     {`"fmt"`, "\"fmt\"\n\t_ \"image/gif\"\n\t_ \"image/png\""},
		"an import without a name":       {`"fmt"`, "\"fmt\"\n\t. \"math\""},
		"a package of another name":      {`"fmt"`, "\"fmt\"\n\t\"example.com/go-rules\""},
		"the other of two such packages": {`"fmt"`, "\"fmt\"\n\t\"example.com/go-rules\"\n\t\"example.com/go-more\""},
	} {
		old, other := strings.Replace(cell, `rules.Size }`, `rules.Size + len(fmt.Sprint()) }`, 1), ""
		if other = strings.Replace(old, c[0], c[1], 1); digest(other, rules) == digest(old, rules) {
			t.Errorf("%s: the digest is the same", name)
		}
	}
	if digest(cell, strings.Replace(rules, "1", "2", 1)) == before {
		t.Error("the digest does not depend on a module in a folder")
	}
}
