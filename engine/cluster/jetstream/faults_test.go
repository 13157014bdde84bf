package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// TestMain serves in a process of its own, which tests can kill.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GONB_COPE_TEST_SERVE"); dir != "" {
		s, err := jetstream.Serve(context.Background(), dir, jetstream.ServeOptions{Listen: os.Getenv("GONB_COPE_TEST_LISTEN")})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.URL())
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process starts a server in a process of its own and returns its address.
func process(t *testing.T, dir, listen string) (*exec.Cmd, string) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "GONB_COPE_TEST_SERVE="+dir, "GONB_COPE_TEST_LISTEN="+listen)
	c.Stderr = os.Stderr
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil || !bytes.HasPrefix(line[:n], []byte("nats://")) {
		t.Fatalf("the server says %q, %v", line[:n], err)
	}
	return c, strings.TrimSpace(string(line[:n]))
}

// tries returns how often a fault happens: all of it where GONB_COPE_FAULTS is set.
func tries(few, all int) int {
	if os.Getenv("GONB_COPE_FAULTS") != "" {
		return all
	}
	return few
}

// The server is killed at random moments while five publish; whatever was confirmed stands once, in an
// order that all read alike, and readers that were there all the time have read it all.
func TestServerKilled(t *testing.T) {
	kills := tries(3, 20)
	dir := t.TempDir()
	cmd, url := process(t, dir, "127.0.0.1:0")
	const publishers = 5
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	ended, enough := context.WithCancel(ctx)
	defer enough()
	var wg sync.WaitGroup
	said := make([]int, publishers)
	for p := range publishers {
		x := join(t, url, "")
		wg.Go(func() {
			for ended.Err() == nil {
				// What was begun is brought to its end: its confirmation is what counts.
				f := cluster.Fact{Run: "r", Round: said[p], Name: fmt.Sprintf("agent-%d", p+1), Body: fmt.Appendf(nil, "%d says %d", p, said[p])}
				if err := x.Publish(ctx, f); err != nil {
					t.Errorf("publishing %s: %v", f.Address(), err)
					return
				}
				said[p]++
			}
		})
	}
	live := make(chan []string, 1)
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
	for end := time.Now().Add(30 * time.Second); seen.Load() < int64(total) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	quit()
	first := <-live
	next := make([]int, publishers)
	again := 0
	for f, err := range join(t, url, "").Read(shortlyAfter(t, 3*time.Second), "r") {
		if err != nil {
			t.Fatal(err)
		}
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

func shortlyAfter(t *testing.T, d time.Duration) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), d)
	t.Cleanup(stop)
	return ctx
}

// Work that was confirmed as done before the server was killed is not handed out again, though
// JetStream forgets the acknowledgements of its last moments. It may forget, too, what it has handed out
// then, and hand it out to another.
func TestServerKilledWithWork(t *testing.T) {
	kills := tries(2, 20)
	dir := t.TempDir()
	cmd, url := process(t, dir, "127.0.0.1:0")
	x := join(t, url, "")
	pieces := 60 * kills
	for i := range pieces {
		if err := x.Offer(t.Context(), "r", cluster.Work{ID: fmt.Sprintf("c-%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	var mu sync.Mutex
	done := map[string]int{}
	var wg sync.WaitGroup
	for range 3 {
		w := join(t, url, "")
		wg.Go(func() {
			for {
				mu.Lock()
				all := len(done) == pieces
				mu.Unlock()
				if all {
					return
				}
				wait, stop := context.WithTimeout(ctx, 4*time.Second)
				piece, err := w.Take(wait)
				stop()
				if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if done[piece.Work().ID] > 0 {
					t.Errorf("%s was done, and is handed out again", piece.Work().ID)
				}
				mu.Unlock()
				if err := w.Publish(ctx, cluster.Fact{Run: "r", Name: "result-" + piece.Work().ID, Body: []byte("same")}); err != nil {
					t.Error(err)
				}
				if err := piece.Done(ctx); err != nil {
					t.Error(err)
				}
				mu.Lock()
				done[piece.Work().ID]++
				mu.Unlock()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		time.Sleep(time.Duration(50+random.IntN(200)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		cmd, _ = process(t, dir, strings.TrimPrefix(url, "nats://"))
	}
	wg.Wait()
	twice := 0
	for _, n := range done {
		if n > 1 {
			twice++
		}
	}
	results := 0
	for f, err := range x.Read(shortlyAfter(t, 3*time.Second), "r") {
		if err != nil || string(f.Body) != "same" {
			t.Errorf("%s, %v", f.Address(), err)
		}
		results++
	}
	if len(done) != pieces || results != pieces {
		t.Errorf("of %d pieces %d were done and have %d results", pieces, len(done), results)
	}
	if twice > 3*kills { // what the three had in their hands
		t.Errorf("%d pieces were done by two", twice)
	}
	t.Logf("%d kills, %d pieces, each with one result; none handed out after it was done; %d were in the hands of two", kills, pieces, twice)
}

// proxy passes connections on until it is cut.
type proxy struct {
	listener net.Listener
	to       string
	cut      atomic.Bool
	conns    sync.Map
}

func newProxy(t *testing.T, url string) (*proxy, string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, to: url[strings.Index(url, "//")+2:]}
	t.Cleanup(func() { l.Close(); p.conns.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true }) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", p.to)
			if err != nil {
				c.Close()
				continue
			}
			p.conns.Store(c, nil)
			p.conns.Store(s, nil)
			go p.pass(c, s)
			go p.pass(s, c)
		}
	}()
	return p, "nats://" + l.Addr().String()
}

// pass copies, and holds everything back while the network is cut: nobody is told, as when a cable is out.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		for p.cut.Load() {
			time.Sleep(5 * time.Millisecond)
		}
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// The network is silent for longer than it takes the connection to notice (15 s); five minutes where
// GONB_COPE_FAULTS is set. Publisher and reader go on by themselves afterwards.
func TestNetworkCut(t *testing.T) {
	cut := time.Duration(tries(20, 300)) * time.Second
	if testing.Short() {
		cut = 2 * time.Second
	}
	t.Parallel()
	s := serve(t, t.TempDir(), jetstream.ServeOptions{})
	p, url := newProxy(t, s.URL())
	x, reader := join(t, url, ""), join(t, url, "")
	ctx, stop := context.WithTimeout(t.Context(), cut+2*time.Minute)
	defer stop()
	const facts = 40
	var rounds []int
	read := make(chan struct{})
	go func() {
		defer close(read)
		for f, err := range reader.Read(ctx, "r") {
			if err != nil {
				t.Error(err)
				return
			}
			if rounds = append(rounds, f.Round); len(rounds) == facts {
				return
			}
		}
	}()
	var after time.Time
	for i := range facts {
		if i == facts/2 {
			p.cut.Store(true)
			time.AfterFunc(cut, func() { after = time.Now(); p.cut.Store(false) })
		}
		if err := x.Publish(ctx, cluster.Fact{Run: "r", Round: i, Name: "agent-1", Body: []byte{byte(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	<-read
	for i, r := range rounds {
		if i != r {
			t.Fatalf("read the rounds %v", rounds)
		}
	}
	if len(rounds) != facts {
		t.Errorf("read %d facts of %d", len(rounds), facts)
	}
	none(t, join(t, s.URL(), ""), "r", allRounds(facts)...)
	t.Logf("a cut of %v; everything was published and read %v after it", cut, time.Since(after).Round(time.Millisecond))
}

func allRounds(n int) (all []cluster.Fact) {
	for i := range n {
		all = append(all, cluster.Fact{Run: "r", Round: i, Name: "agent-1", Body: []byte{byte(i)}})
	}
	return all
}

// A store that is full is a sentence; what was confirmed stands, and after room was made the
// publisher goes on.
func TestServerFull(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, jetstream.ServeOptions{MaxBytes: 1 << 20})
	x := join(t, s.URL(), "")
	fillUp(t, x)
	s.Close()
	s = serve(t, dir, jetstream.ServeOptions{MaxBytes: 64 << 20})
	x = join(t, s.URL(), "")
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1000, Name: "agent-1"}); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// fillUp publishes until the server is full, and checks what stands.
func fillUp(t *testing.T, x *jetstream.Exchange) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	body := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	confirmed := 0
	var err error
	for err == nil && confirmed < 1000 {
		if err = x.Publish(ctx, cluster.Fact{Run: "r", Round: confirmed, Name: "agent-1", Body: body}); err == nil {
			confirmed++
		}
	}
	if !errors.Is(err, jetstream.ErrFull) || !strings.Contains(err.Error(), "full: nothing was recorded; make room") {
		t.Errorf("after %d facts: %v", confirmed, err)
	}
	ctx, stop = context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for r := range confirmed {
		if f, ok, err := x.Find(ctx, "r", r, "agent-1"); !ok || err != nil || !bytes.Equal(f.Body, body) {
			t.Errorf("fact %d of %d: %v, %v", r, confirmed, ok, err)
		}
	}
	t.Logf("%d facts of 64 KiB were confirmed and stand: %v", confirmed, err)
}

// The disk itself is full: a small file system in memory.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	s := serve(t, dir, jetstream.ServeOptions{MaxBytes: 1 << 30})
	x := join(t, s.URL(), "")
	fillUp(t, x)
	x.Close()
	s.Close()
	if out, err := exec.Command("mount", "-o", "remount,size=64m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	x = join(t, serve(t, dir, jetstream.ServeOptions{}).URL(), "")
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1000, Name: "agent-1"}); err != nil {
		t.Errorf("after room was made: %v", err)
	}
	if _, ok, err := x.Find(t.Context(), "r", 0, "agent-1"); !ok || err != nil {
		t.Errorf("the first fact: %v, %v", ok, err)
	}
}

// A second server on a folder is refused and names the first; a folder whose server was killed is free.
func TestStoreOpenedTwice(t *testing.T) {
	dir := t.TempDir()
	cmd, url := process(t, dir, "127.0.0.1:0")
	if err := join(t, url, "").Publish(t.Context(), cluster.Fact{Run: "r", Name: "run"}); err != nil {
		t.Fatal(err)
	}
	_, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	s := serve(t, dir, jetstream.ServeOptions{})
	none(t, join(t, s.URL(), ""), "r", cluster.Fact{Run: "r", Name: "run"})
}

// Other machines can reach an address that is not loopback: without keys nothing is served there.
func TestListening(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:4222", "example.org:4222"} {
		s, err := jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: listen})
		if err == nil {
			s.Close()
			t.Errorf("%s was served without keys", listen)
		} else if !strings.Contains(err.Error(), "gonb-cope cluster keys") {
			t.Errorf("%s: %v", listen, err)
		}
	}
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{})
	s := serve(t, dir, jetstream.ServeOptions{Listen: "0.0.0.0:0"})
	_, port, _ := net.SplitHostPort(s.URL()[len("tls://"):])
	join(t, "tls://127.0.0.1:"+port, keys["the owner"])
	for _, c := range []struct{ listen, words string }{{"here", "HOST:PORT"}, {"127.0.0.1:x", "port"}, {"127.0.0.1:" + port, "address already in use"}} {
		if s, err := jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: c.listen}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, %v", c.listen, s, err)
		}
	}
	s.Close()
	if err := os.RemoveAll(filepath.Join(dir, "keys")); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "with keys before") {
		t.Errorf("the keys are gone: %v", err)
	}
	open := t.TempDir()
	serve(t, open, jetstream.ServeOptions{}).Close()
	makeKeys(t, open, jetstream.KeyOptions{})
	if _, err := jetstream.Serve(t.Context(), open, jetstream.ServeOptions{Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "without keys before") {
		t.Errorf("keys came later: %v", err)
	}
}
