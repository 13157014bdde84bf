package dsl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The lists in docs/reference/language.md and docs/reference/functions.md come from the catalogues: between the markers
// <!-- NAME --> and <!-- end --> is the text that reference returns for NAME. With -update they are written again.
func TestLanguageDocumentation(t *testing.T) {
	lists := reference()
	documented(t, "../docs/reference/language.md", map[string]string{"formulas": lists["formulas"], "limits": lists["limits"]})
	documented(t, "../docs/reference/functions.md", map[string]string{"functions": lists["functions"], "algorithms": lists["algorithms"]})
}

// The two pages together are short enough to be read: they repeat nothing of json.md, and facts that
// several functions share appear once.
func TestLanguagePagesAreShort(t *testing.T) {
	const most = 60 << 10
	size := 0
	for _, path := range []string{"../docs/reference/language.md", "../docs/reference/functions.md"} {
		data := try.Of(os.ReadFile(path))
		size += len(data)
	}
	if size > most {
		t.Errorf("docs/reference/language.md and docs/reference/functions.md have %d bytes, want at most %d: shorten texts of parameters, or share them", size, most)
	}
}

// documented compares the lists in a page, by the name of their place, with what they should be.
func documented(t *testing.T, path string, lists map[string]string) {
	t.Helper()
	data := try.Of(os.ReadFile(path))
	text := string(data)
	for name, list := range lists {
		begin := fmt.Sprintf("<!-- %s -->\n", name)
		head, rest, found := strings.Cut(text, begin)
		old, tail, closed := strings.Cut(rest, "<!-- end -->") // what is between the markers now
		if !found || !closed {
			t.Errorf("%s has no place for %q", path, name)
			continue
		}
		// With -update the page is written again with the new list.
		if want := "\n" + strings.TrimSpace(list) + "\n\n"; old != want {
			if !*update {
				t.Errorf("%s: the list %q is out of date; run the tests of this package with -update", path, name)
			}
			text = head + begin + want + "<!-- end -->" + tail
		}
	}
	if *update && text != string(data) {
		try.To(os.WriteFile(path, []byte(text), 0o644))
	}
}

// Every script shown in the documents must pass the check.
func TestDocumentedScripts(t *testing.T) {
	pages := try.Of(filepath.Glob("../docs/*/*.md"))
	count := 0
	for _, path := range append(pages, "../README.md") {
		if strings.Contains(path, "gallery") {
			continue // notebooks, whose scripts have been executed
		}
		data := try.Of(os.ReadFile(path))
		// Blocks of code that begin with ```cope; a file name may follow.
		for _, match := range regexp.MustCompile("(?s)```cope[^\n]*\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
			count++
			script, errs := Parse(path, match[1])
			if len(errs) == 0 {
				errs = script.Check(Options{Host: refusing{t}}) // refuses to read or write anything
			}
			if len(errs) > 0 {
				t.Errorf("%s: %s\n%v", path, match[1], errs)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d scripts in the documents", count)
	}
}

// Every row of the catalogue must be complete, and its example must pass the check
// where r, b and s are results and a sweep.
func TestCatalogue(t *testing.T) {
	// The names that examples use.
	const before = "r = fc(paper(1)); b = fb(paper(1), 10); s = sweep(r, gap=[0.1, 0.2], algorithm=[`CoKernelFC`, `IndKernelFC`]); f = fit(paper(1))\n"
	seen := map[string]string{}
	for _, f := range Functions() {
		if f.Doc == "" || f.Example == "" || f.Section == "" || f.eval == nil {
			t.Errorf("%s: incomplete row", f.Name)
		}
		script, errs := Parse("example", before+f.Example)
		if len(errs) == 0 {
			errs = script.Check(Options{Host: refusing{t}})
		}
		if len(errs) > 0 {
			t.Errorf("%s: %v", f.Name, errs)
		}
		if !strings.Contains(inspection(functionHelp(f.Name)).Text, f.Signature()) {
			t.Errorf("%s: no help", f.Name)
		}
		// A synonym belongs to one function, and is not a function's name.
		for _, name := range append([]string{f.Name}, f.Synonyms...) {
			if other := seen[name]; other != "" {
				t.Errorf("%s belongs to both %s and %s", name, other, f.Name)
			}
			seen[name] = f.Name
		}
		for i, p := range f.Params {
			if p.Doc == "" || f.param(p.Name) != i {
				t.Errorf("%s, parameter %s: incomplete", f.Name, p.Name)
			}
		}
	}
}
