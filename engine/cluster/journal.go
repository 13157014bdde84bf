package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
	"github.com/gonb-cope/gonb-cope/internal/base/filelock"
)

// The files of an agent's folder.
const (
	fileAgent   = "agent.json"    // AgentFile; written once, when the folder is new
	fileJournal = "rewards.jsonl" // a journalLine for each line
	fileLock    = "agent.lock"    // holds the lock while a program has the folder, and names that program
)

// AgentFile says whose folder it is. It ties the folder to one task of one run. A join has the instance, so that another folder
// for the same task is refused.
type AgentFile struct {
	Run      string `json:"run"`      // the name of the run
	Task     string `json:"task"`     // task of the agent
	Instance string `json:"instance"` // 128 random bits, in hexadecimal
}

// Reward holds a measurement of an arm: one reward, or the mean of several. A line of rewards.jsonl has it with its round.
type Reward struct {
	Arm   int     `json:"arm"`   // number in the problem, from 0
	Count int     `json:"count"` // pulls, at least 1
	Mean  float64 `json:"mean"`  // reward units, in the sign of the data
	// Σ (reward - mean)² of the pulls, reward units²; 0 of one pull
	Squares float64 `json:"squares,omitempty"`
	// the smallest and the largest of the pulls, reward units; nil if they are not known
	Range *[2]float64 `json:"range,omitempty"`
}

// spans returns the range of the pulls: within the bounds of the rewards if nothing else is known. Tests that bet on bounded
// rewards need a range: the bounds themselves are the widest that can be.
func (r Reward) spans(bounds [2]float64) [2]float64 {
	switch {
	case r.Range != nil:
		return *r.Range
	case r.Count == 1:
		return [2]float64{r.Mean, r.Mean} // one pull is its own range
	}
	return bounds
}

// journalLine is a reward with its round. Rewards that are recorded together count together: each line except the last states how many
// follow. They count only if the last of them is there, so a crash within a write leaves nothing of it.
type journalLine struct {
	Round  int `json:"round"` // from 1
	Reward     // one measurement of the arm, see Reward
	More   int `json:"more,omitempty"` // lines that follow of the same telling; 0 for the last one
}

// journal keeps the rewards of one agent in its folder. Rewards are on the disk before they are published. One program has a folder at a
// time. Lines are only ever added. A round may be recorded in several parts, and an arm may have several lines. It is for one goroutine at
// a time.
type journal struct {
	AgentFile
	dir  string           // the folder
	lock *os.File         // held from take to close; nil before
	file *os.File         // rewards.jsonl, at the end of its last whole telling; nil before load
	all  map[int][]Reward // by round, in the order of the file; equal to what is on the disk
}

// lockPatience is the time that an agent waits for its folder: the program that had it may just have been killed, and the system lets go
// of a dead program's lock only after some milliseconds.
const lockPatience = 2 * time.Second

// openJournal opens the folder of an agent, which is made if there is none. The lock is taken first: what is read after it
// cannot change under the reader. After an error nothing is held.
func openJournal(ctx context.Context, dir, run, task string) (*journal, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the agent: %w", err)
	}
	j := &journal{dir: dir, all: map[int][]Reward{}}
	err := j.take(ctx)
	if err == nil {
		err = j.identify(run, task)
	}
	if err == nil {
		err = j.load()
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// take locks the folder. It waits a moment for a program that was killed, and names the one that holds the folder.
func (j *journal) take(ctx context.Context) error {
	var err error
	j.lock, err = filelock.Take(ctx, filepath.Join(j.dir, fileLock), 0o666, lockPatience)
	// only another program's lock has a holder to name
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return fmt.Errorf("another program has the folder %s of this agent: %s", j.dir, held.Holder)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot lock the folder of the agent: %w", err)
	}
	return err
}

// identify reads the owner of the folder, or writes it if the folder is new. A new folder gets a new instance, which makes it another
// agent's than every other folder. The file is on the disk when nil is returned, so that a join which names the instance can be traced to
// it.
func (j *journal) identify(run, task string) error {
	path := filepath.Join(j.dir, fileAgent)
	text, err := os.ReadFile(path)
	// new: the name of its task and run are fixed from now on
	if errors.Is(err, os.ErrNotExist) {
		var b [16]byte
		_, _ = rand.Read(b[:]) // never fails
		j.AgentFile = AgentFile{run, task, hex.EncodeToString(b[:])}
		if text, err = json.Marshal(j.AgentFile); err != nil {
			return err
		}
		return atomicfile.Write(path, append(text, '\n'), 0o600, true)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &j.AgentFile); err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	// the rewards in a folder of another run would count as rewards of this one
	if j.Run != run || j.Task != task {
		return fmt.Errorf("%s is the folder of task %q in run %s. The agent for task %q in run %s needs its own folder", j.dir, j.Task,
			j.Run, task, run)
	}
	return nil
}

// load reads the rewards, and cuts off those at the end that a crash has left unfinished: they were never acknowledged, nor was any that
// was written together with them. A line that cannot be read is an error if it is not such an end: the file was changed, and rewards that
// others may have read are in danger.
func (j *journal) load() error {
	path := filepath.Join(j.dir, fileJournal)
	var err error
	// for reading and for adding, never truncated but below
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return err
	}
	// at is the end of the line that was read, and whole the end of the last telling that is whole
	read, at, whole := bufio.NewReader(j.file), int64(0), int64(0)
	// rewards of a telling whose last line is still to come
	var together []Reward
	more := 0 // lines that belong to the ones before
	for n := 1; ; n++ {
		text, err := read.ReadBytes('\n')
		// a last line without its end is what a crash leaves; it is cut off below
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var l journalLine
		// More counts down over the lines of one group of rewards; a gap means a missing line
		if err := json.Unmarshal(text, &l); err != nil || l.Round < 1 || l.Count < 1 || l.More < 0 || more > 0 && l.More != more-1 {
			if torn(read, text) {
				break
			}
			return fmt.Errorf("%s, line %d cannot be read. The file was changed: restore it from a copy", path, n)
		}
		// a reward that no program of this version writes
		if err := l.check(); err != nil {
			return fmt.Errorf("%s, line %d: %w. The file was changed: correct it there", path, n, err)
		}
		at += int64(len(text))
		together, more = append(together, l.Reward), l.More
		// the last line of a telling is there: all of it counts
		if more == 0 {
			j.all[l.Round] = append(j.all[l.Round], together...)
			together, whole = nil, at
		}
	}
	// what is cut off was never acknowledged
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	_, err = j.file.Seek(whole, io.SeekStart)
	return err
}

// torn reports whether what begins with a line that cannot be read is the end that a power failure has left: pages that were never written
// read as zero bytes, which no program writes. It is asked of a line with its line end; a last line without one is cut off in any case.
func torn(rest io.Reader, line []byte) bool {
	tail, err := io.ReadAll(rest)
	return err == nil && (bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(tail, 0) >= 0)
}

// check reports a reward that cannot be. It looks at the count, the mean and the squares; whether the arm is the agent's own is
// looked at elsewhere.
func (r Reward) check() error { return problem.CheckRewards(r.Count, r.Mean, r.Squares) }

// add writes rewards of a round. They are on the disk when it returns nil; after an error, or a crash before that, none of them counts. The
// rewards of one call count together or not at all. The caller has checked them. After an error the file is unchanged if the disk allows
// that, and the next call may succeed.
func (j *journal) add(round int, rewards ...Reward) error {
	var text []byte
	// the last line has no more after it
	for i, r := range rewards {
		line, err := json.Marshal(journalLine{round, r, len(rewards) - 1 - i})
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	// what an error must undo begins here
	before, err := j.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	// one write for all lines, then one sync
	_, err = j.file.Write(text)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		cut := j.file.Truncate(before)
		_, back := j.file.Seek(before, io.SeekStart)
		return fmt.Errorf("the rewards cannot be written to the folder of the agent: %w", errors.Join(err, cut, back))
	}
	// memory follows the disk, never the other way
	j.all[round] = append(j.all[round], rewards...)
	return nil
}

// made returns the number of pulls that a round has so far of each arm, N counts. Arms above n are left out; enter has refused them by
// then.
func (j *journal) made(round, n int) []int {
	out := make([]int, n)
	for _, r := range j.all[round] {
		if r.Arm < n {
			out[r.Arm] += r.Count
		}
	}
	return out
}

// batch sums the rewards of a round in the order in which they were written. The agent publishes this of the round: counts, means, and the
// squares and ranges that the plan asks for. The order of the sums is the one of the file, so that the message has the same bytes whenever
// it is made.
func (j *journal) batch(round int, p *problem.Problem, squares bool) engine.Batch {
	n := p.N()
	b := engine.Batch{Counts: j.made(round, n), Means: make([]float64, n)}
	// a part is a line of the file; parts are merged by their counts
	parts, last := make([]int, n), make([]Reward, n)
	for _, r := range j.all[round] {
		// the weighted sum of the means, divided below
		parts[r.Arm]++
		last[r.Arm] = r
		b.Means[r.Arm] += float64(r.Count) * r.Mean
	}
	for i, c := range b.Counts {
		if parts[i] == 1 {
			b.Means[i] = last[i].Mean // not a digit is lost
		} else if c > 0 {
			b.Means[i] /= float64(c)
		}
	}
	if !squares {
		return b
	}
	// Σ (reward - mean)² of all = Σ over parts of (squares + count (mean of the part - mean)²), as the mean of all rewards is known
	b.Squares = make([]float64, n)
	for _, r := range j.all[round] {
		b.Squares[r.Arm] += r.Squares
		if off := r.Mean - b.Means[r.Arm]; parts[r.Arm] > 1 {
			b.Squares[r.Arm] += float64(r.Count) * off * off
		}
	}
	// ranges go with squares, and with bounds of the rewards
	if bounds := p.TurnedBounds(p.Noise.Bounds); bounds != nil {
		b.Ranges = j.ranges(round, n, *bounds)
	}
	return b
}

// ranges returns the smallest and the largest reward of each arm in a round. Bounds replace a range that was not given. Arms without pulls
// have the meaningless range 0, 0.
func (j *journal) ranges(round, n int, bounds [2]float64) [][2]float64 {
	out, seen := make([][2]float64, n), make([]bool, n)
	for _, r := range j.all[round] {
		of := r.spans(bounds)
		if seen[r.Arm] {
			of = [2]float64{min(of[0], out[r.Arm][0]), max(of[1], out[r.Arm][1])}
		}
		out[r.Arm], seen[r.Arm] = of, true
	}
	return out
}

// close lets go of the folder. It may be called after an error of openJournal, when not all is open. The system frees the lock
// with its file.
func (j *journal) close() {
	for _, f := range []*os.File{j.file, j.lock} {
		if f != nil {
			f.Close()
		}
	}
}
