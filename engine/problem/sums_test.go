package problem

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Sums in the column of means are noticed where counts differ, and means that do not grow with them are not.
func TestSums(t *testing.T) {
	for text, want := range map[string]bool{
		"a,41,1\na,83,2\na,128,3\nb,61,1\nb,118,2\nb,242,4\n": true,
		"a,41,1\na,43,2\na,42,3\nb,61,1\nb,59,2\nb,60,4\n":    false,
		"a,41,2\na,83,2\na,128,2\nb,61,2\nb,118,2\nb,242,2\n": false,
		"a,-41,1\na,83,2\na,128,3\nb,61,1\nb,118,2\nb,4,4\n":  false,
	} {
		read := func(string) ([]byte, error) { return []byte("arm,y,n\n" + text), nil }
		p := try.Of(Load("p.csv", independent, LoadOptions{Read: read, Long: &Long{Arm: []string{"arm"}, Reward: "y", Count: "n"}}))
		if got := slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == NoteSums }); got != want {
			t.Errorf("%q: sums %t, want %t", text, got, want)
		}
	}
}
