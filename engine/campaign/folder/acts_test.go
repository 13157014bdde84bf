package folder

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// asked asks for pulls and fails the test if there are none.
func asked(t *testing.T, c *Campaign, by string, count int) campaign.List {
	t.Helper()
	list, err := c.Ask(t.Context(), campaign.Request{By: by, Count: count})
	if err != nil || len(list.Rows) == 0 {
		t.Fatalf("%v: %+v", err, list)
	}
	return list
}

// told records rows and returns the receipt. The test fails if the sheet cannot be read, and not if a row is refused.
func told(t *testing.T, c *Campaign, opt campaign.TellOptions, rows ...string) campaign.Receipt {
	t.Helper()
	return try.Of(c.Tell(t.Context(), sheet(rows), opt))
}

// wants fails the test unless the error has these words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q in it", err, w)
		}
	}
}

// A person who asks for a task that is handed out gets a message about this task only: other tasks have pulls for
// others.
func TestAskOfATaskThatIsHandedOut(t *testing.T) {
	c := begin(t, small(t), Options{})
	ask := func(by, task string) campaign.List {
		return try.Of(c.Ask(t.Context(), campaign.Request{By: by, Task: task, Count: 1000}))
	}
	if list := ask("Ann", "north"); len(list.Rows) == 0 {
		t.Fatalf("nothing to begin with: %+v", list)
	}
	if list := ask("Bob", "north"); len(list.Rows) != 0 || list.Note.String() != `all measurements of task "north" in round 1 are handed out; other tasks still have some` {
		t.Errorf("%d rows: %q", len(list.Rows), list.Note)
	}
	if list := ask("Bob", "south"); len(list.Rows) == 0 {
		t.Errorf("no rows of the other task: %+v", list)
	}
	if list := ask("Cid", "north"); len(list.Rows) != 0 || !strings.HasPrefix(list.Note.String(), "all measurements of round 1 are handed out (") {
		t.Errorf("%d rows: %q", len(list.Rows), list.Note)
	}
}
