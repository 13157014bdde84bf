package campaign

import (
	"context"
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/question"
)

// Keeper starts and opens campaigns. Package folder implements it on disk.
type Keeper interface {
	// Start records a new campaign. Its error wraps ErrExists if the place already holds a campaign.
	Start(ctx context.Context, place string, r question.Recipe, p Protocol, notice func(string)) (Kept, error)
	// Open opens a recorded campaign. It calls notice, which may be nil, with messages about harmless irregularities.
	Open(ctx context.Context, place string, notice func(string)) (Kept, error)
}

// Kept is an open campaign. folder.Campaign has the same methods and documents them.
type Kept interface {
	Protocol() Protocol
	Status(ctx context.Context) (Status, error)
	Ask(ctx context.Context, q Request) (List, error)
	Do(ctx context.Context, act Act) (Done, error)
	Advance(ctx context.Context) error
	Close() error
}

// ErrExists is wrapped by the error of Keeper.Start if the place already holds a campaign.
var ErrExists = errors.New("the folder already holds a campaign")
