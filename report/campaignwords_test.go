package report

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// What is left of a campaign is told with the noun that its number takes.
func TestSamplesLeft(t *testing.T) {
	for left, want := range map[float64]string{1: "About 1 sample more", 1.2: "About 1.2 samples more", 2: "About 2 samples more", 180: "About 180 samples more"} {
		if got := campaignSentence(campaign.Status{Name: "days", Algorithm: "CoBayesFC", Remaining: left}); !strings.Contains(got, want) {
			t.Errorf("%g left: %q has not %q", left, got, want)
		}
	}
}
