package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/filelock"
)

// lockFile is held for the time of a write, and names who holds it. Where the system has no locks of
// files, the database waits for others, too, and cannot name them.
const lockFile = "campaign.lock"

// patience is how long a write waits for the lock.
const patience = 2 * time.Second

// locked is a lock that is held.
type locked struct{ file *os.File }

// lock waits for the lock of a folder, and names the process that holds it where it waits in vain.
func lock(ctx context.Context, dir string) (*locked, error) {
	file, err := filelock.Take(ctx, filepath.Join(dir, lockFile), 0o666, patience)
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("another program is writing to the campaign: %s; nothing was recorded, try again", held.Holder)
	}
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("cannot lock the campaign: %w", err)
	}
	return &locked{file}, err
}

// release lets go of the lock.
func (l *locked) release() { l.file.Close() }
