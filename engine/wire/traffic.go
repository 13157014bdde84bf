package wire

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
