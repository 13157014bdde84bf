package gonb

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var update = flag.Bool("update", false, "write pins/ again from ../../go.mod")

// The pinned modules have the versions of the module's own go.mod, so that what is
// tested here is what a user gets, and nothing is downloaded twice.
func TestPins(t *testing.T) {
	if *update {
		writePins(t)
	}
	root := parseMod(t, "../../go.mod")
	pins := parseMod(t, "pins/go.mod.txt")
	versions := map[string]string{}
	for _, r := range root.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	if len(pins.Require) == 0 {
		t.Fatal("nothing is pinned")
	}
	for _, r := range pins.Require {
		if r.Mod.Version != versions[r.Mod.Path] {
			t.Errorf("pins/go.mod.txt requires %s, go.mod %q; run: go test ./notebook/gonb -run TestPins -update", r.Mod, versions[r.Mod.Path])
		}
	}
	if pins.Go.Version != root.Go.Version {
		t.Errorf("pins/go.mod.txt says go %s, go.mod %s", pins.Go.Version, root.Go.Version)
	}
	tools := map[string]bool{}
	for _, tool := range root.Tool {
		tools[tool.Path] = true
	}
	for _, name := range []string{gonbPackage, goimportsPackage} {
		if !tools[name] {
			t.Errorf("%s is no tool of go.mod", name)
		}
	}
	if versions[gonbPackage] == "" {
		t.Errorf("go.mod does not require %s", gonbPackage)
	}
}

func parseMod(t *testing.T, name string) *modfile.File {
	t.Helper()
	text := try.Of(os.ReadFile(name))
	return try.Of(modfile.Parse(name, text, nil))
}

// writePins tidies the module's requirements down to what the tools need.
func writePins(t *testing.T) {
	t.Helper()
	f := parseMod(t, "../../go.mod")
	try.To(f.AddModuleStmt("gonb-cope-tools"))
	text, err := f.Format()
	if err != nil {
		t.Fatal(err)
	}
	sum := try.Of(os.ReadFile("../../go.sum"))
	dir := t.TempDir()
	for name, content := range map[string][]byte{"go.mod": text, "go.sum": sum} {
		try.To(os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := tidy.CombinedOutput(); err != nil {
		t.Fatalf("go mod tidy: %v\n%s", err, out)
	}
	write := func(name string, content []byte, err error) {
		if err == nil {
			err = os.WriteFile(filepath.Join("pins", name+".txt"), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sum, err = os.ReadFile(filepath.Join(dir, "go.sum"))
	write("go.sum", sum, err)
	// Tidy adds what only tests of the tools need.
	pins := parseMod(t, filepath.Join(dir, "go.mod"))
	for _, r := range slices.Clone(pins.Require) {
		if !slices.ContainsFunc(f.Require, func(own *modfile.Require) bool { return own.Mod.Path == r.Mod.Path }) {
			try.To(pins.DropRequire(r.Mod.Path))
		}
	}
	pins.Cleanup()
	text, err = pins.Format()
	write("go.mod", text, err)
}
