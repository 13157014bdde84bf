package cluster

import (
	"context"
	"errors"
	"fmt"
)

// JoinBody says who an agent is. It stands for ever, so that no other program can be the same agent.
type JoinBody struct {
	Identity
	Task     string `json:"task"`
	Instance string `json:"instance"` // of the agent's folder: who has the folder may come back
	Host     string `json:"host"`
	Build    Build  `json:"build"` // when it came first
}

// check reports a join that is not of the run.
func (j JoinBody) check(run string, b RunBody, v int) error {
	if j.Task != b.Tasks[v] {
		return &RefusedError{run, fmt.Sprintf("%s says that it is of task %q, and its task is %q", AgentName(v), j.Task, b.Tasks[v])}
	}
	if text := j.Identity.differs(b.Identity); text != "" {
		return &RefusedError{run, fmt.Sprintf("%s (task %q, on %s) cannot take part: %s", AgentName(v), j.Task, j.Host, text)}
	}
	return nil
}

// join publishes that agent v takes part. The folder that joined first may come back; another one is
// refused.
func join(ctx context.Context, x Facts, run string, v int, j JoinBody) error {
	body, err := encode(j)
	if err != nil {
		return err
	}
	err = x.Publish(ctx, Fact{Run: run, Name: AgentName(v), Body: body})
	c := (*ConflictError)(nil)
	if !errors.As(err, &c) {
		return err
	}
	var first JoinBody
	if err := decode(c.Stands, &first); err != nil {
		return err
	}
	if first.Instance != j.Instance {
		return &RefusedError{run, fmt.Sprintf(
			"task %q has an agent already: instance %.8s on %s joined first, and this is instance %.8s on %s; an agent comes "+
				"back with its folder", j.Task, first.Instance, first.Host, j.Instance, j.Host)}
	}
	return nil
}
