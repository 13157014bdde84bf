package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/filelock"
)

// lockFile is held as long as the server runs, and names the process. NATS has no lock of its own: two
// servers on one folder lose what they confirmed, and say nothing.
const lockFile = "server.lock"

// lockWait is how long a server waits for the lock.
const lockWait = 2 * time.Second

// lock takes the folder, and names the process that holds it where it waits in vain.
func lock(ctx context.Context, dir string) (io.Closer, error) {
	if !filelock.Available { // without a lock a second server would lose what was said
		return nil, fmt.Errorf("this program has no lock of folders on %s: serve from Linux, macOS or BSD, agents and workers run everywhere",
			runtime.GOOS)
	}
	file, err := filelock.Take(ctx, filepath.Join(dir, lockFile), 0o600, lockWait)
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return nil, fmt.Errorf("another server runs on the folder %s: %s; two would lose what they are told", dir, held.Holder)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("cannot lock the folder %s: %w", dir, err)
	}
	return file, nil
}
