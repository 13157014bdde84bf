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
)

// Memory keeps what models have computed before any data: designs, roundings and
// estimators. It is addressed by content, that is by the numbers that a result
// follows from, so models that share a Memory may differ in everything else, and
// no result depends on what was remembered. A sweep whose cells differ in rewards,
// budget or confidence solves each design once, also when its workers ask for it at once.
//
// The zero value is ready; it is safe for concurrent use and bounded at 256 MiB.
type Memory struct {
	mu sync.Mutex
	// Two generations: what was not used while the younger one filled is forgotten.
	young, old map[string]entry
	floats     int                     // in young
	pending    map[string]*computation // under way
}

// memoryLimit bounds the numbers kept by either generation of a Memory, 128 MiB.
const memoryLimit = 1 << 24

// sizeOf returns about how many numbers a value holds. Types of other packages count their own
// in a method Floats; a type that says nothing is a mistake of the programmer and panics.
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

// entry is a value that is kept.
type entry struct {
	value  any
	floats int
}

// computation is a value under way. The fields are set before done is closed.
type computation struct {
	done  chan struct{}
	value any
	err   error
	ended bool // without a value or an error that concerns others: by its context, or by a panic
}

// Remember returns the value of a key. Of several callers that ask for a key at once one computes
// it, and the others wait for it, each until its own context ends. An error is not kept.
//
// Computing is a pure function of the key, so which caller came first cannot matter. It may ask
// for other keys, but never in a circle.
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
		case c.ended: // the caller that computed had to stop, this one need not
			continue
		case c.err != nil:
			return value, c.err
		}
		return c.value.(T), nil
	}
}

// find returns the value of a key, or the computation that makes it; first is whether the caller
// has to do that.
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

// finish computes, keeps the value and lets those who wait go on, also after a panic.
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

// keep stores a value in the younger generation; a full one becomes the old one.
func (m *Memory) keep(at string, e entry) {
	size := len(at)/8 + e.floats + 40 // the last for the structures themselves
	if size > memoryLimit {
		return
	}
	if m.young == nil || m.floats+size > memoryLimit {
		m.old, m.young, m.floats = m.young, map[string]entry{}, 0
	}
	m.floats += size
	m.young[at] = e
}

// A Memory on disk holds what is costly and small: designs, roundings and numbers. Estimators
// follow from them and are made again. The file is
//
//	magic, length of build, build, SHA-256 of the rest, the rest: gob of []record
//
// and tells a build from others, because another one computes values that differ in their last bits.

// magic begins every file; the number names the format.
const magic = "gonb-cope memory 1\n"

// maxFile bounds what is read, in bytes.
const maxFile = 1 << 30

// record is a value under its key.
type record struct {
	Key      []byte
	Type     byte // which of the others it is
	Design   design.Design
	Rounding design.Rounding
	Numbers  []float64 // also of one number
}

// The types of values.
const (
	typeDesign byte = iota + 1
	typeRounding
	typeNumbers
	typeNumber
)

// ErrMemoryFile is wrapped by errors of files that are no memory, are damaged, or are of another
// build. Going on without the file changes nothing but time.
var ErrMemoryFile = errors.New("not a memory of this build")

// Save writes what is kept; build names what computed it, down to the bits. The same memory is the
// same bytes.
func (m *Memory) Save(w io.Writer, build string) error {
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
	if err := gob.NewEncoder(&body).Encode(records); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	head := binary.AppendUvarint([]byte(magic), uint64(len(build)))
	for _, part := range [][]byte{head, []byte(build), sum[:], body.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Load takes in what a build has saved, and returns how many values that were. A file that is of
// another build, cut short or changed takes nothing in and is an error that wraps ErrMemoryFile.
func (m *Memory) Load(r io.Reader, build string) (taken int, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return 0, err
	}
	rest, is := bytes.CutPrefix(data, []byte(magic))
	n, width := binary.Uvarint(rest)
	if !is || width <= 0 || uint64(len(rest)-width) < n {
		return 0, fmt.Errorf("%w: it does not begin as one", ErrMemoryFile)
	}
	rest = rest[width:]
	if of := string(rest[:n]); of != build {
		return 0, fmt.Errorf("%w: it is of %q, this is %q", ErrMemoryFile, of, build)
	}
	rest = rest[n:]
	if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {
		return 0, fmt.Errorf("%w: it is damaged", ErrMemoryFile)
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
