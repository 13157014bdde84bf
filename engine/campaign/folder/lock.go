package folder

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/filelock"
)

// lockFile is held for the time of a write, and names who holds it.
const lockFile = "campaign.lock"

// patience is how long a write waits for the lock: its holder may just have been killed, and the
// system lets go of a dead process's lock only after some milliseconds.
const patience = 2 * time.Second

// locked is a lock that is held.
type locked struct{ file *os.File }

// lock waits for the lock of a folder, and names the process that holds it where it waits in vain.
func lock(ctx context.Context, dir string) (*locked, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the campaign: %w", err)
	}
	deadline := time.Now().Add(patience)
	for {
		ok, err := filelock.Try(file)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("cannot lock the campaign: %w", err)
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			holder := holderOf(file)
			file.Close()
			return nil, fmt.Errorf("another program is writing to the campaign: %s; nothing was recorded, try again", holder)
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	host, _ := os.Hostname()
	text := fmt.Sprintf("process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime))
	if err := file.Truncate(0); err == nil {
		file.WriteAt([]byte(text), 0) // for people: a full disk must not stop what fits
	}
	return &locked{file}, nil
}

// holderOf returns what the holder of the lock wrote into it.
func holderOf(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return "a process without a name"
}

// release lets go of the lock.
func (l *locked) release() { l.file.Close() }
