package folder

import (
	"context"
	"encoding/json"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Acts of tests, in the arguments that tests have.

func failBy(ctx context.Context, c *Campaign, ids []string, reason, by string) error {
	_, err := c.Do(ctx, &campaign.Fail{IDs: ids, Reason: reason, By: by})
	return err
}

func correctBy(ctx context.Context, c *Campaign, id string, v float64, reason, by string) error {
	_, err := c.Do(ctx, &campaign.Correct{ID: id, Value: v, Reason: reason, By: by})
	return err
}

func noteBy(ctx context.Context, c *Campaign, text, by string) error {
	_, err := c.Do(ctx, &campaign.Comment{Text: text, By: by})
	return err
}

func closeBy(ctx context.Context, c *Campaign, reason, by string) (campaign.Closing, error) {
	done, err := c.Do(ctx, &campaign.Close{Reason: reason, By: by})
	if done.Closing == nil {
		return campaign.Closing{}, err
	}
	return *done.Closing, err
}

func attachBy(ctx context.Context, c *Campaign, sheet []byte, opt campaign.TellOptions) (campaign.Receipt, error) {
	done, err := c.Do(ctx, &campaign.Attach{File: campaign.File{Content: sheet}, TellOptions: opt})
	if err != nil || done.Receipt == nil {
		return campaign.Receipt{}, err
	}
	return *done.Receipt, nil
}

// amendBy makes the change that a body states, and returns the recorded one.
func amendBy(ctx context.Context, c *Campaign, b campaign.AmendBody, by string) (campaign.AmendBody, error) {
	// an act has other fields than its body: arms by one text, and nothing that follows from the state
	a := &campaign.Amend{Epsilon: b.Epsilon, Delta: b.Delta, Capacity: b.Capacity, Reason: b.Reason, By: by}
	for _, w := range b.Withdraw {
		a.Withdraw = append(a.Withdraw, w[0]+"/"+w[1])
	}
	if b.Add != nil {
		a.Add = *b.Add
	}
	done, err := c.Do(ctx, a)
	if err == nil && len(done.Events) > 0 {
		err = json.Unmarshal(done.Events[0].Body, &b)
	}
	return b, err
}
