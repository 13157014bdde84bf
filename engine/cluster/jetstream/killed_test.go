package jetstream_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestMain serves in a process of its own, which tests can kill. The variables of the environment are set by processOf.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GONB_COPE_TEST_SERVE"); dir != "" {
		s, err := jetstream.Serve(context.Background(), dir, jetstream.ServeOptions{Listen: os.Getenv("GONB_COPE_TEST_LISTEN")})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.URL())
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		s.Close()                            // also keeps the server, and with it the lock, until here
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process starts a server in a process of its own and returns its address. It runs this test program again, see TestMain.
func process(t *testing.T, dir, listen string) (*exec.Cmd, string) {
	t.Helper()
	return processOf(t, os.Args[0], dir, listen)
}

// processOf starts a server of another build of this test, with more in its environment.
func processOf(t *testing.T, binary, dir, listen string, more ...string) (*exec.Cmd, string) {
	t.Helper()
	c := exec.Command(binary)
	c.Env = append(append(os.Environ(), more...), "GONB_COPE_TEST_SERVE="+dir, "GONB_COPE_TEST_LISTEN="+listen)
	c.Stderr = os.Stderr
	// TestMain ends the server when its input ends, which the pipe does with this process
	try.Of(c.StdinPipe())
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	try.To(c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	// the server says its URL in one line
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !bytes.HasPrefix(line[:n], []byte("nats://")) {
		t.Fatalf("the server says %q, %v", line[:n], err)
	}
	return c, strings.TrimSpace(string(line[:n]))
}

// tries returns how often a fault happens: all of it where GONB_COPE_FAULTS is set. Few is for everyday runs.
func tries(few, all int) int {
	if os.Getenv("GONB_COPE_FAULTS") != "" {
		return all
	}
	return few
}

// The server is killed at random moments while five publish; each confirmed fact is stored once, in an order that all read alike, and
// readers that were there all the time have read it all.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	t.Parallel() // it waits for servers
	// five who publish without a pause, and one who reads all the while
	kills := tries(3, 20)
	dir := t.TempDir()
	cmd, url := process(t, dir, testport.Address(t))
	const publishers = 5
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	// after enough no publisher begins another fact, and begun ones are finished under ctx
	ended, enough := context.WithCancel(ctx)
	defer enough()
	var wg sync.WaitGroup
	said := make([]int, publishers) // by publisher; what was confirmed
	for p := range publishers {
		x := join(t, url, "")
		wg.Go(func() {
			for ended.Err() == nil {
				// A begun fact is finished: its confirmation counts.
				f := cluster.Fact{Run: "r", Round: said[p], Name: fmt.Sprintf("agent-%d", p+1), Body: fmt.Appendf(nil, "%d says %d", p, said[p])}
				if err := x.Publish(ctx, f); err != nil {
					t.Errorf("publishing %s: %v", f.Address(), err)
					return
				}
				said[p]++
			}
		})
	}
	live := make(chan []string, 1) // the addresses that the reader has read, when it ends
	var seen atomic.Int64
	reader := join(t, url, "")
	reading, quit := context.WithCancel(ctx)
	go func() {
		var all []string
		for f, err := range reader.Read(reading, "r") {
			if err != nil {
				t.Errorf("reading: %v", err)
			}
			all = append(all, f.Address())
			seen.Add(1)
		}
		live <- all
	}()
	// kills after 50 to 450 ms each, at the same port and folder
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		time.Sleep(time.Duration(50+random.IntN(400)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		cmd, _ = process(t, dir, strings.TrimPrefix(url, "nats://"))
	}
	time.Sleep(200 * time.Millisecond)
	enough()
	wg.Wait()
	total := 0
	for _, n := range said {
		total += n
	}
	// the reader has to come to the end
	for end := time.Now().Add(limit); seen.Load() < int64(total) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	quit()
	first := <-live
	// everything is read again by a new reader, and compared with the facts of each publisher and with the order of the first reader
	next := make([]int, publishers)
	again := 0
	standing, there := untilThere(t, total)
	for f, err := range join(t, url, "").Read(standing, "r") {
		if err != nil {
			t.Fatal(err)
		}
		there()
		// the body says whose fact it is and which one
		var p, n int
		if _, err := fmt.Sscanf(string(f.Body), "%d says %d", &p, &n); err != nil || f.Round != n || next[p] != n {
			t.Fatalf("%s has %q after %d facts of that publisher", f.Address(), f.Body, next[p])
		}
		next[p]++
		if again >= len(first) || first[again] != f.Address() {
			t.Fatalf("fact %d is %s, and was another to the reader that was there", again, f.Address())
		}
		again++
	}
	for p := range publishers {
		if next[p] != said[p] {
			t.Errorf("publisher %d: %d facts were confirmed, %d stand", p, said[p], next[p])
		}
	}
	if again != len(first) || total == 0 {
		t.Errorf("%d facts against %d for the reader that was there", again, len(first))
	}
	t.Logf("%d kills, %d facts confirmed, %d stand: lost 0, doubled 0", kills, total, again)
}
