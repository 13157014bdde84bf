package folder

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// roleOf says what this process is to do instead of tests.
const roleOf = "CAMPAIGN_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleOf); role {
	case "":
		os.Exit(m.Run())
	case "worker":
		os.Exit(worker(os.Args[1], os.Args[2], os.Args[3]))
	case "holder":
		os.Exit(holder(os.Args[1]))
	default:
		fmt.Fprintln(os.Stderr, "no such role:", role)
		os.Exit(2)
	}
}

// helper starts this test binary as another program.
func helper(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe := try.Of(os.Executable())
	c := exec.Command(exe, args...)
	c.Env = append(os.Environ(), roleOf+"="+role)
	c.Stderr = os.Stderr
	return c
}

// worker asks, records, closes, amends and corrects for as long as it lives. It prints a line after each act that
// returned: an acknowledged event.
func worker(dir, by, seed string) int {
	ctx := context.Background()
	n, _ := strconv.ParseUint(seed, 10, 64)
	rng := rand.New(rand.NewPCG(n, 1))
	p := small(nil)
	p.Options.Epsilon = 0.01
	c, err := Open(ctx, dir, again(p), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := bufio.NewWriter(os.Stdout)
	// each line is out of the process before the next act
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	say("ready")
	for range 400 {
		// lists of one to six pulls: after a kill the list of before comes again first
		list, err := c.Ask(ctx, campaign.Request{By: by, Count: 1 + rng.IntN(6)})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if len(list.Rows) == 0 {
			if k := list.Note.Kind; k == campaign.NoteDecided || k == campaign.NoteEnded {
				return 0
			}
			// the other worker's list is open, and no other worker records it: at times the round is closed
			if rng.IntN(4) == 0 {
				if _, err := closeBy(ctx, c, "the test closes it", by); err == nil {
					say("closed")
				}
			}
			continue
		}
		for _, r := range list.Rows {
			say("asked %s", r.ID)
		}
		for _, r := range list.Rows {
			// of twelve pulls one fails; of ten recorded, the capacity is changed after one and one is corrected
			if rng.IntN(12) == 0 {
				if err := failBy(ctx, c, []string{r.ID}, "the test drops it", by); err == nil {
					say("failed %s", r.ID)
				}
				continue
			}
			v := rng.NormFloat64()
			got, err := c.TellOne(ctx, r.ID, v, campaign.TellOptions{By: by, Sure: true})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			if got.Counts[campaign.RowNew]+got.Counts[campaign.RowLate] == 1 {
				say("told %s %v", r.ID, v)
			}
			if rng.IntN(10) == 0 {
				// the reason names the pull, so that no change is known from before
				capacity, reason := 4+rng.IntN(4), "at-"+r.ID
				if _, err := amendBy(ctx, c, campaign.AmendBody{Capacity: &capacity, Reason: reason}, by); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return 1
				}
				say("amended %s", reason)
			}
			if rng.IntN(10) == 0 {
				if err := correctBy(ctx, c, r.ID, v/2, "the test corrects it", by); err != nil {
					fmt.Fprintln(os.Stderr, err)
					return 1
				}
				say("corrected %s %v", r.ID, v/2)
			}
		}
	}
	return 0
}

// now returns the campaign with all events so far.
func now(c *Campaign) campaign.Moment { return try.Of(c.Moment(context.Background())) }

// progress returns the status without the answers of all arms, and its state.
func progress(c *Campaign) (campaign.Moment, campaign.Status) {
	m := now(c)
	return m, try.Of(c.db.Replay(context.Background(), m, nil)).Status(m)
}

// holder takes the lock, says so, and keeps it until its input ends.
func holder(dir string) int {
	l, err := lock(context.Background(), dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer l.release()
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return 0
}
