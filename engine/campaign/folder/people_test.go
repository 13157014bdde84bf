package folder

import (
	"bufio"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Two people who ask at once are never handed the same pull; each has one open list, and gets it
// again.
func TestTwoAskers(t *testing.T) {
	c := begin(t, small(t), Options{})
	dir := c.dir
	var mu sync.Mutex
	// by id and by pull: who was handed it
	seen := map[string]string{}
	pulls := map[[2]int]string{}
	var wg sync.WaitGroup
	for k := range 4 {
		by := fmt.Sprintf("asker %d", k)
		wg.Go(func() {
			// each asker is a program of its own
			own, err := Open(t.Context(), dir, again(small(t)), Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			var first campaign.List
			// each asks three times, and has the same list each time
			for range 3 {
				l, err := own.Ask(t.Context(), campaign.Request{By: by, Count: 3})
				if err != nil {
					t.Error(err)
					return
				}
				if first.Rows == nil {
					first = l
				} else if fmt.Sprint(l.Rows) != fmt.Sprint(first.Rows) || !l.Again {
					t.Errorf("%s has %v, and then %v", by, first.Rows, l.Rows)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range first.Rows {
				arm, number := pullOf(t, dir, small(t).Problem, r.ID)
				if other := pulls[[2]int{arm, number}]; other != "" || seen[r.ID] != "" {
					t.Errorf("%s and %s have the same pull", by, other)
				}
				seen[r.ID], pulls[[2]int{arm, number}] = by, by
			}
		})
	}
	wg.Wait()
	if len(pulls) == 0 {
		t.Error("nobody was handed anything")
	}
}

// A writer waits for the one before it, and names that one if it waits in vain. Nothing is lost.
func TestTwoWriters(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 2)
	// another process, which takes the lock and says so
	h := helper(t, "holder", c.dir)
	in, err := h.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := try.Of(h.StdoutPipe())
	try.To(h.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	// the other process holds the lock until its input is closed
	began := time.Now()
	_, err = c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: "Ann"})
	wants(t, err, "another program is writing", fmt.Sprintf("process %d", h.Process.Pid), "Nothing was recorded")
	if waited := time.Since(began); waited < patience {
		t.Errorf("waited %v, want %v", waited, patience)
	}
	// a reader does not wait
	if st, err := c.Status(t.Context()); err != nil || st.Open == nil {
		t.Errorf("status while another writes: %v", err)
	}
	time.AfterFunc(300*time.Millisecond, func() { in.Close() })
	r, err := c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: "Ann"})
	for tries := 0; tries < 20 && err != nil && strings.Contains(err.Error(), "another program is writing"); tries++ { // on a busy machine
		r, err = c.TellOne(t.Context(), l.Rows[0].ID, 1, campaign.TellOptions{By: "Ann"})
	}
	if err != nil || !r.Taken {
		t.Errorf("after the other one is done: %v, %+v", err, r)
	}
	h.Wait()
}

// Pulls that are overdue are handed out again under new ids, and both results count; the clock may be
// set back without any harm, because events are ordered by their numbers.
func TestOverdue(t *testing.T) {
	p := small(t)
	p.Lease = 2
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	c := begin(t, p, Options{Now: func() time.Time { return now }})
	first := asked(t, c, "Ann", 3)
	now = now.AddDate(0, 0, -30) // the clock is set back
	if l := asked(t, c, "Ann", 3); !l.Again {
		t.Errorf("with the clock set back: %+v", l)
	}
	now = time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	// overdue by the clock of the reader: no event records this
	if st, err := c.Status(t.Context()); err != nil || st.Open.Overdue != 3 || st.People[0].Overdue != 3 {
		t.Errorf("%v, %+v", err, st.Open)
	}
	// the same arms under other ids, in the same order
	second := asked(t, c, "Bob", 3)
	for i, r := range second.Rows {
		if r.ID == first.Rows[i].ID || r.Task != first.Rows[i].Task || r.Arm != first.Rows[i].Arm {
			t.Errorf("handed out again: %+v for %+v", r, first.Rows[i])
		}
	}
	// the repetition is recorded first, and then the overdue one
	told(t, c, campaign.TellOptions{By: "Bob"}, row(second.Rows[0].ID, 1))
	if r := told(t, c, campaign.TellOptions{By: "Ann"}, row(first.Rows[0].ID, 2)); r.Counts[campaign.RowNew] != 1 {
		t.Errorf("a result of an overdue list: %+v", r)
	}
	if st, err := c.Status(t.Context()); err != nil || st.Open.Measured != 2 {
		t.Errorf("%v: %+v measured, want both", err, st.Open)
	}
	list := try.Of(events(t.Context(), c.db.db, 0))
	for i, e := range list {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
}
