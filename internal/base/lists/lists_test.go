package lists_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"AB", "BA", 1}, {"ABC", "AC", 1}, {"ABC", "ABXC", 1}, {"ABC", "XYZ", 3}, {"CA", "ABC", 3}} {
		if got := lists.Distance([]byte(c.a), []byte(c.b), 9); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	// a long list costs nothing where the distance is at least the limit
	if got := lists.Distance(make([]byte, 1<<30), []byte("ABC"), 3); got != 3 {
		t.Errorf("a long list: %d, want the limit", got)
	}
	if got := lists.Distance([]byte("ABC"), []byte("XYZ"), 2); got != 2 {
		t.Errorf("at the limit: %d", got)
	}
}
