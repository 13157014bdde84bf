package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Close ends the open round with what came. A round that is over stays as it is. It is an error where the algorithm takes
// rounds only as it planned them. Without a number it is one, too, where nobody was handed a pull of the open round:
// whoever closes twice means the round before.
type Close struct {
	Round      int // from 1; 0 is the open one
	Reason, By string
}

var closeEntry = Entry{
	Name: "close", Synonyms: []string{"end_round"}, New: func() Act { return new(Close) }, Plans: true,
	Doc: "ends an open round with what came, and shows how far the campaign is; a round that is over stays as it is. " +
		capital(FailureRule),
	Example: `close("days", round=3, reason="the freezer failed")`,
	Short:   "End the open round with what came",
	Long:    "End the open round with what came. With --round, a round that is already over stays as it is.\n\n" + capital(FailureRule) + ".",
}

// Params implements Act.
func (a *Close) Params() []Param {
	return []Param{
		{Name: "round", Into: &a.Round, Range: fromOne, Doc: "the number of the round",
			Flag: "the round that is meant (default: the open one, if any of its pulls was handed out)"},
		reasonParam(&a.Reason), byParam(&a.By),
	}
}

// Refusable implements the interface of this name.
func (a *Close) Refusable() {}

// Closing says what closing the open round would do.
type Closing struct {
	Round    int        `json:"round"`
	Planned  int        `json:"planned"`
	Measured int        `json:"measured"`
	Lost     int        `json:"lost"`
	PValue   *float64   `json:"p_value,omitempty"` // see LossTest
	Worst    []LossLine `json:"worst,omitempty"`   // arms that lost far more than their share
	Rule     Note       `json:"sentence"`          // for whoever closes it
}

// Do implements Act.
func (a *Close) Do(_ context.Context, at Doing) (Done, error) {
	if a.Round != 0 {
		if over, err := at.ended(a.Round); err != nil || over {
			return Done{Known: over, Text: fmt.Sprintf("round %d was over before: nothing was recorded", a.Round)}, err
		}
	}
	r := at.open()
	if r == nil {
		return Done{}, errors.New("no round is open")
	}
	c := Closing{Round: r.plan.Round, Rule: at.Protocol.FailureRule()}
	planned, lost := slices.Clone(r.plan.Counts), make([]int, len(r.plan.Counts))
	for i := range planned {
		if at.withdrawn(i) {
			planned[i] = 0
		}
		c.Planned += planned[i]
		c.Measured += r.measuredOf(i)
		lost[i] = max(0, planned[i]-r.measuredOf(i))
		c.Lost += lost[i]
	}
	c.PValue, c.Worst = LossTest(at.Protocol, planned, lost)
	out := Done{Closing: &c}
	for _, w := range c.Worst {
		out.Warnings = append(out.Warnings, w.Warning())
	}
	if err := reasoned(a.Reason, c.Rule); err != nil {
		return out, err
	}
	if a.Round == 0 && at.untouched(r) {
		return out, fmt.Errorf("nobody was handed a pull of round %d yet, so that there is nothing to close (--round %[1]d "+
			"closes it all the same)", c.Round)
	}
	out.Text = fmt.Sprintf("round %d is closed with %d of %d pulls; %s", c.Round, c.Measured, c.Planned, c.Rule)
	out.Events = []Event{NewEvent(KindClose, at.Now, a.By, CloseBody{Round: c.Round, Lost: c.Lost, PValue: c.PValue, Reason: a.Reason})}
	return out, nil
}

// CloseBody ends the open round.
type CloseBody struct {
	Round  int      `json:"round"`
	Lost   int      `json:"lost"`
	PValue *float64 `json:"p_value,omitempty"` // of losses that are shared out by chance, see LossTest
	Reason string   `json:"reason"`
	Early  bool     `json:"early,omitempty"` // nobody closed it: see State.CloseEarly
}

func (b *CloseBody) fold(s *State, e Event) error {
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	r.closed, r.reason, r.early = e.Seq, Plain(b.Reason), b.Early
	if b.Early {
		return nil // it happens nearly every day, and nobody has chosen it
	}
	s.note(e, fmt.Sprintf("round %d closed with %s lost", b.Round, pulls(b.Lost)), b.Reason)
	return nil
}
