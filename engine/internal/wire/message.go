package wire

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Version is the first byte of every message. It changes when the format does.
const Version = 1

// kind is the second byte of a message.
type kind byte

const (
	kindMerged  kind = 'M'
	kindSquares kind = 'S' // merged, with squares
	kindRanges  kind = 'E' // merged, with squares and ranges
	kindRaw     kind = 'R'
	kindTheta   kind = 'T'
)

var kindNames = map[kind]string{kindMerged: "merged", kindSquares: "spread", kindRanges: "ranges", kindRaw: "raw", kindTheta: "theta"}

// String returns the name of the kind in errors.
func (k kind) String() string { return cmp.Or(kindNames[k], fmt.Sprintf("%#x", byte(k))) }

// Header identifies the sender of a message and the plan that it followed.
type Header struct {
	Agent  int    // number of the agent, from 0; equal to its task
	Round  int    // number of the round, from 1
	Digest Digest // digest of the plan that the sender followed
}

// Digest is a 64-bit hash of a plan. Replicas compare it to detect that their plans differ.
type Digest [8]byte

// ParseDigest parses a digest of 16 hexadecimal digits, as in plans.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("wire: the digest of a plan has 16 hexadecimal digits, got %q", text)
	}
	copy(d[:], b)
	return d, nil
}

// String returns the digest as 16 hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Merged has a count and a mean reward for each arm of the agent [Du23, Alg. 1, l. 10]. If the plan requests it, it also
// has the sum of squared deviations from the mean. Values that follow from the count are not sent, and are 0 when decoded:
// the mean of an arm without pulls, and the squares of an arm with fewer than two. Messages with squares may also have the
// smallest and the largest reward. For an arm with one pull both are its mean.
type Merged struct {
	Header
	Counts  []int
	Means   []float64
	Squares []float64    // nil if not sent
	Ranges  [][2]float64 // smallest and largest reward; nil if not sent
}

// Append appends the message to b. Lists of different lengths, negative numbers and
// numbers that are not finite are errors.
func (m Merged) Append(b []byte) ([]byte, error) {
	if len(m.Counts) != len(m.Means) {
		return b, fmt.Errorf("wire: a merged message has a count and a mean for each arm, got %d counts and %d means", len(m.Counts),
			len(m.Means))
	}
	form := kindMerged
	if m.Squares != nil {
		form = kindSquares
		if len(m.Squares) != len(m.Counts) {
			return b, fmt.Errorf("wire: a spread message has the squared deviations of each arm, got %d for %d arms", len(m.Squares), len(m.Counts))
		}
	}
	if m.Ranges != nil {
		form = kindRanges
		if len(m.Ranges) != len(m.Counts) || m.Squares == nil {
			return b, fmt.Errorf("wire: a ranges message has squares and a range for each arm, got %d ranges and %d squares for %d arms",
				len(m.Ranges), len(m.Squares), len(m.Counts))
		}
	}
	c := codec{b: b, kind: form}
	c.header(&m.Header, len(m.Counts))
	m.entries(&c)
	return c.end(b)
}

// entries encodes or decodes the arms. The lists must be allocated.
func (m *Merged) entries(c *codec) {
	for i := range m.Counts {
		c.number("the count of arm", i, &m.Counts[i])
		if m.Counts[i] != 0 {
			c.float("the mean of arm", i, &m.Means[i])
		}
		if m.Squares != nil && m.Counts[i] > 1 {
			c.squares(i, &m.Squares[i])
		}
		if m.Ranges != nil && m.Counts[i] > 1 {
			c.ranged(i, &m.Ranges[i])
		} else if m.Ranges != nil && c.reads {
			m.Ranges[i] = [2]float64{m.Means[i], m.Means[i]}
		}
	}
}

// ParseMerged parses a message that Merged.Append has encoded.
func ParseMerged(b []byte) (m Merged, err error) {
	c := codec{b: b, reads: true, kind: kindMerged}
	if len(b) > 1 && (kind(b[1]) == kindSquares || kind(b[1]) == kindRanges) {
		c.kind = kind(b[1])
	}
	n := c.header(&m.Header, 0)
	m.Counts, m.Means = make([]int, n), make([]float64, n)
	if c.kind != kindMerged {
		m.Squares = make([]float64, n)
	}
	if c.kind == kindRanges {
		m.Ranges = make([][2]float64, n)
	}
	m.entries(&c)
	_, err = c.end(nil)
	return m, err
}

// MergedSize returns the length in bytes of a Merged message with these counts of the agent's arms, with or without
// squares and ranges.
func MergedSize(agent, round int, counts []int, squares, ranges bool) int {
	size := headerSize(agent, round, len(counts))
	for _, count := range counts {
		size += uvarintSize(count)
		if count != 0 {
			size += floatSize
		}
		if squares && count > 1 {
			size += floatSize
		}
		if ranges && count > 1 {
			size += 2 * floatSize
		}
	}
	return size
}

// RawSize returns the length in bytes of a Raw message with these counts of the agent's arms. Its time does not depend on
// the counts.
func RawSize(agent, round int, counts []int) int {
	pulls, entries := 0, 0
	for arm, count := range counts {
		pulls += count
		entries += count * (uvarintSize(arm) + floatSize)
	}
	return headerSize(agent, round, pulls) + entries
}

// ThetaSize returns the length in bytes of a Theta message with m features.
func ThetaSize(agent, round, m int) int { return headerSize(agent, round, m) + m*floatSize }

// headerSize returns the length in bytes of the header before n entries.
func headerSize(agent, round, n int) int {
	return 2 + uvarintSize(agent) + uvarintSize(round) + len(Digest{}) + uvarintSize(n)
}

// uvarintSize returns the length in bytes of v ≥ 0 as a uvarint: one byte for each seven bits.
func uvarintSize(v int) int { return max(1, (bits.Len64(uint64(v))+6)/7) }

// Traffic counts the messages that agents broadcast, and their total bytes in each of the three formats.
type Traffic struct {
	Messages, Merged, Raw, Theta int64
}

// Round returns the traffic of one round, in which every agent broadcasts once. agentOf and counts have one element per
// arm; the arms of an agent are consecutive. features is the dimension of θ̂. squares and ranges state whether these are
// sent. Sizes are computed without encoding messages, so the time does not depend on the counts.
func Round(round int, agentOf, counts []int, features int, squares, ranges bool) Traffic {
	var t Traffic
	for lo := 0; lo < len(agentOf); {
		agent, hi := agentOf[lo], lo+1
		for hi < len(agentOf) && agentOf[hi] == agent {
			hi++
		}
		own := counts[lo:hi]
		t.Messages++
		t.Merged += int64(MergedSize(agent, round, own, squares, ranges))
		t.Raw += int64(RawSize(agent, round, own))
		t.Theta += int64(ThetaSize(agent, round, features))
		lo = hi
	}
	return t
}

// Add adds other to t.
func (t *Traffic) Add(other Traffic) {
	t.Messages += other.Messages
	t.Merged += other.Merged
	t.Raw += other.Raw
	t.Theta += other.Theta
}
