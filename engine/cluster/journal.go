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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The files of an agent's folder.
const (
	fileAgent   = "agent.json"    // AgentFile; written once, when the folder is new
	fileJournal = "rewards.jsonl" // one journalLine in each line
	fileLock    = "agent.lock"    // locked while a program uses the folder, and names that program
)

// AgentFile states the owner of the folder. It ties the folder to one task of one run. A join contains the instance, so
// that another folder for the same task is refused.
type AgentFile struct {
	Run      string `json:"run"`      // name of the run
	Task     string `json:"task"`     // the agent's task
	Instance string `json:"instance"` // 128 random bits, in hexadecimal
}

// Reward is a measurement of an arm, with the sign of the data. Each line of rewards.jsonl has a Reward and its round.
type Reward = engine.Reward

// journalLine is a reward with its round. Rewards recorded together form a group: each line except the last states how
// many lines follow. A group counts only if its last line is present, so that a crash within a write leaves none of it.
type journalLine struct {
	Round  int `json:"round"` // from 1
	Reward     // one measurement of an arm
	More   int `json:"more,omitempty"` // number of lines of the group that follow; 0 for the last one
}

// journal stores the rewards of one agent in its folder. Rewards are on disk before they are published. Only one program
// uses a folder at a time. Lines are only added. A round may be recorded in several parts, and an arm may have several
// lines. It is not safe for concurrent use.
type journal struct {
	AgentFile
	dir  string           // path of the folder
	lock *os.File         // held between take and close
	file *os.File         // rewards.jsonl, positioned after its last complete group; nil before load
	all  map[int][]Reward // by round, in the order of the file; equal to the content on disk
}

// lockPatience is how long an agent waits for the lock of its folder. The previous program may just have been killed, and
// the system releases its lock only after some milliseconds.
const lockPatience = 2 * time.Second

// openJournal opens the folder of an agent, and creates it if necessary. It takes the lock first, so that the files do not
// change while they are read. After an error nothing is locked or open.
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

// take locks the folder. It waits up to lockPatience; the error names the program that holds the folder.
func (j *journal) take(ctx context.Context) error {
	var err error
	j.lock, err = filelock.Take(ctx, filepath.Join(j.dir, fileLock), 0o666, lockPatience)
	// only a lock of another program has a holder
	if held := (*filelock.HeldError)(nil); errors.As(err, &held) {
		return fmt.Errorf("another program has the folder %s of this agent: %s", j.dir, held.Holder)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot lock the folder of the agent: %w", err)
	}
	return err
}

// identify reads agent.json and compares it with the run and the task. For a new folder it writes the file with a new
// random instance, which distinguishes it from every other folder. The file is on disk when identify returns nil.
func (j *journal) identify(run, task string) error {
	path := filepath.Join(j.dir, fileAgent)
	text, err := os.ReadFile(path)
	// a new folder: its run and task are fixed from now on
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
	// rewards in a folder of another run would count for this one
	if j.Run != run || j.Task != task {
		return fmt.Errorf("%s is the folder of task %q in run %s. The agent for task %q in run %s needs its own folder", j.dir, j.Task,
			j.Run, task, run)
	}
	return nil
}

// load reads the rewards. It removes an incomplete group at the end, which a crash left and which was never acknowledged.
// An unreadable line elsewhere is an error: the file was changed, and others may have read its rewards.
func (j *journal) load() (err error) {
	defer try.Caught(&err)
	path := filepath.Join(j.dir, fileJournal)
	// opened for reading and appending; truncated only below
	j.file = try.Of(os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666))
	// at is the end of the last line read, and whole the end of the last complete group
	read, at, whole := bufio.NewReader(j.file), int64(0), int64(0)
	// rewards of the present, incomplete group
	var together []Reward
	more := 0 // lines of the group that must follow
	for n := 1; ; n++ {
		text, err := read.ReadBytes('\n')
		// a crash may leave a last line without line end; it is removed below
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var l journalLine
		// More counts down within a group; a gap means a missing line
		if err := json.Unmarshal(text, &l); err != nil || l.Round < 1 || l.Count < 1 || l.More < 0 || more > 0 && l.More != more-1 {
			if torn(read, text) {
				break
			}
			return fmt.Errorf("%s, line %d cannot be read. The file was changed: restore it from a copy", path, n)
		}
		// programs of this version never write such a reward
		if err := checkReward(l.Reward); err != nil {
			return fmt.Errorf("%s, line %d: %w. The file was changed: correct it there", path, n, err)
		}
		at += int64(len(text))
		together, more = append(together, l.Reward), l.More
		// the last line of the group: the whole group counts
		if more == 0 {
			j.all[l.Round] = append(j.all[l.Round], together...)
			together, whole = nil, at
		}
	}
	// the removed lines were never acknowledged
	try.To(j.file.Truncate(whole))
	_, err = j.file.Seek(whole, io.SeekStart)
	return err
}

// torn reports whether an unreadable line is the end that a power failure left: unwritten pages read as zero bytes, which
// no program writes. line has its line end; a last line without one is always removed.
func torn(rest io.Reader, line []byte) bool {
	tail, err := io.ReadAll(rest)
	return err == nil && (bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(tail, 0) >= 0)
}

// checkReward returns an error if the count, the mean or the squares are impossible. It does not check the arm.
func checkReward(r Reward) error { return problem.CheckRewards(r.Count, r.Mean, r.Squares) }

// add appends rewards of a round as one group, which the caller has checked. When it returns nil, they are on disk. After
// an error or a crash, none of them counts. After an error it restores the file if the disk permits, and a later call may
// succeed.
func (j *journal) add(round int, rewards ...Reward) (err error) {
	defer try.Caught(&err)
	var text []byte
	// More is 0 in the last line
	for i, r := range rewards {
		line := try.Of(json.Marshal(journalLine{round, r, len(rewards) - 1 - i}))
		text = append(append(text, line...), '\n')
	}
	// position to which an error restores the file
	before := try.Of(j.file.Seek(0, io.SeekCurrent))
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
	// memory is changed only after the disk
	j.all[round] = append(j.all[round], rewards...)
	return nil
}

// made returns the recorded pulls of a round by arm, n counts. It ignores larger arm numbers, which enter refuses.
func (j *journal) made(round, n int) []int {
	out := make([]int, n)
	for _, r := range j.all[round] {
		if r.Arm < n {
			out[r.Arm] += r.Count
		}
	}
	return out
}

// batch returns the sums of a round's rewards that the agent publishes: counts and means, and squares and ranges if
// squares is set. It adds rewards in the order of the file, so that the message always has the same bytes.
func (j *journal) batch(round int, p *problem.Problem, squares bool) engine.Batch {
	return engine.MergeRewards(p.N(), j.all[round], squares, p.TurnedBounds(p.Noise.Bounds))
}

// close closes the files, which releases the lock. openJournal also calls it after an error, when only some are open.
func (j *journal) close() {
	for _, f := range []*os.File{j.file, j.lock} {
		if f != nil {
			f.Close()
		}
	}
}
