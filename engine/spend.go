package engine

// Pulls returns the pulls of a budget, all agents together.
func (o Options) Pulls(agents int) int {
	if o.Total > 0 {
		return o.Total
	}
	return o.Budget * agents
}

// Parts returns in how many rounds a budget of so many pulls is spent, by a method that takes usual
// rounds where nobody stated a number: no more than whole batches fill.
func (o Options) Parts(pulls, usual int) int {
	if o.Rounds > 0 {
		usual = o.Rounds
	} else if o.Batch > 0 {
		usual = min(usual, (pulls+o.Batch-1)/o.Batch)
	}
	return min(usual, o.MaxRounds)
}

// Part returns the pulls of a round for which n are meant, of what is left: whole batches, as long as
// each of the later rounds has one too. Only the last batch of a budget may be smaller.
func (o Options) Part(n, left, later int) int {
	if o.Batch > 0 {
		if batches := (left + o.Batch - 1) / o.Batch; batches > later {
			n = min((n+o.Batch-1)/o.Batch, batches-later) * o.Batch
		}
	}
	return min(n, left)
}
