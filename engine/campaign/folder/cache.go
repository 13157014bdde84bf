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
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// cacheFile contains the algorithm's result for the last replayed state, after a SHA-256 of this content. It may be
// deleted at any time: the next replay then takes longer.
const cacheFile = "cache/replay.gob"

// cached is the content of the cache file after its hash.
type cached struct {
	Key string // hash of the last event, and program of the replay
	Run campaign.Run
}

// cache is the cache file of one program.
type cache struct {
	path    string // path of the file
	program string // revision and build of the program
}

// Replay implements record.Store: it returns the algorithm's run on a state, from the cache if possible. A person with
// write access to the folder can forge a cache with valid hashes. A cached run is therefore used only if its decisions are
// those recorded, and never to plan (Agrees).
func (d *database) Replay(ctx context.Context, m campaign.Moment, memory *model.Memory) (*campaign.Run, error) {
	if run := d.cache.read(m.State); run != nil && m.Agrees(run) {
		return run, nil
	}
	run, err := m.Replay(ctx, memory)
	if err != nil {
		return nil, err
	}
	keep(d.cache.path, cached{m.State.Hash + " " + d.cache.program, *run})
	return run, nil
}

// read returns the cached run of a state. It returns nil if the file is missing, damaged, or of another state or program.
func (c *cache) read(s *campaign.State) *campaign.Run {
	if !sealed(c.path) {
		return nil
	}
	data, err := readShort(c.path, ownFiles[cacheFile])
	if err != nil {
		return nil
	}
	entry, whole := opened(data)
	if !whole || entry.Key != s.Hash+" "+c.program {
		return nil
	}
	return &entry.Run
}

// check returns an error if the cached run differs from a replay of the events in any bit. It takes as long as a replay.
// It returns nil if the state is not cached.
func (c *cache) check(ctx context.Context, m campaign.Moment) (err error) {
	defer try.Caught(&err)
	stored := c.read(m.State)
	if stored == nil {
		return nil // the cache would not be used
	}
	run := try.Of(m.Replay(ctx, nil))
	var is, want bytes.Buffer
	try.To(errors.Join(gob.NewEncoder(&is).Encode(stored), gob.NewEncoder(&want).Encode(run)))
	if !bytes.Equal(is.Bytes(), want.Bytes()) {
		return fmt.Errorf("%s does not match the events, so status may show results that were never measured. Delete the folder %s; it is "+
			"made again from the events, which are unchanged", c.path, filepath.Dir(c.path))
	}
	return nil
}

// opened decodes the content of a cache file. whole is false if the content does not match the hash in its first bytes.
func opened(data []byte) (entry cached, whole bool) {
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return entry, false
	}
	return entry, gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&entry) == nil
}

// keep replaces the cache file atomically. It ignores errors: the folder may be read-only, and the disk may be full.
func keep(path string, what cached) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(what) != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	sum := sha256.Sum256(b.Bytes())
	_ = atomicfile.Write(path, append(sum[:], b.Bytes()...), 0o666, false) // a file mixed from two writers has a wrong hash
}
