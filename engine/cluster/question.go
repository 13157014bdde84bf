package cluster

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// A Maker makes the question of a recipe: every agent drives a replica of its algorithm, and agent v pulls the arms of task v. It reads
// no other files.
type Maker func(ctx context.Context, r question.Recipe) (question.Question, error)

// begin returns the run of a question that agents can be asked. memory may be nil.
func begin(ctx context.Context, q question.Question, memory *model.Memory) (*question.Run, error) {
	if e, err := q.Entry(); err == nil && e.Role == algorithms.RoleReference {
		return nil, fmt.Errorf("%s is a reference that knows the expected rewards: no agents can run it", e.Name)
	}
	if p := q.Problem; p != nil && p.Block != nil {
		return nil, fmt.Errorf("problem %q has blocks (block=%q), which agents apart do not arrange, since they tell each other counts and "+
			"means of single arms: make a campaign of it (protocol, campaign start), or read it without block=", p.Name, p.Block.Name)
	}
	return q.Begin(ctx, memory)
}

// Identity tells a question from others. Agents that join state the same one.
type Identity struct {
	question.Identity
	Wire int `json:"wire"` // version of the messages
}

// identityOf returns what tells a question from others.
func identityOf(q question.Question) (Identity, error) {
	id, err := q.Identity()
	return Identity{id, wire.Version}, err
}

// Differs says in what a question is another one than the question there; "" where it is the same.
func Differs(q, there question.Question) (string, error) {
	own, err := identityOf(q)
	if err != nil {
		return "", err
	}
	other, err := identityOf(there)
	return own.differs(other), err
}

// differs says what of an identity is not as in another, that of the run; "" where nothing is.
func (i Identity) differs(run Identity) string {
	switch {
	case i.Wire != run.Wire:
		return fmt.Sprintf("its messages have version %d, and those of the run version %d: use programs of one version", i.Wire, run.Wire)
	case i.Mode != run.Mode || i.Algorithm != run.Algorithm:
		return fmt.Sprintf("it runs %s (%s), and the run is of %s (%s)", i.Algorithm, i.Mode, run.Algorithm, run.Mode)
	case i.Problem != run.Problem:
		return fmt.Sprintf("its problem is another one: data, kernel, noise or goal differ (SHA-256 %.12s… and %.12s…)", i.Problem, run.Problem)
	}
	for _, name := range sortedKeys(i.Options, run.Options) {
		if here, there := fmt.Sprint(i.Options[name]), fmt.Sprint(run.Options[name]); here != there {
			return fmt.Sprintf("its option %s is %s, and that of the run %s", name, here, there)
		}
	}
	return ""
}
