package report

import (
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// TestOtherLeaders: a status names the tasks where the method leads with another arm than what all measurements say, as far as it shows both.
func TestOtherLeaders(t *testing.T) {
	s := campaign.Status{Best: &answer.Answer{}, Result: &engine.Result{Mode: engine.ModeFC}}
	for _, x := range [][3]string{{"same", "a", "a"}, {"other", "a", "b"}, {"none", "", "b"}} {
		s.Tasks = append(s.Tasks, campaign.TaskStatus{Progress: engine.Progress{Task: x[0], Leader: x[1]}})
		s.Best.Picks = append(s.Best.Picks, answer.Pick{Task: x[0], Arm: x[2]})
	}
	if got := otherLeaders(s); !slices.Equal(got, []string{"other"}) {
		t.Errorf("tasks with another leader: %q", got)
	}
}
