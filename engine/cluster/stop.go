package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// StopBody ends a run before its algorithm is done.
type StopBody struct {
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// String returns it as a sentence.
func (b StopBody) String() string {
	if b.By == "" {
		return "the run was stopped" + b.why()
	}
	return "the run was stopped by " + b.By + b.why()
}

// why returns the reason behind a colon; "" without one.
func (b StopBody) why() string {
	if b.Reason == "" {
		return ""
	}
	return ": " + b.Reason
}

// readStop returns the stop that a fact holds. One that cannot be read stops as well, by nobody and
// without a reason.
func readStop(f Fact) *StopBody {
	var b StopBody
	if decode(f, &b) != nil {
		return new(StopBody)
	}
	return &b
}

// Stop ends a run: every agent ends after what it does just now. A run that was stopped stays
// stopped. It is an error where the run was over before.
func Stop(ctx context.Context, x Facts, run string, b StopBody) error {
	s, err := StatusOf(ctx, x, run)
	if err != nil {
		return err
	}
	if s.Status != engine.StatusInterrupted {
		return fmt.Errorf("run %s was %s; there is nothing to stop", run, s)
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
		by := ""
		if first.By != "" {
			by = ", by " + first.By
		}
		return fmt.Errorf("run %s was stopped already%s%s", run, by, first.why())
	}
	return err
}
