package campaign

import (
	"fmt"
	"strings"
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

// UpgradeBody records that a program that decides otherwise goes on.
type UpgradeBody struct {
	From    int      `json:"from"` // revisions
	To      int      `json:"to"`
	Changes []string `json:"changes,omitempty"` // sentences
}

func (b *UpgradeBody) fold(s *State, e Event) error {
	s.Revision = b.To
	s.note(e, fmt.Sprintf("revision %d of the decisions in place of %d", b.To, b.From), "")
	return nil
}
