package folder

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Repair sets aside the events that do not fit those before them, as a program of before could record them: no
// command reads such a campaign. Nothing is changed or removed: one event more names what is left out from then
// on. It returns what does not fit, none where there is nothing to repair. With look it records nothing.
func Repair(ctx context.Context, dir string, maker Maker, reason, by string, look bool, opt Options) ([]campaign.Aside, error) {
	db, err := openFolder(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer db.close()
	c := &Campaign{dir: dir, db: db, opt: opt, maker: maker}
	_, r, err := c.recipe(ctx)
	if err != nil {
		return nil, err
	}
	p, err := maker(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("the recorded script no longer makes the protocol: %w", err)
	}
	l, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer l.release()
	var aside []campaign.Aside
	err = db.transaction(ctx, func(tx *sql.Tx) error {
		list, err := events(ctx, tx, 0)
		if err != nil {
			return err
		}
		if err := campaign.CheckChain(list); err != nil {
			return fmt.Errorf("%s: %w; only what was recorded so can be repaired", dir, err)
		}
		var made []campaign.Event
		aside, made, err = campaign.Repair(list, p.Problem.TaskOf, reason, by, opt.now())
		if look && len(aside) > 0 {
			return nil
		}
		if err == nil {
			_, err = appendEvents(ctx, tx, made)
		}
		return err
	})
	return aside, err
}
