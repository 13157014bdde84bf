package report

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// CampaignReport returns the displays of the report of a campaign: what was found, with all that it
// rests on, every reason that anybody gave, and all hashes.
func CampaignReport(st campaign.Status, p campaign.Protocol, h campaign.History, files []campaign.File) []Display {
	p.Forecast = h.Start.Forecast
	out := []Display{{Value: st}}
	if st.Best != nil {
		out = append(out, Display{Value: answerFigure(*st.Best)})
	}
	if len(st.Days) > 1 {
		x := "day"
		if st.Capacity == 0 {
			x = "round"
		}
		out = append(out, Display{Value: campaignFigure(st, PlotOptions{X: x, Y: []string{"open"}})})
	}
	out = append(out, Display{Value: p}, Display{Value: loggedTable(h)}, Display{Value: campaignRounds(h)})
	if t := correctedTable(h); len(t.Rows) > 0 {
		out = append(out, Display{Value: t})
	}
	return append(out, Display{Value: campaignHashes(h, files)})
}

// loggedTable has everything that somebody gave a reason for.
func loggedTable(h campaign.History) Table {
	t := Table{Caption: "What people did, and why",
		Columns: []Column{number("event", "Event", ""), text("at", "When"), text("by", "Who"), text("what", "What"), text("reason", "Why")}}
	for _, l := range h.Log {
		t.Rows = append(t.Rows, []any{int(l.Seq), l.At.Format("2006-01-02 15:04"), orAbsent(l.By), l.What, orAbsent(l.Reason)})
	}
	if len(t.Rows) == 0 {
		t.Notes = []string{"Nothing was failed, corrected, closed or amended."}
	}
	return t
}

// campaignRounds has a row for each round.
func campaignRounds(h campaign.History) Table {
	t := Table{Caption: "Rounds",
		Columns: []Column{number("round", "Round", ""), text("began", "Began"), number("planned", "Planned", ""),
			number("measured", "Measured", ""), text("ended", "Ended"), text("digest", "Digest of the plan"), text("build", "Planned by")}}
	for _, r := range h.Rounds {
		ended := "complete"
		switch {
		case r.Closed != "":
			ended = "closed: " + r.Closed
		case !r.Over:
			ended = "open"
		}
		if r.Cut {
			ended += ", cut to the capacity"
		}
		t.Rows = append(t.Rows, []any{r.Round, r.Began.Format("2006-01-02 15:04"), r.Planned, r.Measured, ended, r.Digest, r.Build})
	}
	return t
}

// correctedTable lists results that were corrected, old and new.
func correctedTable(h campaign.History) Table {
	t := Table{Caption: "Corrected results",
		Columns: []Column{text("id", "Id"), number("round", "Round", ""), text("task", "Task"), text("arm", "Arm"), text("old", "Old"),
			number("new", "New", "")}}
	for _, m := range h.Measurements {
		if len(m.Old) == 0 {
			continue
		}
		var old []string
		for _, x := range m.Old {
			old = append(old, decimal(x, 0))
		}
		t.Rows = append(t.Rows, []any{m.ID, m.Round, m.Task, m.Arm, strings.Join(old, ", then "), m.Reward})
	}
	return t
}

// campaignHashes has the hashes by which everything can be checked.
func campaignHashes(h campaign.History, files []campaign.File) Table {
	t := Table{Caption: "Hashes (SHA-256)", Columns: []Column{text("what", "What"), text("sha256", "Hash")}}
	for _, f := range files {
		t.Rows = append(t.Rows, []any{f.Path, f.SHA256})
	}
	t.Rows = append(t.Rows, []any{"problem and protocol", h.Start.Problem}, []any{fmt.Sprintf("last of %d events", h.Events), h.Hash})
	t.Notes = []string{"Each event is hashed with the one before it, so that the last hash stands for all of them. gonb-cope " +
		"campaign verify computes them again."}
	return t
}
