package folder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// cacheFile keeps what the algorithm made of the last state that was replayed, after the SHA-256 of that. It may be
// deleted at any time: that changes nothing but time.
const cacheFile = "cache/replay.gob"

// cached is the content of the file after the hash.
type cached struct {
	Key string
	Run campaign.Run
}

// key tells the state and the program from others.
func (c *Campaign) key(s *campaign.State) string {
	return fmt.Sprintf("%s %d %s", s.Hash, c.revision(), c.opt.build())
}

// replay returns what the algorithm makes of a state, from the cache where that has it.
func (c *Campaign) replay(ctx context.Context, m campaign.Moment) (*campaign.Run, error) {
	if kept := c.ofCache(m.State); kept != nil && m.Agrees(kept) {
		return kept, nil
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return nil, err
	}
	c.keep(filepath.Join(c.dir, cacheFile), cached{c.key(m.State), *run})
	return run, nil
}

// ofCache returns the run that the cache has of a state, nil without one.
func (c *Campaign) ofCache(s *campaign.State) *campaign.Run {
	data, err := os.ReadFile(filepath.Join(c.dir, cacheFile))
	if err != nil {
		return nil
	}
	kept, whole := opened(data)
	if !whole || kept.Key != c.key(s) {
		return nil
	}
	return &kept.Run
}

// checkCache reports a cache that is not what the events make.
func (c *Campaign) checkCache(ctx context.Context, m campaign.Moment) error {
	kept := c.ofCache(m.State)
	if kept == nil {
		return nil // it is not read
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return err
	}
	var is, want bytes.Buffer
	if err := errors.Join(gob.NewEncoder(&is).Encode(kept), gob.NewEncoder(&want).Encode(run)); err != nil {
		return err
	}
	if !bytes.Equal(is.Bytes(), want.Bytes()) {
		path := filepath.Join(c.dir, cacheFile)
		return fmt.Errorf("%s is not what the events make: status may show what was never measured; delete the folder %s, which "+
			"costs nothing but time; the events are as recorded", path, filepath.Dir(path))
	}
	return nil
}

// opened reads the content of the file, and reports whether it has the hash of it.
func opened(data []byte) (kept cached, whole bool) {
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return kept, false
	}
	return kept, gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&kept) == nil
}

// keep writes the cache, whole or not at all. That it cannot be written is no failure: a reader may not
// write, and a disk may be full.
func (c *Campaign) keep(path string, what cached) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(what) != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	sum := sha256.Sum256(b.Bytes())
	draft := path + ".new" // one name: who is killed leaves one file, and a file that two wrote has another hash
	if os.WriteFile(draft, append(sum[:], b.Bytes()...), 0o666) != nil || os.Rename(draft, path) != nil {
		os.Remove(draft)
	}
}
