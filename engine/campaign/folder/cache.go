package folder

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// cacheFile keeps what the algorithm made of the last state that was replayed. It may be deleted at
// any time: that changes nothing but time.
const cacheFile = "cache/replay.gob"

// cached is the content of the file.
type cached struct {
	Key string
	Run campaign.Run
}

// key tells the state and the program from others.
func (c *Campaign) key(s *campaign.State) string {
	return fmt.Sprintf("%s %d %s", s.Hash, c.revision(), c.opt.build())
}

// replay returns what the algorithm makes of a state, from the cache where that has it.
func (c *Campaign) replay(ctx context.Context, p campaign.Protocol, s *campaign.State) (*campaign.Run, error) {
	path := filepath.Join(c.dir, cacheFile)
	if data, err := os.ReadFile(path); err == nil {
		var kept cached
		if gob.NewDecoder(bytes.NewReader(data)).Decode(&kept) == nil && kept.Key == c.key(s) {
			return &kept.Run, nil
		}
	}
	run, err := s.Replay(ctx, p, &c.memory)
	if err != nil {
		return nil, err
	}
	c.keep(path, cached{c.key(s), *run})
	return run, nil
}

// keep writes the cache, whole or not at all. That it cannot be written is no failure: a reader may not
// write, and a disk may be full.
func (c *Campaign) keep(path string, what cached) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(what) != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	draft, err := os.CreateTemp(filepath.Dir(path), "replay-*")
	if err != nil {
		return
	}
	_, err = draft.Write(b.Bytes())
	if closed := draft.Close(); err != nil || closed != nil || os.Rename(draft.Name(), path) != nil {
		os.Remove(draft.Name())
	}
}
