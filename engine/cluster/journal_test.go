package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Rewards that are recorded together are in the journal together or not at all, wherever a power failure has cut the file, and also where
// pages of it were never written and read as zeros.
func TestJournalIsTorn(t *testing.T) {
	dir := t.TempDir()
	// as the next program that has the folder would
	reopen := func() *journal {
		t.Helper()
		return try.Of(openJournal(t.Context(), dir, "run", "task"))
	}
	j := reopen()
	try.To(j.add(1, Reward{Arm: 0, Count: 1, Mean: 0.5}))
	path := filepath.Join(dir, fileJournal)
	first := size(t, path)
	try.To(j.add(1, Reward{Arm: 0, Count: 1, Mean: 1}, Reward{Arm: 1, Count: 2, Mean: 2}, Reward{Arm: 2, Count: 1, Mean: 3}))
	j.close()
	whole := try.Of(os.ReadFile(path))
	// check counts the rewards of a file with this content, and then with one more
	check := func(content []byte, rewards int, what string, cut int) {
		t.Helper()
		try.To(os.WriteFile(path, content, 0o666))
		j := reopen()
		if len(j.all[1]) != rewards {
			t.Errorf("%s %d of %d bytes: %d rewards, want %d", what, cut, len(whole), len(j.all[1]), rewards)
		}
		if err := j.add(1, Reward{Arm: 2, Count: 1, Mean: 4}); err != nil {
			t.Error(err)
		}
		j.close()
		if j = reopen(); len(j.all[1]) != rewards+1 {
			t.Errorf("%s %d of %d bytes: %d rewards after one more", what, cut, len(whole), len(j.all[1]))
		}
		j.close()
	}
	// cut at every byte of the second telling, and zeros from its beginning up to every byte
	for cut := first; cut < len(whole); cut++ {
		check(whole[:cut], 1, "cut at", cut)
		zeros := append([]byte(nil), whole...)
		clear(zeros[first : cut+1])
		check(zeros, 1, "zeros up to", cut)
	}
	check(whole, 4, "whole at", len(whole))
}

// size returns the length of a file.
func size(t *testing.T, path string) int {
	t.Helper()
	i := try.Of(os.Stat(path))
	return int(i.Size())
}

// A journal that was changed is refused, and left unchanged.
func TestJournalWasChanged(t *testing.T) {
	// no JSON, a round of 0, a count of 0, a reward that cannot be, a telling that breaks off, a number of lines below 0
	for _, text := range []string{
		`{"round":1,"arm":0,"count":1,"mean":1}` + "\nhello\n",
		`{"round":0,"arm":0,"count":1,"mean":1}` + "\n",
		`{"round":1,"arm":0,"count":0,"mean":1}` + "\n",
		`{"round":1,"arm":0,"count":1,"mean":1e308}` + "\n",
		`{"round":1,"arm":0,"count":1,"mean":1,"more":2}` + "\n" + `{"round":1,"arm":0,"count":1,"mean":1}` + "\n",
		`{"round":1,"arm":0,"count":1,"mean":1,"more":-1}` + "\n",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, fileJournal)
		try.To(os.WriteFile(path, []byte(text), 0o666))
		if j, err := openJournal(t.Context(), dir, "run", "task"); err == nil {
			j.close()
			t.Errorf("%q was read", text)
		}
		if left, _ := os.ReadFile(path); string(left) != text {
			t.Errorf("%q was changed to %q", text, left)
		}
	}
}

// Counts that do not fit are refused, also where their sum is more than an int holds.
func TestCountsOverflow(t *testing.T) {
	q := try.Of(problem.PaperCase(1, 0.2))
	plan := engine.Plan{Round: 1, Counts: make([]int, q.N())}
	plan.Counts[0] = 3
	j := try.Of(openJournal(t.Context(), t.TempDir(), "run", "task"))
	defer j.close()
	lo, hi := q.ArmsOf(0)
	try.To(j.tell(q, plan, lo, hi, Reward{Arm: lo, Count: 1, Mean: 1}))
	// the largest int: with the pull that is made its sum overflows
	huge := int(^uint(0) >> 1)
	if err := j.tell(q, plan, lo, hi, Reward{Arm: lo, Count: huge, Mean: 1}); err == nil {
		t.Errorf("%d rewards for %d pulls were taken", huge, plan.Counts[lo])
	}
	if got := j.made(1, q.N())[lo]; got != 1 {
		t.Errorf("%d pulls are made", got)
	}
}
