package folder

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// AmendOnce works like Amend where the same change was not recorded before, see campaign.State.Amended.
// It returns what is recorded, and whether that was recorded before.
func (c *Campaign) AmendOnce(ctx context.Context, b campaign.AmendBody, by string) (_ campaign.AmendBody, known bool, err error) {
	p, s, err := c.fresh(ctx)
	if err != nil {
		return b, false, err
	}
	b.Withdraw = p.WithSlashes(b.Withdraw)
	if b.Add != nil {
		file := *b.Add
		file.SHA256 = fileHash(file.Content)
		b.Add = &file
	}
	if s.Amended(b) {
		return b, true, nil
	}
	b, err = c.Amend(ctx, b, by)
	return b, false, err
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

// FailOnce works like Fail, and returns whether all of the pulls had been given back before.
func (c *Campaign) FailOnce(ctx context.Context, ids []string, reason, by string) (known bool, err error) {
	return c.once(ctx, func(p campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		return s.Fail(p, ids, reason, by, c.opt.now())
	})
}

// CorrectOnce works like Correct, and returns whether the value stood there before.
func (c *Campaign) CorrectOnce(ctx context.Context, id string, reward float64, reason, by string) (known bool, err error) {
	return c.once(ctx, func(_ campaign.Protocol, s *campaign.State) ([]campaign.Event, error) {
		return s.Correct(id, reward, reason, by, c.opt.now())
	})
}

// once records the events of an act, and returns whether there were none.
func (c *Campaign) once(ctx context.Context, f func(campaign.Protocol, *campaign.State) ([]campaign.Event, error)) (known bool, err error) {
	err = c.write(ctx, func(p campaign.Protocol, s *campaign.State) (made []campaign.Event, err error) {
		made, err = f(p, s)
		known = err == nil && len(made) == 0
		return made, err
	})
	return known, err
}
