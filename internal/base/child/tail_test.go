package child

import (
	"strconv"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	const size = 2000
	w := Tail{Size: size}
	for i := range 1000 {
		_, _ = w.Write([]byte("line " + strconv.Itoa(i) + "\n"))
	}
	got := w.String()
	if !strings.HasPrefix(got, "line ") || !strings.HasSuffix(got, "\nline 999") || len(got) > size || len(got) < size-10 {
		t.Errorf("%d bytes: %.20q…%q", len(got), got, got[len(got)-20:])
	}
	_, _ = w.Write([]byte(strings.Repeat("x", 3*size)))
	if got := w.String(); got != strings.Repeat("x", size) {
		t.Errorf("of one long line: %d bytes", len(got))

	}
	w = Tail{Head: 5, Size: 7}
	_, _ = w.Write([]byte("panic: at\nfirst\nlast"))
	if got := w.String(); got != "paniclast" {
		t.Errorf("beginning and end are %q", got)
	}
}
