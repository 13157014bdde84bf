package jetstream

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockFile is held as long as the server runs, and names the process. NATS has no lock of its own: two
// servers on one folder lose what they confirmed, and say nothing.
const lockFile = "server.lock"

// lockWait is how long a server waits for the lock: its holder may just have been killed, and the
// system lets go of a dead process's lock only after some milliseconds.
const lockWait = 2 * time.Second

// lock takes the folder, and names the process that holds it where it waits in vain.
func lock(ctx context.Context, dir string) (io.Closer, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the folder %s: %w", dir, err)
	}
	deadline := time.Now().Add(lockWait)
	for {
		ok, err := tryLock(file)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("cannot lock the folder %s: %w", dir, err)
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			text, _ := io.ReadAll(io.NewSectionReader(file, 0, 200))
			file.Close()
			return nil, fmt.Errorf("another server runs on the folder %s: %s; two would lose what they are told", dir, strings.TrimSpace(string(text)))
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	host, _ := os.Hostname()
	if err := file.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(file, "process %d on %s\n", os.Getpid(), host) // for people
	}
	return file, nil
}
