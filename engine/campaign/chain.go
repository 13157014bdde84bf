package campaign

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// link is what a list says of an event.
type link struct {
	hash string
	at   time.Time
}

// ChainColumn is the column of a list that names the last event of the campaign which made it.
const ChainColumn = "campaign_chain"

// chainTime is the form of the time in a cell of ChainColumn. It begins with a letter, so that no spreadsheet
// takes the cell for a number or a date.
const chainTime = "20060102T150405Z"

var chainCell = regexp.MustCompile(`^c([1-9][0-9]{0,14})-([0-9a-f]{8})-([0-9]{8}T[0-9]{6}Z)$`)

// Chain names the last event: its number, the first digits of its hash, and its time.
func (s *State) Chain() string {
	return fmt.Sprintf("c%d-%.8s-%s", s.Seq, s.Hash, s.At.UTC().Format(chainTime))
}

// Has reports whether the hash of an event begins with these digits.
func (s *State) Has(seq int64, hash string) bool {
	return seq > 0 && seq <= int64(len(s.links)) && strings.HasPrefix(s.links[seq-1].hash, hash)
}

// CheckHead reports that no event has a hash which somebody wrote down: in full, by at least 8 digits, or as Chain.
func (s *State) CheckHead(known string) error {
	digits := strings.ToLower(strings.TrimSpace(known))
	if cell := chainCell.FindStringSubmatch(strings.TrimSpace(known)); cell != nil {
		digits = cell[2]
	}
	if len(digits) < 8 || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is no hash of an event: it has at least 8 digits of 0 to 9 and a to f", known)
	}
	if slices.ContainsFunc(s.links, func(l link) bool { return strings.HasPrefix(l.hash, digits) }) {
		return nil
	}
	return fmt.Errorf("no event has the hash %s: since it was written down, events were cut off or written again, or it is "+
		"of another campaign", known)
}

// checkChain reports a sheet whose list was made by another copy of the campaign, or by a later state of it than
// this one: ids and rows may mean other pulls there.
func (s *State) checkChain(r Results) error {
	last := ""
	for _, row := range r.sheet.Rows {
		text := row.Text(ChainColumn)
		if text == last {
			continue
		}
		last = text
		cell := chainCell.FindStringSubmatch(text)
		if cell == nil {
			continue
		}
		seq, _ := strconv.ParseInt(cell[1], 10, 64) // at most 15 digits
		at, err := time.Parse(chainTime, cell[3])
		if err != nil || s.Has(seq, cell[2]) {
			continue
		}
		here := fmt.Sprintf("ends with event %d of %s", s.Seq, s.At.UTC().Format(time.DateTime))
		if seq <= s.Seq {
			here = fmt.Sprintf("has another event %d, of %s", seq, s.links[seq-1].at.UTC().Format(time.DateTime))
		}
		return fmt.Errorf("line %d: the list was made after event %d of %s (UTC), and this folder %s: one of the two is a copy, or "+
			"an older backup that went on. "+
			"Tell the sheet in the folder that made the list; where the results belong here all the same, take out the column %s", row.Line, seq,
			at.Format(time.DateTime), here, ChainColumn)
	}
	return nil
}
