package campaign

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// daysTaken holds what a campaign took.
type daysTaken struct {
	days, samples int
	wrong         bool
}

// keptDays holds the campaigns of one kind that a file has, one a line, by seed.
type keptDays struct {
	path, kind string
	made       map[int]daysTaken
}

// keptCampaigns reads the campaigns of a kind from the file that CAMPAIGNS_KEPT names; none without it.
func keptCampaigns(t *testing.T, kind string) keptDays {
	k := keptDays{os.Getenv("CAMPAIGNS_KEPT"), kind, map[int]daysTaken{}}
	if k.path == "" {
		return k
	}
	text, err := os.ReadFile(k.path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var seed int
		var x daysTaken
		if rest, own := strings.CutPrefix(line, kind); own {
			if _, err := fmt.Sscanf(rest, "%d,%d,%d,%t", &seed, &x.days, &x.samples, &x.wrong); err != nil {
				t.Fatalf("%s: %q: %v", k.path, line, err)
			}
			k.made[seed] = x
		}
	}
	return k
}

// keep adds a campaign to the file.
func (k keptDays) keep(t *testing.T, seed int, x daysTaken) {
	if k.path == "" {
		return
	}
	f := try.Of(os.OpenFile(k.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))
	defer f.Close()
	try.Of(fmt.Fprintf(f, "%s%d,%d,%d,%t\n", k.kind, seed, x.days, x.samples, x.wrong))
}
