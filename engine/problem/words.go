package problem

import "strings"

// Words are the names that the user's table has for tasks, arms and rewards; the zero value where it has none of its own.
type Words struct {
	Task   []string `json:"task_columns,omitempty"` // by which tasks are named
	Arm    []string `json:"arm_columns,omitempty"`  // by which arms are named
	Reward string   `json:"reward,omitempty"`       // the column that was measured
}

// Words returns the names of a long table's columns.
func (p *Problem) Words() Words {
	if p.Long == nil {
		return Words{}
	}
	c := Words{Task: p.Long.Task, Arm: p.Long.Arm, Reward: p.Long.Reward}
	if p.Long.Successes != "" {
		c.Reward = p.Long.Successes + " / " + p.Long.Trials
	}
	return c
}

// IsZero reports whether the table has no names of its own.
func (c Words) IsZero() bool { return len(c.Task) == 0 && len(c.Arm) == 0 && c.Reward == "" }

// TaskTitle is what a column of tasks is called.
func (c Words) TaskTitle() string {
	if len(c.Task) == 0 {
		return "Task"
	}
	return strings.Join(c.Task, ", ")
}

// ArmTitle is what a column of arms is called.
func (c Words) ArmTitle() string {
	if len(c.Arm) == 0 {
		return "Arm"
	}
	return strings.Join(c.Arm, ", ")
}

// TaskLabel is a task as it stands below TaskTitle: the value alone where one column names tasks.
func (c Words) TaskLabel(task string) string {
	if len(c.Task) == 1 {
		return strings.TrimPrefix(task, c.Task[0]+"=")
	}
	return task
}

// ArmLabel is a text with names of arms as they stand below ArmTitle: "Merlin, 80" for "Sorte=Merlin, N kg/ha=80".
func (c Words) ArmLabel(text string) string {
	for k, column := range c.Arm {
		if k == 0 {
			text = strings.ReplaceAll(text, column+"=", "")
		} else {
			text = strings.ReplaceAll(text, ", "+column+"=", ", ")
		}
	}
	return text
}
