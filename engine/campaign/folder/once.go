package folder

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// AmendOnce works like Amend where the same change was not recorded before, see campaign.State.Amended.
// It returns whether it was.
func (c *Campaign) AmendOnce(ctx context.Context, b campaign.AmendBody, by string) (known bool, err error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return false, err
	}
	b.Withdraw = p.WithSlashes(b.Withdraw)
	if b.Add != nil {
		file := *b.Add
		file.SHA256 = fileHash(file.Content)
		b.Add = &file
	}
	if s.Amended(b) {
		return true, nil
	}
	_, err = c.Amend(ctx, b, by)
	return false, err
}

// CloseOnce closes a round by its number. Where that is over it does nothing, and returns that it
// knew.
func (c *Campaign) CloseOnce(ctx context.Context, round int, reason, by string) (out campaign.Closing, known bool, err error) {
	err = c.tried(ctx, func(p campaign.Protocol, s *campaign.State) (made []campaign.Event, _ campaign.Protocol, err error) {
		if known, err = s.Ended(round); err != nil || known {
			return nil, p, err
		}
		out, made, err = s.Close(p, reason, by, c.opt.now())
		return made, p, err
	})
	return out, known, err
}
