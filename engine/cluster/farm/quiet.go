package farm

import "time"

// silence is how long nobody answers, at least, before that is told.
const silence = 15 * time.Second

// quiet notices that workers do not answer, once for each time that they are silent, and that they answer
// again.
type quiet struct {
	least   time.Duration // of a silence
	longest time.Duration // that a chunk took so far
	heard   bool          // whether anybody has answered
	told    bool          // whether the silence was told
	notice  func(format string, a ...any)
}

func (j *Job) quiet() *quiet {
	q := &quiet{least: j.runner.silence, notice: j.runner.notice}
	if q.least == 0 {
		q.least = silence
	}
	return q
}

// limit returns the silence that is told: longer than any chunk took, with as much again for one that is
// slower.
func (q *quiet) limit() time.Duration { return max(q.least, 2*q.longest) }

// begin returns a channel that tells the end of the limit, counted from now; nil where that was told.
func (q *quiet) begin() (late <-chan time.Time, stop func()) {
	if q.told {
		return nil, func() {}
	}
	t := time.NewTimer(q.limit())
	return t.C, func() { t.Stop() }
}

// answered notes an answer.
func (q *quiet) answered() {
	if q.told && q.heard {
		q.notice("workers answer again")
	}
	q.heard, q.told = true, false
}

// took notes how long a chunk took.
func (q *quiet) took(seconds float64) {
	q.longest = max(q.longest, time.Duration(seconds*float64(time.Second)))
}

// late tells that the limit is over.
func (q *quiet) late() {
	q.told = true
	if !q.heard {
		q.notice("no worker has answered in %v; one is started by gonb-cope worker --server URL, and everything waits for it", q.limit())
		return
	}
	q.notice("no worker has answered for %v, which is longer than any of its work took: if they ended, start others by "+
		"gonb-cope worker --server URL, and what they had begun is made again", q.limit())
}
