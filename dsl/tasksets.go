package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// taskSets reads tasks=: a number, a name, a list of names, or a list of such alternatives. It
// reports tasks that the problem does not have, and reports whether all is right.
func taskSets(c *call, p *problem.Problem) ([]plan.Change, bool) {
	a := c.arg("tasks")
	if !a.known() {
		return nil, true
	}
	alternatives := []argument{a}
	if list, ok := a.Data.([]value); ok && !(len(list) > 0 && len(texts(a.value)) == len(list)) {
		alternatives = c.elements("tasks")
		if len(alternatives) == 0 {
			c.fail(&a, c.fn.Name+": tasks is an empty list; at least one task must be left", "")
			return nil, false
		}
	}
	var out []plan.Change
	for _, alternative := range alternatives {
		change, ok := taskSet(c, p, alternative)
		if !ok {
			return nil, false
		}
		out = append(out, change)
	}
	return out, true
}

// taskSet reads one alternative.
func taskSet(c *call, p *problem.Problem, a argument) (plan.Change, bool) {
	change := plan.Change{Vary: plan.VaryTasks}
	switch data := a.Data.(type) {
	case float64:
		k, ok := whole(data)
		if !ok || k < 1 || k > p.V() {
			c.fail(&a, fmt.Sprintf("%s: tasks is %s; how many to keep must be a whole number from 1 to %d", c.fn.Name, formatNumber(data),
				p.V()), "")
			return change, false
		}
		for v := range k {
			change.Tasks = append(change.Tasks, v)
		}
		change.Name = fmt.Sprintf("the first %d of %d tasks", k, p.V())
		return change, true
	case string:
		return namedTasks(c, p, change, []argument{a})
	case []value:
		named := make([]argument, len(data))
		for i := range data {
			named[i] = c.element(a, i)
		}
		return namedTasks(c, p, change, named)
	}
	c.fail(&a, fmt.Sprintf("%s: tasks has %s in it; it must have numbers, names of tasks, or lists of names", c.fn.Name, a.Type.a()),
		"write "+c.fn.Example)
	return change, false
}

// namedTasks keeps the tasks with these names.
func namedTasks(c *call, p *problem.Problem, change plan.Change, named []argument) (plan.Change, bool) {
	var words []string
	for _, a := range named {
		name, ok := a.Data.(string)
		v := slices.Index(p.Tasks.Names, name)
		switch {
		case !ok:
			c.fail(&a, fmt.Sprintf("%s: %s is not the name of a task", c.fn.Name, a.Type.a()), "a list of tasks has names only")
		case v < 0:
			c.fail(&a, fmt.Sprintf("%s: the problem has no task %q", c.fn.Name, name), suggest(name, p.Tasks.Names))
		case slices.Contains(change.Tasks, v):
			c.fail(&a, fmt.Sprintf("%s: task %q is named twice", c.fn.Name, name), "")
		default:
			change.Tasks, words = append(change.Tasks, v), append(words, name)
			continue
		}
		return change, false
	}
	if len(words) == 0 {
		a := c.arg("tasks")
		c.fail(&a, c.fn.Name+": an alternative without tasks; at least one must be left", "")
		return change, false
	}
	change.Name = "only " + strings.Join(words, ", ")
	return change, true
}
