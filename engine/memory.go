package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

// Memory keeps what models have computed before any data: designs, roundings and
// estimators. It is addressed by content, that is by the numbers that a result
// follows from, so models that share a Memory may differ in everything else, and
// no result depends on what was remembered. A sweep whose cells differ in rewards,
// budget or confidence solves each design once.
//
// The zero value is ready; it is safe for concurrent use and bounded at 256 MiB.
type Memory struct {
	mu sync.Mutex
	// Two generations: what was not used while the younger one filled is forgotten.
	young, old map[string]*stage
	floats     int // in young
}

// memoryLimit bounds the numbers kept by either generation of a Memory, 128 MiB.
const memoryLimit = 1 << 24

// stage is what one round of sampling is decided by before its data: the
// design, the rounded counts, and the estimator they give.
type stage struct {
	design   design.Design
	rounding design.Rounding
	estimate *Estimator
}

// size is the number of floats that a stage takes, about.
func (st *stage) size() int {
	pairs := len(st.design.Certificate.Pairs)
	return len(st.design.Weights) + len(st.design.Certificate.Weights) + 4*pairs + len(st.rounding.Counts) + st.estimate.size()
}

// remember returns the stage stored under k, computing it at most a few times.
// Computing is a pure function of k, so which worker came first cannot matter.
func (m *Memory) remember(k string, compute func() (*stage, error)) (*stage, error) {
	m.mu.Lock()
	st, ok := m.young[k]
	if !ok {
		if st, ok = m.old[k]; ok {
			m.keep(k, st)
		}
	}
	m.mu.Unlock()
	if ok {
		return st, nil
	}
	st, err := compute()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.keep(k, st)
	m.mu.Unlock()
	return st, nil
}

// keep stores a stage in the younger generation; a full one becomes the old one.
func (m *Memory) keep(k string, st *stage) {
	if _, ok := m.young[k]; ok {
		return
	}
	size := len(k)/8 + st.size() + 40 // the last for the structures themselves
	if size > memoryLimit {
		return
	}
	if m.young == nil || m.floats+size > memoryLimit {
		m.old, m.young, m.floats = m.young, map[string]*stage{}, 0
	}
	m.floats += size
	m.young[k] = st
}

// keyLength suffices for the keys of small problems.
const keyLength = 80

// key identifies a stage: a kind, the ridge, the number of pulls and the sets.
func key(kind byte, ridge float64, pulls int, alive [][]int) string {
	b := make([]byte, 0, keyLength)
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(ridge))
	b = binary.AppendUvarint(b, uint64(pulls))
	return string(appendSets(b, alive))
}

func appendSets(b []byte, sets [][]int) []byte {
	for _, set := range sets {
		b = binary.AppendUvarint(b, uint64(len(set)))
		for _, i := range set {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	return b
}

// fingerprint is the identity of numbers: 128 bits of SHA-256 over them and the
// lengths of the lists.
func fingerprint(lists ...[]float64) string {
	h := sha256.New()
	const together = 512 // numbers
	b := make([]byte, 0, 8*together)
	for _, list := range lists {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(list)))
		for k, v := range list {
			if k%together == together-1 {
				h.Write(b)
				b = b[:0]
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
	}
	return string(h.Sum(b[:0])[:16])
}
