package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// linear returns one channel of a colour, undone from its gamma [WCAG 2.1].
func linear(t *testing.T, channel string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(channel, 16, 8)
	if err != nil {
		t.Fatal(err)
	}
	c := float64(n) / 255
	if c <= 0.03928 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// TestContrast: text has a contrast of 4.5:1 or more [WCAG 2.1, 1.4.3] in the
// light, the dark and the printed scheme.
func TestContrast(t *testing.T) {
	schemes := []map[string]string{{}, {}, {}}
	for _, m := range regexp.MustCompile(`--([a-z-]+): var\(--lt, (#[0-9a-f]{6})\) var\(--dk, (#[0-9a-f]{6})\);`).FindAllStringSubmatch(stylesheet, -1) {
		schemes[0][m[1]], schemes[1][m[1]], schemes[2][m[1]] = m[2], m[3], m[2]
	}
	_, print, found := strings.Cut(stylesheet, "@media print")
	overridden := regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(print, -1)
	if len(schemes[0]) < 16 || !found || len(overridden) < 5 {
		t.Fatalf("%d colours in the style, and %d for print", len(schemes[0]), len(overridden))
	}
	for _, m := range overridden {
		schemes[2][m[1]] = m[2]
	}
	for i, scheme := range schemes {
		for _, pair := range []string{"ink page", "ink panel", "soft page", "soft panel", "warn-ink warn", "err-ink err", "err-rule panel", "code-c panel", "code-s panel", "code-f panel", "code-d panel"} {
			text, ground, _ := strings.Cut(pair, " ")
			a, b := luminance(t, scheme[text]), luminance(t, scheme[ground])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("scheme %d: %s on %s has contrast %.2f", i, text, ground, ratio)
			}
		}
	}
}
