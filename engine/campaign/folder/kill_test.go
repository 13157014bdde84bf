package folder

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Killed at 200 random moments while it asks, records, fails, corrects, amends and closes, a campaign loses no event
// that was acknowledged, has none twice, and stays whole.
func TestKilledAtAnyMoment(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 10
	}
	p := small(t)
	p.Options.Epsilon = 0.01 // it goes on for long
	c := begin(t, p, Options{})
	dir := c.dir
	c.Close()
	rng := rand.New(rand.NewPCG(8, 9))
	var said strings.Builder
	for kill := range kills {
		// two names by turns, so that each finds lists that the other one left
		w := helper(t, "worker", dir, fmt.Sprintf("worker %d", kill%2), strconv.Itoa(kill))
		out := try.Of(w.StdoutPipe())
		try.To(w.Start())
		reader := bufio.NewReader(out)
		if line, err := reader.ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("%q, %v", line, err)
		}
		// it is killed after some of its lines, at a moment within the next five milliseconds
		lines, text := rng.IntN(20), []byte(nil) // however busy the machine is, some of them get far
		for range lines {
			line, err := reader.ReadBytes('\n')
			if text = append(text, line...); err != nil {
				break
			}
		}
		killed := time.AfterFunc(time.Duration(rng.Int64N(int64(5*time.Millisecond))), func() { w.Process.Kill() })
		defer killed.Stop()
		rest := try.Of(io.ReadAll(reader))
		text = append(text, rest...)
		w.Wait()
		if end := strings.LastIndexByte(string(text), '\n'); end >= 0 { // a line cut short was not yet said
			said.Write(text[:end+1])
		}
	}
	checkSaid(t, dir, p, said.String())
}

// checkSaid compares the lines of workers with the events: each acknowledged event is there once, and values are the
// last corrected ones. There may be more events than lines, since a worker can be killed between the two.
func checkSaid(t *testing.T, dir string, p campaign.Protocol, said string) {
	t.Helper()
	v := try.Of(Verify(t.Context(), dir, again(p), Options{}))
	db := try.Of(openDatabase(dir+"/"+DatabaseFile, false))
	defer db.Close()
	list := try.Of(events(t.Context(), db.db, 0))
	// by id: how often it was handed out, recorded and given back, and its last value
	asked, told, value, failed, closed := map[string]int{}, map[string]int{}, map[string]float64{}, map[string]int{}, 0
	amended := map[string]int{}
	for _, e := range list {
		switch e.Kind {
		case campaign.KindAsk:
			var b campaign.AskBody
			read(t, e, &b)
			for _, it := range b.Items {
				asked[it.ID]++
			}
		case campaign.KindTell, campaign.KindLate:
			var b campaign.TellBody
			read(t, e, &b)
			for _, r := range b.Results {
				told[r.ID]++
				value[r.ID] = r.Reward
			}
		case campaign.KindFail:
			var b campaign.FailBody
			read(t, e, &b)
			for _, id := range b.IDs {
				failed[id]++
			}
		case campaign.KindCorrect:
			var b campaign.CorrectBody
			read(t, e, &b)
			value[b.ID] = b.Reward
		case campaign.KindAmend:
			var b campaign.AmendBody
			read(t, e, &b)
			amended[b.Reason]++
		case campaign.KindClose:
			closed++
		}
	}
	// the lines are of all workers, one line per act
	lines := strings.Split(strings.TrimSpace(said), "\n")
	saidClosed := 0
	counts := map[string]int{}
	for _, line := range lines {
		word := strings.Fields(line)
		counts[word[0]]++
		switch {
		case word[0] == "closed":
			saidClosed++
		case word[0] == "asked" && asked[word[1]] != 1, word[0] == "told" && told[word[1]] != 1, word[0] == "failed" && failed[word[1]] != 1:
			t.Errorf("%q was acknowledged, and is recorded %d, %d and %d times as asked, told and failed", line, asked[word[1]], told[word[1]], failed[word[1]])
		case word[0] == "amended" && amended[word[1]] != 1:
			t.Errorf("%q was acknowledged, and is recorded %d times", line, amended[word[1]])
		case word[0] == "corrected" && strconv.FormatFloat(value[word[1]], 'g', -1, 64) != word[2]:
			t.Errorf("%q was acknowledged, and the value is %v", line, value[word[1]])
		}
	}
	for id, n := range told {
		if n != 1 {
			t.Errorf("%s is told %d times", id, n)
		}
	}
	// a close says no number, so that they are only counted
	if closed < saidClosed {
		t.Errorf("%d rounds are closed, and %d were acknowledged", closed, saidClosed)
	}
	if counts["told"] < 10 || counts["asked"] < 20 {
		t.Errorf("the workers did too little to tell: %v", counts)
	}
	t.Logf("%d events, acknowledged %v", v.Events, counts)
}

// read reads the body of an event.
func read(t *testing.T, e campaign.Event, into any) {
	t.Helper()
	try.To(json.Unmarshal(e.Body, into))
}
