package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var update = flag.Bool("update", false, "write THIRD_PARTY_LICENSES from the linked modules")

// THIRD_PARTY_LICENSES has every module that the command links on any system, with all licences and
// notices of the module's version in go.mod.
func TestLicenses(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the modules of three systems")
	}
	want := thirdParty(t)
	if *update {
		try.To(os.WriteFile("THIRD_PARTY_LICENSES", []byte(want), 0o644))
		return
	}
	if licenses != want {
		t.Error("THIRD_PARTY_LICENSES is not what the linked modules carry; run: make licenses")
	}
}

// linkedModule is a module with the folder of its source.
type linkedModule struct {
	Path, Version, Dir string
	Main               bool
}

// linked lists the modules that the command links, of all systems, by path. The first is
// Go itself, whose licence of the standard library is beside its sources.
func linked(t *testing.T) []linkedModule {
	t.Helper()
	found := map[string]linkedModule{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		c := exec.Command("go", "list", "-deps", "-json=Module", ".")
		c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *linkedModule }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module != nil && !p.Module.Main {
				found[p.Module.Path] = *p.Module
			}
		}
	}
	modules := slices.SortedFunc(maps.Values(found), func(a, b linkedModule) int { return cmp.Compare(a.Path, b.Path) })
	return append([]linkedModule{{Path: "Go standard library", Dir: goRoot(t)}}, modules...)
}

func goRoot(t *testing.T) string {
	t.Helper()
	out := try.Of(exec.Command("go", "env", "GOROOT").Output())
	return strings.TrimSpace(string(out))
}

// notice finds files with licences and what must go with them. Of FreeType's two
// licences one may choose, and the FreeType one fits.
var notice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents|ofl|ftl)([-._].*)?$`)

// thirdParty returns the text of all licences. Modules with the same text share it.
func thirdParty(t *testing.T) string {
	t.Helper()
	var order []string
	holders := map[string][]string{}
	for _, m := range linked(t) {
		text := texts(t, m)
		if text == "" {
			t.Errorf("%s has no licence in %s", m.Path, m.Dir)
		}
		if holders[text] == nil {
			order = append(order, text)
		}
		holders[text] = append(holders[text], strings.TrimSpace(m.Path+" "+m.Version))
	}
	var b strings.Builder
	b.WriteString("gonb-cope links the following. Each part has its licence below its name.\n")
	for _, text := range order {
		rule := strings.Repeat("=", 80)
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s", rule, strings.Join(holders[text], "\n"), rule, text)
	}
	return b.String()
}

// texts returns the licences and notices of one module.
func texts(t *testing.T, m linkedModule) string {
	t.Helper()
	names := try.Of(filepath.Glob(filepath.Join(m.Dir, "*")))
	more := try.Of(filepath.Glob(filepath.Join(m.Dir, "licenses", "ftl.txt")))
	var b strings.Builder
	for _, name := range append(names, more...) {
		if !notice.MatchString(filepath.Base(name)) {
			continue
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue // a folder of that name
		}
		text := try.Of(os.ReadFile(name))
		clean := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", filepath.Base(name), clean)
	}
	return b.String()
}
