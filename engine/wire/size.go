package wire

import "math/bits"

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

// RawSize returns the length of a Raw message of an agent that made these counts of pulls on its
// arms. It costs no more for many pulls than for few.
func RawSize(agent, round int, counts []int) int {
	pulls, entries := 0, 0
	for arm, count := range counts {
		pulls += count
		entries += count * (uvarintSize(arm) + floatSize)
	}
	return headerSize(agent, round, pulls) + entries
}

// ThetaSize returns the length of a Theta message with m features.
func ThetaSize(agent, round, m int) int {
	return headerSize(agent, round, m) + m*floatSize
}

// headerSize returns the length of what comes before n entries.
func headerSize(agent, round, n int) int {
	return 2 + uvarintSize(agent) + uvarintSize(round) + len(Digest{}) + uvarintSize(n)
}

// uvarintSize returns the length of v ≥ 0 as a uvarint: a byte for each seven bits.
func uvarintSize(v int) int { return max(1, (bits.Len64(uint64(v))+6)/7) }
