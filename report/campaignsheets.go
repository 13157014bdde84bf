package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// worklistBlocks shows a list for the laboratory.
func worklistBlocks(l campaign.List) []Block {
	if len(l.Rows) == 0 {
		return []Block{Paragraph{Lead: true, Text: upper(l.Note.String()) + "."}}
	}
	lead := fmt.Sprintf("%s to measure, round %d", plural(len(l.Rows), "pull"), l.Round)
	if l.By != "" {
		lead += ", for " + l.By
	}
	if l.Again {
		lead += ": the list of before, which is not told yet"
	}
	lead += "."
	if at, ok := due(l.Until).(string); ok {
		lead += " Due " + at + "."
	}
	l.Chain = "" // for files
	return []Block{Paragraph{Lead: true, Text: lead}, WorklistTable(l)}
}

// WorklistTable returns the list as a table for spreadsheets, with columns to fill in.
func WorklistTable(l campaign.List) Table {
	t := Table{Columns: []Column{text("id", "Id"), number("round", "Round", ""), number("plate", "Plate", ""),
		number("position", "Position", ""), text("task", "Task"), text("arm", "Arm")}}
	blocks := len(l.Rows) > 0 && l.Rows[0].Block > 0
	if blocks {
		t.Columns = slices.Insert(t.Columns, 4, number("block", "Block", ""))
	}
	has := func(c string) bool { return slices.ContainsFunc(t.Columns, func(x Column) bool { return x.Name == c }) }
	words, said := make([]bool, len(l.Columns)), make([]bool, len(l.Columns))
	for k, c := range l.Columns {
		if said[k] = has(c); said[k] { // a feature of the name arm is a part of the arm
			continue
		}
		words[k] = len(l.Rows) > 0 && k < len(l.Rows[0].Settings) && !isNumeral(l.Rows[0].Settings[k])
		if words[k] {
			t.Columns = append(t.Columns, text(c, c))
		} else {
			t.Columns = append(t.Columns, number(c, c, ""))
		}
	}
	var toFill []any // nothing yet
	for _, c := range l.Blocks {
		if !has(c) {
			t.Columns, toFill = append(t.Columns, text(c, c)), append(toFill, nil)
		}
	}
	t.Columns = append(t.Columns, number("reward", "Reward", ""), text("status", "Status"), text("note", "Note"))
	if l.Chain != "" {
		t.Columns = append(t.Columns, text(campaign.ChainColumn, "Chain"))
	}
	for _, r := range l.Rows {
		row := []any{r.ID, r.Round, known(r.Plate), known(r.Position), r.Task, r.Arm}
		if blocks {
			row = slices.Insert(row, 4, any(r.Block))
		}
		for k := range l.Columns {
			if said[k] {
				continue
			}
			if words[k] {
				row = append(row, r.Settings[k])
			} else {
				row = append(row, r.X[k])
			}
		}
		row = append(row, toFill...)
		row = append(row, pointed(r.Reward), known(r.Status), known(r.Note))
		if l.Chain != "" {
			row = append(row, l.Chain)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// isNumeral reports whether a text is a number.
func isNumeral(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// receiptBlocks shows what became of the rows of a sheet.
func receiptBlocks(r campaign.Receipt) []Block {
	good, wrong := r.Words()
	lead := "Recorded: " + good + "."
	switch {
	case r.Taken && wrong != "":
		lead += " Not recorded: " + wrong + "."
	case r.Taken:
	case wrong != "":
		lead = "Nothing is recorded, because of these rows: " + wrong + "."
		if good != "" {
			lead += " The others are in order: " + good + "."
		}
	case good != "":
		lead = "Nothing to record: " + good + "."
	default:
		lead = "Nothing to record: no rows with results."
	}
	switch {
	case r.Over && r.Round > 0:
		lead += fmt.Sprintf(" Round %d is over.", r.Round)
	case r.Round > 0:
		lead += fmt.Sprintf(" Round %d waits for %s.", r.Round, plural(r.Left, "pull"))
	}
	if r.Taken && r.Chain != "" {
		lead += " Chain " + r.Chain + "."
	}
	out := []Block{Paragraph{Lead: true, Text: lead}}
	if r.Refused() && !r.Taken {
		text := "Correct them, or take the other rows alone (take_good=true, --take-good)."
		if r.Counts[campaign.RowSure] > 0 {
			text += " Unlikely rows that are right are taken with sure=true, --sure."
		}
		out = append(out, Note{Warning: true, Text: text})
	}
	for _, n := range r.Notes {
		text := n.String()
		if r.Sheet == "" || !strings.HasPrefix(text, r.Sheet) { // a file is called as it is
			text = upper(text)
		}
		out = append(out, Note{Text: text + "."})
	}
	if len(r.Lines) > 0 {
		t := Table{Columns: []Column{number("line", "Line", ""), text("id", "Id"), text("kind", "What"), text("text", "Why")}}
		for _, l := range r.Lines {
			t.Rows = append(t.Rows, []any{known(l.Line), known(l.ID), l.Kind, l.Text})
		}
		out = append(out, t.withoutEmptyColumns())
	}
	return out
}
