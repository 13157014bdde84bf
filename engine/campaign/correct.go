package campaign

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Correct replaces the result of an id.
type Correct struct {
	ID         string
	Value      float64 // reward, with the sign of the data
	Reason, By string
}

var correctEntry = Entry{
	Name: "correct", Synonyms: []string{"replace", "revise"}, New: func() Act { return new(Correct) },
	Doc: "replaces a result that was wrong, and shows how far the campaign is. In a round that is over, what followed is " +
		"worked out again; where a decision changes, the answers are heuristic",
	Example: `correct("days", "K7M2PQ", 41.5, reason="read from the wrong column")`,
	Short:   "Replace a result that was wrong",
}

// Params implements Act.
func (a *Correct) Params() []Param {
	return []Param{
		{Name: "id", Into: &a.ID, Doc: "the id of the pull", Place: "ID", Words: "an id"},
		{Name: "value", Synonyms: []string{"reward", "result"}, Into: &a.Value, Doc: "the right reward", Place: "VALUE",
			Words: "the right value"},
		reasonParam(&a.Reason), byParam(&a.By),
	}
}

// Do implements Act.
func (a *Correct) Do(_ context.Context, at Doing) (Done, error) {
	it, err := (&teller{state: at.State}).item(a.ID)
	switch missing := reasoned(a.Reason, nil); {
	case missing != nil:
		return Done{}, missing
	case problem.CheckReward(a.Value) != nil:
		return Done{}, problem.CheckReward(a.Value)
	case err != nil:
		return Done{}, err
	case it.told == nil:
		return Done{}, fmt.Errorf("%s has no result to correct; tell records one", it.ID)
	case it.told.count() > 1:
		return Done{}, fmt.Errorf("%s is one of %d whose mean was told: a mean cannot be corrected by one of them", it.ID, it.told.count())
	}
	var events []Event
	if it.told.Reward != a.Value {
		events = []Event{NewEvent(KindCorrect, at.Now, a.By, CorrectBody{ID: it.ID, Old: it.told.Reward, Reward: a.Value, Reason: a.Reason})}
	}
	return recordedOnce(events, fmt.Sprintf("recorded: %s is %g", a.ID, a.Value), nil)
}

// CorrectBody replaces a result.
type CorrectBody struct {
	ID     string  `json:"id"`
	Old    float64 `json:"old"`
	Reward float64 `json:"reward"`
	Reason string  `json:"reason"`
}

func (b *CorrectBody) fold(s *State, e Event) error {
	it := s.items[b.ID]
	if it == nil || it.told == nil {
		return fmt.Errorf("id %s has no result", b.ID)
	}
	it.told.old = append(it.told.old, it.told.Reward)
	it.told.Reward = b.Reward
	s.reopened = s.done != nil
	s.note(e, fmt.Sprintf("%s corrected from %g to %g", b.ID, b.Old, b.Reward), b.Reason)
	return nil
}
