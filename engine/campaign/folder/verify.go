package folder

import (
	"context"
	"fmt"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Verification describes a campaign in which nothing was found to be changed.
type Verification struct {
	Events int              `json:"events"`
	At     time.Time        `json:"at"` // of the last event
	Hash   string           `json:"hash"`
	Files  []campaign.File  `json:"files"`
	Aside  []campaign.Aside `json:"set_aside,omitempty"` // events that a repair set aside

	state *campaign.State
}

// CheckHead reports that no event has a hash which somebody wrote down; see campaign.State.CheckHead.
func (v Verification) CheckHead(known string) error { return v.state.CheckHead(known) }

// Verify checks that nothing which was recorded was changed, removed or moved: the hash of every
// event and file, the number and hash of the last event, which stand beside the events, and that the
// events make sense in their order; also that the cache of this program is what they make. Its error names the first event
// that is not as it was.
func Verify(ctx context.Context, dir string, maker Maker, opt Options) (Verification, error) {
	var v Verification
	headSeq, headHash := readHead(dir)
	db, err := openFolder(ctx, dir)
	if err != nil {
		return v, err
	}
	defer db.close()
	if err := db.integrity(ctx); err != nil {
		return v, db.explain(ctx, err)
	}
	list, err := events(ctx, db.db, 0)
	if err != nil {
		return v, err
	}
	if err := campaign.CheckChain(list); err != nil {
		return v, err
	}
	seq, hash, err := head(ctx, db.db)
	if err != nil {
		return v, err
	}
	if last := int64(len(list)); seq != last || last == 0 || list[last-1].Hash != hash {
		return v, fmt.Errorf("event %d is missing: the events end with %d, and %d were recorded", last+1, last, seq)
	}
	v = Verification{Events: len(list), At: list[len(list)-1].At, Hash: hash}
	c := &Campaign{dir: dir, db: db, opt: opt}
	start, r, err := c.recipe(ctx)
	if err != nil {
		return v, err
	}
	v.Files = append([]campaign.File{start.Script}, start.Data...)
	p, err := maker(ctx, r)
	if err != nil {
		return v, fmt.Errorf("all is as recorded, but the script no longer makes the protocol: %w", err)
	}
	s, err := campaign.Fold(list, p.Problem.TaskOf)
	if err != nil {
		return v, unfit(dir, err)
	}
	v.Aside, v.state = s.Aside(), s
	if err := checkHead(s, headSeq, headHash); err != nil {
		return v, err
	}
	c.maker, c.kept.recipe, c.kept.protocol = maker, r, p
	m, err := c.moment(ctx, s)
	if err != nil {
		return v, err
	}
	for _, b := range s.Additions() {
		v.Files = append(v.Files, *b.Add)
	}
	if err := db.checkTriggers(ctx); err != nil {
		return v, err
	}
	return v, c.checkCache(ctx, m)
}
