package campaign

import (
	"context"
	"strings"
	"time"
)

// Upgrading says what a program changes that goes on with a campaign of one which decides otherwise.
type Upgrading struct {
	From    int          `json:"from"` // revisions, see Revision
	To      int          `json:"to"`
	Changes []Difference `json:"changes,omitempty"` // decisions so far that the program makes otherwise
}

// sentences returns a sentence for each change, one where there are none.
func (u Upgrading) sentences() []string {
	if len(u.Changes) == 0 {
		return []string{"no decision so far changes"}
	}
	var out []string
	for _, d := range u.Changes {
		out = append(out, d.String())
	}
	return out
}

// String returns the changes as sentences, without a full stop.
func (u Upgrading) String() string { return strings.Join(u.sentences(), "; ") }

// Upgrade records that a program goes on which decides otherwise. It returns nil where nothing was to
// be done. The event keeps the sentences, which people read in the log.
func (s *State) Upgrade(ctx context.Context, p Protocol, revision int, by string, now time.Time) (*Upgrading, []Event, error) {
	if revision == s.Revision {
		return nil, nil, nil
	}
	x, err := s.Replay(ctx, p, nil)
	if err != nil {
		return nil, nil, err
	}
	u := &Upgrading{From: s.Revision, To: revision, Changes: x.Differs}
	return u, []Event{NewEvent(KindUpgrade, now, by, UpgradeBody{From: u.From, To: u.To, Changes: u.sentences()})}, nil
}
