package dsl

import (
	"strings"
	"testing"
)

// A problem without means has a first round; messages name its requirements by parameters that the
// function has. "gp" is offered if it works. The problem has deviations and no means.
func TestWithoutMeans(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "arms.csv", "task,arm,x_a,sd\na,1,1,1\na,2,2,1\n")
	const p = `p = problem("arms.csv", kernel=arm(linear())); `
	for src, hint := range map[string]string{
		"design(p)":                      "write xi=0.01, or another number; or give norm= and gap=",
		"spectrum(p)":                    "write xi=0.01, or another number; or give norm= and gap=",
		"hardness(p)":                    "plan(p, gaps=…)",
		"bounds(p)":                      "plan(p, gaps=…)",
		"design(p, xi=0.01)":             "",
		"design(p, norm=1, gap=1)":       "",
		"spectrum(p, norm=1, gap=1)":     "",
		`fc(p, xi="gp")`:                 `"gp" is for fb`,
		`bounds(paper(1), xi="gp")`:      `"gp" is for fb`,
		`design(paper(1), xi="gp")`:      `"gp" is for fb`,
		`fb(paper(1), 100, xi="gp")`:     "",
		`fb(paper(1), 100, xi="gpp")`:    `did you mean "gp"?`,
		`plan(paper(1), xi="gp",runs=2)`: `"gp" is for fb`,
	} {
		_, err := evalText(NewSession(Options{Folder: folder}), p+src)
		if (err == nil) != (hint == "") || err != nil && !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v, want %q", src, err, hint)
		}
	}
	s := NewSession(Options{})
	for src, want := range map[string]string{`fc(p, xi="`: "auto", `design(p, xi="`: "auto", `fb(p, 100, xi="`: "auto gp"} {
		if _, _, words := s.Complete(src, len(src)); strings.Join(words, " ") != want {
			t.Errorf("%s offers %v", src, words)
		}
	}
}
