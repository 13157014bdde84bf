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
)

// cacheFile has the SHA-256 of the last replayed state, and then the algorithm's result for this state. It may be
// deleted at any time: that changes nothing but time.
const cacheFile = "cache/replay.gob"

// cached is the content of the file after the hash.
type cached struct {
	Key string // hash of the last event, and the program
	Run campaign.Run
}

// cache is the file, for one program.
type cache struct {
	path    string       // path of the file
	program string       // its revision of the decisions, and its build
	memory  model.Memory // what is solved alike in several replays; not in the file
}

// replay returns the algorithm's run on a state, from the cache if that has it. A person who can write to the folder can
// write a cache with hashes that fit: a cache is used only if its decisions are recorded, and never to plan by (Agrees).
func (c *cache) replay(ctx context.Context, m campaign.Moment) (*campaign.Run, error) {
	if run := c.read(m.State); run != nil && m.Agrees(run) {
		return run, nil
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return nil, err
	}
	keep(c.path, cached{m.State.Hash + " " + c.program, *run})
	return run, nil
}

// read returns the run that the cache has of a state, nil without one. Files that are not whole, of another state or of another program
// are none.
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

// check reports a cache that is not what the events make, to the last bit. It replays, and so takes as long as without a cache.
func (c *cache) check(ctx context.Context, m campaign.Moment) error {
	stored := c.read(m.State)
	if stored == nil {
		return nil // it is not read
	}
	run, err := m.Replay(ctx, &c.memory)
	if err != nil {
		return err
	}
	var is, want bytes.Buffer
	if err := errors.Join(gob.NewEncoder(&is).Encode(stored), gob.NewEncoder(&want).Encode(run)); err != nil {
		return err
	}
	if !bytes.Equal(is.Bytes(), want.Bytes()) {
		return fmt.Errorf("%s does not match the events, so status may show results that were never measured. Delete the folder %s; it is "+
			"made again from the events, which are unchanged", c.path, filepath.Dir(c.path))
	}
	return nil
}

// opened reads the content of the file, and reports whether it has the hash of it. The first bytes of the file are the hash of all others.
func opened(data []byte) (entry cached, whole bool) {
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return entry, false
	}
	return entry, gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&entry) == nil
}

// keep writes the cache, whole or not at all. A failure to write it is ignored: a reader may not write, and a disk may
// be full.
func keep(path string, what cached) {
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(what) != nil || os.MkdirAll(filepath.Dir(path), 0o777) != nil {
		return
	}
	sum := sha256.Sum256(b.Bytes())
	_ = atomicfile.Write(path, append(sum[:], b.Bytes()...), 0o666, false) // a file that two wrote has another hash
}
