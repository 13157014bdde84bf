package folder

import (
	"context"
	"fmt"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// currentProtocol is the protocol with the arms that were added so far, and what it is made from. It only grows: a state that was read just
// before an addition may meet the arms of after.
type currentProtocol struct {
	mu       sync.Mutex // guards both below, which change together
	recipe   question.Recipe
	protocol campaign.Protocol
}

// now returns both.
func (k *currentProtocol) now() (question.Recipe, campaign.Protocol) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.recipe, k.protocol
}

// tasks returns the tasks of the arms of the start, by arm: a fold begins with them.
func (k *currentProtocol) tasks() []int {
	_, p := k.now()
	return p.AtStart().Problem.TaskOf
}

// of returns the protocol of a state of a campaign: with the arms that were added by then, from the recorded
// files alone. Each addition must make the problem that it made when it was recorded.
func (k *currentProtocol) of(ctx context.Context, c *Campaign, s *campaign.State) (campaign.Protocol, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := s.Additions()
	for n := len(k.protocol.Earlier); n < len(all); n++ {
		file := *all[n].Add
		var err error
		if file.Content, err = getFile(ctx, c.db.db, file.SHA256); err != nil {
			return campaign.Protocol{}, fmt.Errorf("%s: the recorded copy of %s cannot be read: %w", c.dir, file.Path, err)
		}
		// one after the other, as they came: each keeps the scale of the features before it
		r, p, _, err := grown(ctx, c.maker, k.recipe, k.protocol, file)
		if err != nil {
			return campaign.Protocol{}, fmt.Errorf("the recorded script no longer makes the protocol with the arms that were added: %w", err)
		}
		if p.Fingerprint() != all[n].Problem {
			return campaign.Protocol{}, fmt.Errorf("with this program, the recorded script and the arms of %s give another problem than "+
				"when the arms were added. Use the program that added them", file.Path)
		}
		k.recipe, k.protocol = r, p
	}
	return k.protocol, nil
}

// grown makes the protocol with the arms of a file, and its recipe. The script is evaluated on the table with all rows, and what it
// makes is compared with p, whose arms must stay unchanged. r is not changed.
func grown(ctx context.Context, maker Maker, r question.Recipe, p campaign.Protocol, file campaign.File) (question.Recipe,
	campaign.Protocol, campaign.Growth, error) {
	// a list of its own: two additions that are tried at once must not write into one
	r.Added = append(r.Added[:len(r.Added):len(r.Added)], file)
	made, err := maker(ctx, r)
	if err != nil {
		return r, p, campaign.Growth{}, err
	}
	out, g, err := p.Grown(made.Problem)
	if err == nil {
		err = out.Check(ctx)
	}
	return r, out, g, err
}
