//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// ledger sums events up.
type ledger struct {
	order  []string           // ids, in the order of issue
	arm    map[string]int     // of an id
	issued map[string]int     // how often
	told   map[string]int     // how often
	failed map[string]int     // how often
	value  map[string]float64 // after corrections
	pulls  map[string]int     // how often a pull was handed out that replaces none
	texts  map[string]int     // how often a note, reason or sheet that one act has is recorded
	rows   map[string]int     // results of a sheet
	last   map[string][]string
	broken error // a body that cannot be read
}

func ledgerOf(events []campaign.Event) ledger {
	s := ledger{arm: map[string]int{}, issued: map[string]int{}, told: map[string]int{}, failed: map[string]int{},
		value: map[string]float64{}, pulls: map[string]int{},
		texts: map[string]int{}, rows: map[string]int{}, last: map[string][]string{}}
	for _, e := range events {
		read := func(into any) {
			if err := json.Unmarshal(e.Body, into); err != nil && s.broken == nil {
				s.broken = fmt.Errorf("event %d: %w", e.Seq, err)
			}
		}
		switch e.Kind {
		case campaign.KindAsk:
			var b campaign.AskBody
			read(&b)
			s.last[e.By] = nil
			for _, x := range b.Items {
				if s.issued[x.ID]++; s.issued[x.ID] == 1 {
					s.order, s.arm[x.ID] = append(s.order, x.ID), x.Arm
				}
				s.last[e.By] = append(s.last[e.By], x.ID)
				if x.Again == "" {
					s.pulls[fmt.Sprintf("pull %d of arm %d in round %d", x.Number, x.Arm, b.Round)]++
				}
			}
		case campaign.KindTell, campaign.KindLate, campaign.KindAttach:
			var b campaign.TellBody
			read(&b)
			s.texts[string(e.Kind)+" "+b.Sheet]++
			s.rows[b.Sheet] += len(b.Results)
			for _, r := range b.Results {
				if r.ID != "" {
					s.told[r.ID]++
					s.value[r.ID] = r.Reward
				}
			}
		case campaign.KindFail:
			var b campaign.FailBody
			read(&b)
			s.texts["fail "+b.Reason]++
			for _, id := range b.IDs {
				s.failed[id]++
			}
		case campaign.KindCorrect:
			var b campaign.CorrectBody
			read(&b)
			s.texts["correct "+b.Reason]++
			s.value[b.ID] = b.Reward
		case campaign.KindClose:
			var b campaign.CloseBody
			read(&b)
			s.texts[fmt.Sprintf("close of round %d", b.Round)]++
			if !b.Early {
				s.texts["close "+b.Reason]++
			}
		case campaign.KindAmend:
			var b campaign.AmendBody
			read(&b)
			s.texts["amend "+b.Reason]++
		case campaign.KindNote:
			var b campaign.NoteBody
			read(&b)
			s.texts["note "+b.Text]++
		case campaign.KindPlan:
			var b campaign.PlanBody
			read(&b)
			if !b.Done {
				s.texts[fmt.Sprintf("plan of round %d", b.Round)]++
			}
		}
	}
	return s
}

// ids returns the ones for which something holds, in the order in which they were issued.
func (s ledger) ids(is func(id string) bool) (out []string) {
	for _, id := range s.order {
		if is(id) {
			out = append(out, id)
		}
	}
	return out
}

// owed returns the ids without result.
func (s ledger) owed() []string {
	return s.ids(func(id string) bool { return s.told[id] == 0 && s.failed[id] == 0 })
}

// doubles returns what is there twice.
func (s ledger) doubles() (found []finding) {
	for what, counts := range map[string]map[string]int{"issued": s.issued, "told": s.told, "given back": s.failed, "handed out": s.pulls,
		"recorded": s.texts} {
		for name, n := range counts {
			if n > 1 {
				found = append(found, finding{doubled, fmt.Sprintf("%s is %s %d times", name, what, n)})
			}
		}
	}
	return found
}

// compare returns what is wrong with events after an act that ended so.
func compare(before, now []campaign.Event, a act, o outcome) (found []finding) {
	is := func(f figure, format string, args ...any) {
		found = append(found, finding{f, fmt.Sprintf(format, args...)})
	}
	if err := campaign.CheckChain(now); err != nil {
		is(lost, "the chain: %v", err)
	}
	for i, e := range before {
		if i >= len(now) || now[i].Hash != e.Hash {
			is(lost, "event %d (%s) is gone", e.Seq, e.Kind)
			break
		}
	}
	sum := ledgerOf(now)
	if sum.broken != nil {
		is(lost, "%v", sum.broken)
	}
	found = append(found, sum.doubles()...)
	recorded := len(now) > len(before)
	switch a.kind {
	case "tell":
		if n := sum.rows[a.text+".csv"]; n != 0 && n != len(a.sheet) {
			is(half, "%d of the %d rows of a sheet", n, len(a.sheet))
		}
	case "attach":
		if n := sum.rows[a.text+".csv"]; n != 0 && n != 2 {
			is(half, "%d of the 2 rows of a sheet", n)
		}
	}
	if acknowledged(a, o) {
		for id, value := range a.sheet {
			if sum.told[id] != 1 || sum.value[id] != value {
				is(lost, "%s was told as %g, and is recorded %d times, as %g", id, value, sum.told[id], sum.value[id])
			}
		}
		switch a.kind {
		case "ask":
			var list struct{ Rows []struct{ ID string } }
			if err := json.Unmarshal([]byte(o.out), &list); err != nil {
				is(other, "the list cannot be read: %v", err)
			}
			for _, r := range list.Rows {
				if sum.issued[r.ID] != 1 {
					is(lost, "%s was handed out, and is issued %d times", r.ID, sum.issued[r.ID])
				}
			}
		case "fail":
			if sum.failed[a.id] != 1 {
				is(lost, "%s was given back, and is recorded %d times", a.id, sum.failed[a.id])
			}
		case "close", "correct", "amend", "note":
			if sum.texts[a.kind+" "+a.text] != 1 {
				is(lost, "the %s is recorded %d times", a.kind, sum.texts[a.kind+" "+a.text])
			}
		case "attach":
			if sum.rows[a.text+".csv"] != 2 {
				is(lost, "%d of the 2 rows attached are recorded", sum.rows[a.text+".csv"])
			}
		}
	} else if o.code == 0 && !o.killed {
		is(other, "it ended well and said nothing: %q", o.out)
	}
	if recorded && a.recorded(ledgerOf(now[len(before):])) && strings.Contains(o.errs, "nothing was recorded") {
		is(untrue, "it was recorded, and said: %s", o.words())
	}
	return found
}

// recorded reports whether the act is among the events of a ledger.
func (a act) recorded(s ledger) bool {
	switch a.kind {
	case "ask", "list":
		return len(s.issued) > 0
	case "tell", "attach":
		return s.rows[a.text+".csv"] > 0
	}
	return s.texts[a.kind+" "+a.text] > 0
}

// acknowledged reports whether the command said that it was done, whole, before it ended.
func acknowledged(a act, o outcome) bool {
	switch a.kind {
	case "list", "report", "status":
		return o.code == 0 && !o.killed
	}
	if !json.Valid([]byte(o.out)) {
		return false
	}
	if a.kind == "tell" || a.kind == "attach" {
		var r campaign.Receipt
		return json.Unmarshal([]byte(o.out), &r) == nil && (r.Taken || o.code == 0)
	}
	return true
}
