package report

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// rewardUnits is the unit of numbers whose unit the table does not name.
const rewardUnits = "reward units"

// inWords returns blocks in the words of the user's table: its names for tasks, arms and rewards.
func inWords(blocks []Block, c problem.Words) []Block {
	if c.IsZero() {
		return blocks
	}
	out := slices.Clone(blocks)
	for k, b := range out {
		switch b := b.(type) {
		case Table:
			out[k] = b.inWords(c)
		case Figure:
			b.Categories = shortened(b.Categories, c)
			out[k] = b
		case KeyValues:
			b.Items = slices.Clone(b.Items)
			for i := range b.Items {
				b.Items[i].Unit = unitOf(b.Items[i].Unit, c)
			}
			out[k] = b
		}
	}
	return out
}

// inWords returns a table in the words of the user's table.
func (t Table) inWords(c problem.Words) Table {
	t.Columns, t.Rows = slices.Clone(t.Columns), slices.Clone(t.Rows)
	for j := range t.Columns {
		column := &t.Columns[j]
		column.Unit = unitOf(column.Unit, c)
		label := func(s string) string { return s }
		switch column.Name {
		case "task":
			label, column.Title = c.TaskLabel, c.TaskTitle()
		case "arm", "leader", "rival", "best", "candidates", "out", "story":
			label = c.ArmLabel
		}
		switch {
		case column.Title == "Arm":
			column.Title = c.ArmTitle()
		case column.Title == "Estimated reward" && c.Reward != "":
			column.Title = "Estimated " + c.Reward
		}
		for i, row := range t.Rows {
			if s, ok := row[j].(string); ok {
				t.Rows[i] = slices.Clone(row)
				t.Rows[i][j] = label(s)
			}
		}
	}
	return t
}

// shortened returns names of arms with the short forms of numbers.
func shortened(names []string, c problem.Words) []string {
	out := slices.Clone(names)
	for k, name := range out {
		out[k] = c.Shorten(name)
	}
	return out
}

// unitOf is the unit of rewards by its name in the user's table.
func unitOf(unit string, c problem.Words) string {
	if unit == rewardUnits && c.Reward != "" {
		return c.Reward
	}
	return unit
}
