package campaign

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// ids draws some ids, the same each time.
func ids(n int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	taken := map[string]bool{}
	var out []string
	for range n {
		id := NewID(rng, func(id string) bool { return taken[id] })
		taken[id] = true
		out = append(out, id)
	}
	return out
}

// Ids begin with a letter, have none that is taken for a digit and no E, and no two are the same. They are read in small letters and
// with blanks around them.
func TestIDsSurviveSpreadsheets(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range ids(20_000) {
		if len(id) != 6 || id[0] < 'A' || strings.ContainsAny(id, "ILOUE") || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
		if back, err := readID(" " + strings.ToLower(id) + " "); err != nil || back != id {
			t.Fatalf("%q is read as %q, %v", id, back, err)
		}
	}
}

// One wrong character and any two that are swapped are noticed by the check character, and the id that was meant is the nearest.
func TestEverySlipIsCaught(t *testing.T) {
	for _, id := range ids(300) {
		for i := range len(id) {
			for _, c := range alphabet {
				if wrong := id[:i] + string(c) + id[i+1:]; wrong != id {
					if got, err := readID(wrong); err == nil {
						t.Fatalf("%q for %q is read as %q", wrong, id, got)
					}
					if near := nearestID(wrong, []string{"ZZZZZZ", id}); near != id {
						t.Fatalf("nearest to %q is %q, want %q", wrong, near, id)
					}
				}
			}
			for j := range i {
				swapped := []byte(id)
				swapped[i], swapped[j] = swapped[j], swapped[i]
				if string(swapped) == id {
					continue
				}
				if got, err := readID(string(swapped)); err == nil {
					t.Fatalf("%q for %q is read as %q", swapped, id, got)
				}
			}
		}
	}
}

// O is read as 0, and I and L as 1: no id has these letters.
func TestLettersThatLookLikeDigits(t *testing.T) {
	// of the ids of this stream, one that has both a 0 and a 1 behind its letter
	for _, id := range ids(20_000) {
		if !strings.Contains(id, "0") || !strings.Contains(id, "1") {
			continue
		}
		typed := strings.NewReplacer("0", "O", "1", "l").Replace(id)
		if back, err := readID(typed); err != nil || back != id {
			t.Fatalf("%q is read as %q, %v; want %q", typed, back, err, id)
		}
		return
	}
	t.Fatal("no id with 0 and 1 among 20,000")
}
