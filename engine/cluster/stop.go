package cluster

import (
	"context"
	"errors"
	"fmt"
)

// StopBody ends a run before its algorithm is done.
type StopBody struct {
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// String returns it as a sentence.
func (b StopBody) String() string {
	text := "the run was stopped"
	if b.By != "" {
		text += " by " + b.By
	}
	if b.Reason != "" {
		text += ": " + b.Reason
	}
	return text
}

// Stop ends a run: every agent ends after what it does just now. A run that was stopped stays
// stopped.
func Stop(ctx context.Context, x Facts, run string, b StopBody) error {
	if _, err := Opened(ctx, x, run); err != nil {
		return err
	}
	body, err := encode(b)
	if err != nil {
		return err
	}
	err = x.Publish(ctx, Fact{Run: run, Name: nameStop, Body: body})
	if c := (*ConflictError)(nil); errors.As(err, &c) {
		var first StopBody
		if err := decode(c.Stands, &first); err != nil {
			return err
		}
		return fmt.Errorf("run %s: %s already", run, first)
	}
	return err
}
