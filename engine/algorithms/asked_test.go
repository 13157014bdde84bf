package algorithms

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAbridged(t *testing.T) {
	short := "task(rbf(1))*arm(linear())"
	if got := abridged(short); got != short {
		t.Errorf("a short text became %q", got)
	}
	a, b := strings.Repeat("µ", 400)+"1", strings.Repeat("µ", 400)+"2"
	x, y := abridged(a), abridged(b)
	if x == y || len(x) > longestKernel+20 || !utf8.ValidString(x) {
		t.Errorf("%q and %q", x, y)
	}
}
