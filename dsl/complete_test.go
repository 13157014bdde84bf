package dsl

import (
	"slices"
	"strings"
	"testing"
)

// The cursor is at the bar.
func TestComplete(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, "größe = 2\nkz = rbf(größe)")
	for text, want := range map[string]struct {
		word  string // what is replaced
		words []string
	}{
		"k|":                               {"k", []string{"kz"}},
		"k = rb|":                          {"rb", []string{"rbf"}},
		"k = rbf(le|":                      {"le", []string{"lengthscale="}},
		"k = rbf(lengthscale=gr|)":         {"gr", []string{"größe"}},
		"k = 2 * matern(0.5, lin|ear()":    {"linear", []string{"linear"}},
		"r = fc(p, algorithm=\"Co|":        {"Co", []string{"CoKernelFC"}},
		"r = fc(p, algorithm=\"CoKernel|F": {"CoKernel", []string{"CoKernelFC"}},
		"ä = 1 // ü\nf(x, [spec|":          {"spec", []string{"spectrum"}},
		"x = \"rb|":                        {"rb", nil},
		"paper(gap=0.1, ca|":               {"ca", []string{"case=", "category"}},
	} {
		before, after, _ := strings.Cut(text, "|")
		from, to, words := s.Complete(before+after, len([]rune(before)))
		if got := string([]rune(before + after)[from:to]); got != want.word || !slices.Equal(words, want.words) {
			t.Errorf("%s: %q -> %v, want %q -> %v", text, got, words, want.word, want.words)
		}
	}
}

func TestInspect(t *testing.T) {
	s := NewSession(Options{})
	must(t, s, "kz = rbf(0.5)")
	for text, want := range map[string]string{
		"task(k|z)":    "kz = rbf(0.5)\nkz is a kernel\n",
		"x = rb|f(2)":  "rbf(lengthscale=1, dims=all columns)\nSmooth",
		"rbf(|":        "rbf(lengthscale=1, dims=all columns)\nSmooth",
		"fc(p, delt|a": "fc(p, delta=0.05",
		"nothing|":     "",
	} {
		before, after, _ := strings.Cut(text, "|")
		got := s.Inspect(before+after, len([]rune(before)))
		if !strings.HasPrefix(strings.ToLower(got), strings.ToLower(want)) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
