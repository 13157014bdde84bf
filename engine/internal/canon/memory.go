package canon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Memory caches results of models that do not depend on data: designs, roundings and estimators. The key contains all
// numbers on which a result depends, so models with different rewards, budgets or confidence may share a Memory. Results
// are the same with and without the cache. A sweep over such models solves each design once, even with concurrent workers.
//
// The zero value is ready to use. A Memory is safe for concurrent use and limited to 256 MiB.
type Memory struct {
	mu sync.Mutex
	// two generations: if the young one is full, it replaces the old one, so unused entries are dropped
	young, old map[string]entry
	floats     int                     // size of young, in floating-point numbers
	pending    map[string]*computation // values that are being computed
}

// memoryLimit is the largest number of float64 in each of the two cache generations (128 MiB).
const memoryLimit = 1 << 24

// sizeOf returns the approximate size of a value in floating-point numbers. Types of other packages must have a method
// Floats; sizeOf panics for other types.
func sizeOf(value any) int {
	switch v := value.(type) {
	case float64:
		return 1
	case []float64:
		return len(v)
	case design.Design:
		return len(v.Weights) + len(v.Certificate.Weights) + 4*len(v.Certificate.Pairs)
	case design.Rounding:
		return len(v.Counts)
	case interface{ Floats() int }:
		return v.Floats()
	}
	panic(fmt.Sprintf("a Memory does not know the size of a %T", value))
}

// entry is a cached value.
type entry struct {
	value  any
	floats int
}

// computation is a value being computed. Its fields are set before done is closed.
type computation struct {
	done  chan struct{}
	value any
	err   error
	ended bool // the computation was cancelled or panicked: waiting callers then compute the value themselves
}

// Remember returns the cached value of a key, and calls compute if there is none. If several goroutines request a key, one
// computes it and the others wait until it ends or their own context ends. Errors are not cached.
//
// compute must be a pure function of the key. It may call Remember for other keys, but not in a cycle.
func Remember[T any](ctx context.Context, m *Memory, k Key, compute func() (T, error)) (value T, err error) {
	const enough = 192 // bytes, for the keys of small problems
	at := k.encode(make([]byte, 0, enough))
	for {
		stored, c, first := m.find(at)
		switch {
		case stored != nil:
			return stored.(T), nil
		case first:
			return finish(m, string(at), c, compute)
		}
		select {
		case <-ctx.Done():
			return value, ctx.Err()
		case <-c.done:
		}
		switch {
		case c.ended: // the computing caller was cancelled: try again
			continue
		case c.err != nil:
			return value, c.err
		}
		return c.value.(T), nil
	}
}

// find returns the value of a key, or else its computation in progress. first reports that the caller must compute the
// value.
func (m *Memory) find(at []byte) (stored any, c *computation, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.young[string(at)]; ok {
		return e.value, nil, false
	}
	if e, ok := m.old[string(at)]; ok {
		m.keep(string(at), e)
		return e.value, nil, false
	}
	if c, ok := m.pending[string(at)]; ok {
		return nil, c, false
	}
	c = &computation{done: make(chan struct{}), ended: true}
	if m.pending == nil {
		m.pending = map[string]*computation{}
	}
	m.pending[string(at)] = c
	return nil, c, true
}

// finish calls compute, stores the value, and wakes waiting callers, even after a panic.
func finish[T any](m *Memory, at string, c *computation, compute func() (T, error)) (value T, err error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.pending, at)
		if !c.ended && c.err == nil {
			m.keep(at, entry{value, sizeOf(value)})
		}
		close(c.done)
	}()
	computed, err := compute()
	c.ended = errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if c.err = err; err == nil {
		value, c.value = computed, computed
	}
	return value, err
}

// keep stores a value in the young generation. If it is full, it first becomes the old generation.
func (m *Memory) keep(at string, e entry) {
	size := len(at)/8 + e.floats + 40 // 40 for the structures themselves
	if size > memoryLimit {
		return
	}
	if m.young == nil || m.floats+size > memoryLimit {
		m.old, m.young, m.floats = m.young, map[string]entry{}, 0
	}
	m.floats += size
	m.young[at] = e
}

// A file has the small values that take long to compute: designs, roundings and numbers. Estimators are recomputed from
// these. The file is
//
//	magic, length of build, build, SHA-256 of the rest, the rest: gob of []record
//
// It contains the build, because other builds compute values with different last bits.

// magic is the beginning of every file. Its number is the version of the format.
const magic = "gonb-cope memory 1\n"

// maxFile is the largest file that is read, in bytes.
const maxFile = 1 << 30

// record is a cached value with its key, as stored in a file.
type record struct {
	Key      []byte
	Type     byte // type of the value, which determines the field below
	Design   design.Design
	Rounding design.Rounding
	Numbers  []float64 // for typeNumbers, and one element for typeNumber
}

// The types of values.
const (
	typeDesign byte = iota + 1
	typeRounding
	typeNumbers
	typeNumber
)

// ErrMemoryFile is wrapped by errors about files of other formats, damaged files, and files of another build. A caller can
// continue without the file; only time is lost.
var ErrMemoryFile = errors.New("not a memory of this build")

// Save writes the cached designs, roundings and numbers. build identifies the program, including the bits of its results.
// Equal memories give equal bytes.
func (m *Memory) Save(w io.Writer, build string) (err error) {
	defer try.Caught(&err)
	m.mu.Lock()
	all := maps.Clone(m.old)
	if all == nil {
		all = map[string]entry{}
	}
	maps.Copy(all, m.young)
	m.mu.Unlock()
	var records []record
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r := record{Key: []byte(key)}
		switch v := all[key].value.(type) {
		case design.Design:
			r.Type, r.Design = typeDesign, v
		case design.Rounding:
			r.Type, r.Rounding = typeRounding, v
		case []float64:
			r.Type, r.Numbers = typeNumbers, v
		case float64:
			r.Type, r.Numbers = typeNumber, []float64{v}
		default:
			continue
		}
		records = append(records, r)
	}
	var body bytes.Buffer
	try.To(gob.NewEncoder(&body).Encode(records))
	sum := sha256.Sum256(body.Bytes())
	head := binary.AppendUvarint([]byte(magic), uint64(len(build)))
	for _, part := range [][]byte{head, []byte(build), sum[:], body.Bytes()} {
		try.Of(w.Write(part))
	}
	return nil
}

// Load adds the values of a file that Save wrote, and returns their number. A file that is truncated, changed or from
// another build adds nothing; the error then wraps ErrMemoryFile.
func (m *Memory) Load(r io.Reader, build string) (taken int, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return 0, err
	}
	rest, is := bytes.CutPrefix(data, []byte(magic))
	n, width := binary.Uvarint(rest)
	if !is || width <= 0 || uint64(len(rest)-width) < n {
		return 0, fmt.Errorf("%w: the file does not begin as one", ErrMemoryFile)
	}
	rest = rest[width:]
	if of := string(rest[:n]); of != build {
		return 0, fmt.Errorf("%w: the file was written by %q, this program is %q", ErrMemoryFile, of, build)
	}
	rest = rest[n:]
	if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		return 0, fmt.Errorf("%w: the file is damaged", ErrMemoryFile)
	}
	var records []record
	if err := gob.NewDecoder(bytes.NewReader(rest[sha256.Size:])).Decode(&records); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrMemoryFile, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range records {
		var value any
		switch r.Type {
		case typeDesign:
			value = r.Design
		case typeRounding:
			value = r.Rounding
		case typeNumbers:
			value = r.Numbers
		case typeNumber:
			value = r.Numbers[0]
		}
		m.keep(string(r.Key), entry{value, sizeOf(value)})
	}
	return len(records), nil
}
