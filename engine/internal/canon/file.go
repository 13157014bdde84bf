package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

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
