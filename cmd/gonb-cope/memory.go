package main

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// bounded returns the context under which a command may take the memory that --memory states, half of
// the machine's where it states none. What needs more is an error before it is taken.
func bounded(ctx context.Context, stated string) (context.Context, error) {
	if stated == "" {
		half := memlimit.Machine() / 2
		if half == 0 {
			return ctx, nil
		}
		memlimit.CollectInTime(half)
		return memlimit.Named(ctx, half, "half of the machine's memory; --memory sets another limit"), nil
	}
	most, err := memlimit.Parse(stated)
	if err != nil {
		return nil, usageError{fmt.Errorf("--memory: %w", err)}
	}
	memlimit.CollectInTime(most)
	return memlimit.Named(ctx, most, "--memory "+stated), nil
}
