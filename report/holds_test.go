package report

import (
	"strings"
	"testing"
)

// holds reports the pieces that a text does not have.
func holds(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// lacks reports the pieces that a text must not have.
func lacks(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, not := range unwanted {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
}
