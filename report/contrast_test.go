package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// linear returns one channel of a colour, undone from its gamma [WCAG 2.1].
func linear(t *testing.T, channel string) float64 {
	t.Helper()
	n := try.Of(strconv.ParseUint(channel, 16, 8))
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

// over returns the colour of ink of some opacity on a ground, as #rrggbb.
func over(t *testing.T, ink, ground string, opacity float64) string {
	t.Helper()
	out := "#"
	for i := 1; i < 7; i += 2 {
		a := try.Of(strconv.ParseUint(ink[i:i+2], 16, 8))
		b := try.Of(strconv.ParseUint(ground[i:i+2], 16, 8))
		out += fmt.Sprintf("%02x", int(math.Round(float64(a)*opacity+float64(b)*(1-opacity))))
	}
	return out
}

// TestNotebookContrast: the same in JupyterLab, whose ink is black of 87 % on white, or white on
// #111111. The style of outputs has shades only.
func TestNotebookContrast(t *testing.T) {
	shade := regexp.MustCompile(`background: (#[0-9a-f]{6})([0-9a-f]{2});`)
	faint := regexp.MustCompile(`opacity: (\.\d+);`)
	shades, opacities := shade.FindAllStringSubmatch(notebookStyle, -1), faint.FindAllStringSubmatch(notebookStyle, -1)
	if len(shades) < 2 || len(opacities) < 3 {
		t.Fatalf("%d shades and %d opacities in the style", len(shades), len(opacities))
	}
	for _, theme := range []struct {
		ink, page string
		opacity   float64
	}{{"#000000", "#ffffff", 0.87}, {"#ffffff", "#111111", 1}} {
		contrast := func(what string, opacity float64, ground string) {
			a, b := luminance(t, over(t, theme.ink, ground, theme.opacity*opacity)), luminance(t, ground)
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s on %s has contrast %.2f", what, ground, ratio)
			}
		}
		for _, m := range shades {
			alpha := try.Of(strconv.ParseUint(m[2], 16, 8))
			contrast("text", 1, over(t, m[1], theme.page, float64(alpha)/0xff))
		}
		for _, m := range opacities {
			opacity := try.Of(strconv.ParseFloat(m[1], 64))
			contrast("opacity "+m[1], opacity, theme.page)
		}
	}
}
