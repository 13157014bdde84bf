package export

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/gonb-cope/gonb-cope/report"
)

// luminance returns the relative luminance of a colour #rrggbb [WCAG 2.1].
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatalf("%q is not a colour: %v", hex, err)
	}
	linear := func(v int) float64 {
		x := float64(v) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// TestContrast: what programs colour in terminals can be read on the page and on
// the ground of an error, light and dark: at least 4.5 to 1 [WCAG 2.1, 1.4.3].
func TestContrast(t *testing.T) {
	colour := regexp.MustCompile(`--([a-z0-9-]+): var\(--lt, (#[0-9a-f]{6})\) var\(--dk, (#[0-9a-f]{6})\)`)
	read := func(css string, scheme int) map[string]string {
		out := map[string]string{}
		for _, m := range colour.FindAllStringSubmatch(css, -1) {
			out[m[1]] = m[2+scheme]
		}
		return out
	}
	for scheme, name := range []string{"light", "dark"} {
		grounds, inks := read(report.Stylesheet(), scheme), read(pageStyle, scheme)
		if len(inks) != 8 {
			t.Fatalf("%s: %d colours of terminals, want 8", name, len(inks))
		}
		for _, ground := range []string{"page", "err"} {
			for ink, hex := range inks {
				a, b := luminance(t, hex)+0.05, luminance(t, grounds[ground])+0.05
				if ratio := max(a, b) / min(a, b); ratio < 4.5 {
					t.Errorf("%s: %s %s on %s %s has contrast %.2f, want 4.5", name, ink, hex, ground, grounds[ground], ratio)
				}
			}
		}
	}
}
