package campaign

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Assumptions are what a forecast was simulated with: its rewards first. Their String is the sentence.
type Assumptions []Note

// String joins the sentences of the notes, without a full stop.
func (a Assumptions) String() string {
	var parts []string
	for _, n := range a {
		parts = append(parts, n.String())
	}
	return strings.Join(parts, "; ")
}

// UnmarshalJSON reads the notes, or the one sentence that bodies of events held before there were kinds.
func (a *Assumptions) UnmarshalJSON(b []byte) error {
	*a = nil
	var said string
	if json.Unmarshal(b, &said) == nil {
		if said != "" {
			*a = Assumptions{{Kind: NoteKind(said)}}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]Note)(a))
}

// lossWords returns the shares of a NoteLosses, and what states them where the protocol does not.
func (n Note) lossWords() []string {
	if len(n.Numbers) < 5 || len(n.Names) < 1 {
		return nil
	}
	stated := true
	share := func(least, most float64) string {
		if least < most {
			stated = false
			return fmt.Sprintf("up to %.3g %%", 100*most)
		}
		return fmt.Sprintf("%.3g %%", 100*most)
	}
	words := []string{share(n.Numbers[0], n.Numbers[1]), share(n.Numbers[2], n.Numbers[3]), fmt.Sprintf("%d %s", n.number(4), n.Names[0]), ""}
	if !stated {
		words[3] = " (failed= and late= state the shares)"
	}
	return words
}

// lossNote returns what a forecast of the protocol assumes of losses; ok is false where there are none.
func (p Protocol) lossNote() (n Note, ok bool) {
	if p.Capacity == 0 || p.Failed != nil && p.Late != nil && *p.Failed == 0 && *p.Late == 0 {
		return Note{}, false
	}
	n = Note{Kind: NoteLosses, Names: []string{p.Unit()}}
	for _, x := range []struct {
		stated *float64
		most   float64
	}{{p.Failed, mostFailed}, {p.Late, mostLate}} {
		if x.stated != nil {
			n.Numbers = append(n.Numbers, *x.stated, *x.stated)
		} else {
			n.Numbers = append(n.Numbers, 0, x.most)
		}
	}
	n.Numbers = append(n.Numbers, float64(p.lossesOf(0).delay))
	return n, true
}
