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

// String names the kind in errors.
func (k kind) String() string { return cmp.Or(kindNames[k], fmt.Sprintf("%#x", byte(k))) }

// Header has the sender of a message and the plan it answers.
type Header struct {
	Agent  int    // number of the agent, from 0: its task
	Round  int    // from 1
	Digest Digest // digest of the plan that the sender followed
}

// Digest has 64 bits by which replicas detect that their plans differ.
type Digest [8]byte

// ParseDigest reads a digest in the form of plans, 16 hexadecimal digits.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("wire: the digest of a plan has 16 hexadecimal digits, got %q", text)
	}
	copy(d[:], b)
	return d, nil
}

// String returns the form that ParseDigest reads.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Merged is a count and a mean reward for each arm of the agent [Du23, Alg. 1, l. 10] and, if the plan requests it, the sum of squared
// deviations from that mean. Values that follow from the count are not sent and are 0 when decoded: the mean of an arm without pulls, and
// the squares of an arm with fewer than two. With squares there may be the smallest and the largest reward, which for one pull are its
// mean.
type Merged struct {
	Header
	Counts  []int
	Means   []float64
	Squares []float64    // nil without
	Ranges  [][2]float64 // nil without
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

// entries handles the arms of a message whose lists are allocated.
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

// ParseMerged reads what Merged.Append wrote.
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

// MergedSize returns the length of a Merged message of an agent with these counts, with or without
// squares, and with or without ranges.
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

// RawSize returns the length of a Raw message of an agent with these counts on its arms, in time independent of the counts.
func RawSize(agent, round int, counts []int) int {
	pulls, entries := 0, 0
	for arm, count := range counts {
		pulls += count
		entries += count * (uvarintSize(arm) + floatSize)
	}
	return headerSize(agent, round, pulls) + entries
}

// ThetaSize returns the length of a Theta message with m features.
func ThetaSize(agent, round, m int) int { return headerSize(agent, round, m) + m*floatSize }

// headerSize returns the length of the header before n entries.
func headerSize(agent, round, n int) int {
	return 2 + uvarintSize(agent) + uvarintSize(round) + len(Digest{}) + uvarintSize(n)
}

// uvarintSize returns the length of v ≥ 0 as a uvarint: a byte for each seven bits.
func uvarintSize(v int) int { return max(1, (bits.Len64(uint64(v))+6)/7) }

// Traffic counts what agents broadcast: messages, and their bytes in each of the three forms.
type Traffic struct {
	Messages, Merged, Raw, Theta int64
}

// Round returns the traffic of one round, in which every agent broadcasts once: agentOf and counts
// have one entry per arm, the arms of an agent side by side; features is the dimension of θ̂, and
// squares and ranges say whether these are sent besides the means. It is measured and not built, so it
// costs the arms, however many pulls they had.
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

// Add adds other traffic.
func (t *Traffic) Add(other Traffic) {
	t.Messages += other.Messages
	t.Merged += other.Merged
	t.Raw += other.Raw
	t.Theta += other.Theta
}
