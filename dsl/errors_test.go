package dsl

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var update = flag.Bool("update", false, "rewrite testdata and generated documentation")

// evalText parses and evaluates a script and returns what it displays.
func evalText(s *Session, src string) ([]any, error) {
	script, errs := Parse("demo.cope", src)
	if len(errs) > 0 {
		return nil, errs
	}
	displays, err := s.Eval(context.Background(), script)
	var values []any
	for _, d := range displays {
		values = append(values, d.Value)
	}
	return values, err
}

// Every wrong script of testdata/errors.txt must print exactly the message below it:
// place, line, underline, cause and hint are what a user works with.
func TestErrors(t *testing.T) {
	const path = "testdata/errors.txt"
	text := try.Of(os.ReadFile(path))
	var out strings.Builder
	// Each section has a title, a script, a line of dashes and the message.
	for _, section := range strings.Split(string(text), "### ")[1:] {
		title, rest, _ := strings.Cut(section, "\n")
		script, want, _ := strings.Cut(rest, "---\n")
		out.WriteString("### " + title + "\n" + script + "---\n")
		_, err := evalText(NewSession(Options{Folder: "testdata"}), script)
		if err == nil {
			t.Errorf("%s: no error", title)
			continue
		}
		got := err.Error() + "\n"
		out.WriteString(got)
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
	// With -update the messages are written to the file, for their author to read.
	if *update {
		try.To(os.WriteFile(path, []byte(out.String()), 0o644))
	}
}
