package problem

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Words are the names that the user's table has for tasks, arms and rewards; the zero value if there is no such table.
type Words struct {
	Task   []string `json:"task_columns,omitempty"` // columns that name the tasks
	Arm    []string `json:"arm_columns,omitempty"`  // columns that name the arms
	Reward string   `json:"reward,omitempty"`       // column of measured values
	// pairs of a long number in names of arms, such as a logarithm, and the short form to show; short forms still
	// distinguish the values of a column
	Short [][2]string `json:"short,omitempty"`
}

// Words returns the names of a long table's columns.
func (p *Problem) Words() Words {
	if p.Long == nil {
		return Words{}
	}
	c := Words{Task: p.Long.Task, Arm: p.Long.Arm, Reward: p.Long.Reward, Short: p.shortValues()}
	if p.Long.Successes != "" {
		c.Reward = p.Long.Successes + " / " + p.Long.Trials
	}
	return c
}

// A number with manyDigits or more digits is shown with fewer, at least fewestDigits. Columns with more than mostShort
// values are not shortened.
const manyDigits, fewestDigits, mostShort = 9, 4, 200

// shortValues returns Short of Words.
func (p *Problem) shortValues() (out [][2]string) {
	for c, name := range p.Arms.Columns {
		if !slices.Contains(p.Long.Arm, name) || p.Categories[name] != nil || p.Arms.Units != nil && p.Arms.Units[c].Log {
			continue
		}
		long := map[float64]string{}
		for i := range p.N() {
			if v := p.Arms.Value(c, i); long[v] == "" {
				long[v] = p.ArmText(c, i)
			}
		}
		values := slices.Sorted(maps.Keys(long))
		if len(values) > mostShort {
			continue
		}
		texts := make([]string, len(values))
		for digits := fewestDigits; ; digits++ {
			for k, v := range values {
				x, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
				texts[k] = plainNumber(x)
			}
			if len(slices.Compact(slices.Clone(texts))) == len(texts) { // with 17 digits, numbers always differ
				break
			}
		}
		for k, v := range values {
			if text := long[v]; len(strings.Trim(text, "-0.")) > manyDigits && texts[k] != text {
				out = append(out, [2]string{text, texts[k]})
			}
		}
	}
	return out
}

// fractions matches numbers that may have a short form.
var fractions = regexp.MustCompile(`-?[0-9]+[.,][0-9]+([eE][-+]?[0-9]+)?`)

// Shorten replaces the numbers in a text by their short forms.
func (c Words) Shorten(text string) string {
	if len(c.Short) == 0 {
		return text
	}
	return fractions.ReplaceAllStringFunc(text, func(long string) string {
		for _, x := range c.Short {
			if x[0] == long {
				return x[1]
			}
			if comma := strings.Replace(x[0], ".", ",", 1); comma == long {
				return strings.Replace(x[1], ".", ",", 1)
			}
		}
		return long
	})
}

// IsZero reports whether the table has no names of its own.
func (c Words) IsZero() bool { return len(c.Task) == 0 && len(c.Arm) == 0 && c.Reward == "" }

// TaskTitle returns the heading of a column of tasks.
func (c Words) TaskTitle() string { return cmp.Or(strings.Join(c.Task, ", "), "Task") }

// ArmTitle returns the heading of a column of arms.
func (c Words) ArmTitle() string { return cmp.Or(strings.Join(c.Arm, ", "), "Arm") }

// TaskLabel returns a task as shown below TaskTitle: only the value if a single column names the tasks.
func (c Words) TaskLabel(task string) string {
	if len(c.Task) == 1 {
		return strings.TrimPrefix(task, c.Task[0]+"=")
	}
	return task
}

// ArmLabel returns names of arms as shown below ArmTitle: "Merlin, 80" for "Sorte=Merlin, N kg/ha=80".
func (c Words) ArmLabel(text string) string {
	for k, column := range c.Arm {
		if k == 0 {
			text = strings.ReplaceAll(text, column+"=", "")
		} else {
			text = strings.ReplaceAll(text, ", "+column+"=", ", ")
		}
	}
	return c.Shorten(text)
}
