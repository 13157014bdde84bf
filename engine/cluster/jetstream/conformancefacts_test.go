package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Another party reads facts unchanged, in the order in which they were published.
func publishedOnce(t *testing.T, join func() cluster.Exchange) {
	x := join()
	f := fact("r", 2, "agent-3", "hello")
	publish(t, x, f)
	for _, f := range []cluster.Fact{fact("r", 0, "run", ""), fact("r", 2, "plan", "p"), fact("r", 2, "agent-4", "q")} {
		publish(t, x, f)
	}
	got := read(t, join(), "r", 4)
	// the place is the exchange's to give
	f.Seq = got[0].Seq
	if diff := cmp.Diff(f, got[0]); diff != "" {
		t.Errorf("published and read differ (-published +read):\n%s", diff)
	}
	for i, want := range []string{"r/2/agent-3", "r/0/run", "r/2/plan", "r/2/agent-4"} {
		if got[i].Address() != want {
			t.Errorf("fact %d is %s, wanted %s", i, got[i].Address(), want)
		}
		if i > 0 && got[i].Seq <= got[i-1].Seq {
			t.Errorf("place %d after place %d", got[i].Seq, got[i-1].Seq)
		}
	}
}

// The same fact may be published any number of times by the same sender, over any connection, and is stored once.
func replay(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	f := fact("r", 1, "agent-1", "same")
	for range 3 {
		publish(t, x, f)
		publish(t, y, f)
	}
	nothingBeyond(t, x, "r", 1)
}

// The first fact is kept. The error has both facts, and names their address and lengths.
func conflict(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	publish(t, x, fact("r", 1, "agent-1", "first"))
	err := y.Publish(soon(t), fact("r", 1, "agent-1", "second!"))
	var c *cluster.ConflictError
	if !errors.As(err, &c) {
		t.Fatalf("another body at the same address gave %v", err)
	}
	if string(c.Said.Body) != "second!" || string(c.Stands.Body) != "first" || c.Stands.Seq == 0 {
		t.Errorf("the conflict has %q against %q at place %d", c.Said.Body, c.Stands.Body, c.Stands.Seq)
	}
	for _, part := range []string{"run r", "round 1", "agent-1", "5 bytes", "has 7"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the conflict does not say %q: %v", part, err)
		}
	}
	nothingBeyond(t, x, "r", 1)
}

// Names with dots, wildcards, spaces or too many letters, negative rounds and bodies that are too long are refused before
// anything is asked. The longest body passes.
func badAddresses(t *testing.T, join func() cluster.Exchange) {
	x := join()
	for _, f := range []cluster.Fact{
		fact("", 0, "plan", ""), fact("R", 0, "plan", ""), fact("a.b", 0, "plan", ""), fact("1a", 0, "plan", ""),
		fact(strings.Repeat("a", 41), 0, "plan", ""),
		fact("r", -1, "plan", ""), fact("r", 0, "", ""), fact("r", 0, "a.b", ""), fact("r", 0, "*", ""), fact("r", 0, ">", ""),
		fact("r", 0, "a b", ""), fact("r", 0, strings.Repeat("a", 81), ""),
		{Run: "r", Name: "plan", Body: make([]byte, cluster.MaxBody+1)},
	} {
		if err := x.Publish(soon(t), f); err == nil {
			t.Errorf("%.50s with %d bytes was published", f.Address(), len(f.Body))
		}
	}
	for _, err := range x.Read(soon(t), "a.b") {
		if err == nil {
			t.Error("run a.b could be read")
		}
	}
	if _, _, err := x.Find(soon(t), "r", 0, "*"); err == nil {
		t.Error("* could be found")
	}
	publish(t, x, cluster.Fact{Run: "r", Name: "plan", Body: bytes.Repeat([]byte{7}, cluster.MaxBody)})
	if got := read(t, x, "r", 1); len(got[0].Body) != cluster.MaxBody {
		t.Errorf("of the longest body %d bytes arrived", len(got[0].Body))
	}
}

// Readers that come early and late read the same: first what was there, then what comes.
func inOrder(t *testing.T, join func() cluster.Exchange) {
	x := join()
	const before, after = 20, 20
	for i := range before {
		publish(t, x, fact("r", i, "plan", fmt.Sprint(i)))
	}
	// some of the facts are there when the readers begin, the others come while they read
	var all [3][]cluster.Fact
	var wg sync.WaitGroup
	for i := range all {
		y := join()
		wg.Go(func() {
			for f, err := range y.Read(soon(t), "r") {
				if err != nil {
					t.Error(err)
					return
				}
				if all[i] = append(all[i], f); len(all[i]) == before+after {
					return
				}
			}
		})
	}
	for i := range after {
		publish(t, x, fact("r", before+i, "plan", fmt.Sprint(before+i)))
	}
	wg.Wait()
	for i := range all {
		if len(all[i]) != before+after {
			t.Fatalf("reader %d read %d facts", i, len(all[i]))
		}
		for n, f := range all[i] {
			if f.Round != n || string(f.Body) != fmt.Sprint(n) {
				t.Fatalf("reader %d: fact %d is %s %q", i, n, f.Address(), f.Body)
			}
		}
	}
}

// Facts of one run are not read in another. The runs are listed by their first facts, not by their names, and each once.
func apart(t *testing.T, join func() cluster.Exchange) {
	x := join()
	if runs, err := x.Runs(soon(t)); err != nil || len(runs) != 0 {
		t.Errorf("an empty exchange has runs %q, %v", runs, err)
	}
	for _, run := range []string{"b", "a", "c", "a", "b"} {
		publish(t, x, fact(run, 0, "run", run))
		publish(t, x, fact(run, 1, "plan", run))
	}
	for _, run := range []string{"a", "b", "c"} {
		nothingBeyond(t, x, run, 2)
		for _, f := range read(t, x, run, 2) {
			if f.Run != run || string(f.Body) != run {
				t.Errorf("run %s has a fact of run %s", run, f.Run)
			}
		}
	}
	if runs, err := join().Runs(soon(t)); err != nil || !slices.Equal(runs, []string{"b", "a", "c"}) {
		t.Errorf("the runs are %q, %v", runs, err)
	}
}

// Many parties publish different bodies at one address at once: one succeeds, and all others receive the stored fact.
func oneWins(t *testing.T, join func() cluster.Exchange) {
	const parties = 8
	errs := make([]error, parties)
	var wg sync.WaitGroup
	for i := range parties {
		x := join()
		wg.Go(func() { errs[i] = x.Publish(soon(t), fact("r", 1, "plan", fmt.Sprint(i))) })
	}
	wg.Wait()
	// exactly one is without an error
	winner := -1
	for i, err := range errs {
		var c *cluster.ConflictError
		if err == nil && winner < 0 {
			winner = i
		} else if !errors.As(err, &c) {
			t.Errorf("party %d, after %d won: %v", i, winner, err)
		}
	}
	if got := read(t, join(), "r", 1); string(got[0].Body) != fmt.Sprint(winner) {
		t.Errorf("party %d won, and %q stands", winner, got[0].Body)
	}
}

// Many who publish at once lose nothing, and their own facts keep their order. Two readers read all in the same order.
func manyPublishers(t *testing.T, join func() cluster.Exchange) {
	const parties, rounds = 5, 20
	var wg sync.WaitGroup
	for i := range parties {
		x := join()
		wg.Go(func() {
			for r := range rounds {
				if err := x.Publish(soon(t), fact("r", r, fmt.Sprintf("agent-%d", i+1), fmt.Sprint(i, r))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	addresses := func(x cluster.Exchange) (all []string) {
		next := make([]int, parties) // the round that is next of each party
		for _, f := range read(t, x, "r", parties*rounds) {
			var i, r int
			if _, err := fmt.Sscan(string(f.Body), &i, &r); err != nil || f.Round != r || next[i] != r {
				t.Fatalf("%s has %q, after round %d of that party", f.Address(), f.Body, next[i])
			}
			next[i]++
			all = append(all, f.Address())
		}
		return all
	}
	if a, b := addresses(join()), addresses(join()); !slices.Equal(a, b) {
		t.Errorf("two readers read in different orders:\n%v\n%v", a, b)
	}
}

// Nothing is found if nothing is, and another party finds what was published. Rounds are part of the address.
func found(t *testing.T, join func() cluster.Exchange) {
	x := join()
	if _, ok, err := x.Find(soon(t), "r", 1, "plan"); ok || err != nil {
		t.Errorf("nothing was published, and it was found: %v, %v", ok, err)
	}
	publish(t, x, fact("r", 1, "plan", "p"))
	f, ok, err := join().Find(soon(t), "r", 1, "plan")
	if !ok || err != nil || string(f.Body) != "p" || f.Address() != "r/1/plan" || f.Seq == 0 {
		t.Errorf("found %v, %v, %s %q at place %d", ok, err, f.Address(), f.Body, f.Seq)
	}
	if _, ok, err := x.Find(soon(t), "r", 2, "plan"); ok || err != nil {
		t.Errorf("the plan of another round was found: %v, %v", ok, err)
	}
}

// Files of no bytes, few, as many as a fact may have, and more come back unchanged. They belong to their run, may be kept twice, and are
// not facts: they are not read and make no run.
func files(t *testing.T, join func() cluster.Exchange) {
	x, y := join(), join()
	// three pieces, whose bytes do not repeat from piece to piece
	long := make([]byte, 2*cluster.MaxBody+17)
	for i := range long {
		long[i] = byte(i * i >> 7)
	}
	for _, content := range [][]byte{{}, []byte("task,arm\n"), long[:cluster.MaxBody], long} {
		hash, err := x.Keep(soon(t), "r", content)
		if err != nil || len(hash) != 64 {
			t.Fatalf("keeping %d bytes: %q, %v", len(content), hash, err)
		}
		if again, err := y.Keep(soon(t), "r", content); err != nil || again != hash {
			t.Errorf("kept twice: %q, %v", again, err)
		}
		got, err := y.Fetch(soon(t), "r", hash)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("of %d bytes %d came back, %v", len(content), len(got), err)
		}
		if _, err := y.Fetch(soon(t), "other", hash); !errors.Is(err, cluster.ErrNoFile) {
			t.Errorf("the file of another run: %v", err)
		}
	}
	if _, err := y.Fetch(soon(t), "r", strings.Repeat("0", 64)); !errors.Is(err, cluster.ErrNoFile) {
		t.Errorf("a file that nobody kept: %v", err)
	}
	if _, err := y.Fetch(soon(t), "r", "../x"); err == nil {
		t.Error("../x is no hash")
	}
	publish(t, x, fact("r", 0, "run", ""))
	nothingBeyond(t, y, "r", 1)
	if runs, err := y.Runs(soon(t)); err != nil || !slices.Equal(runs, []string{"r"}) {
		t.Errorf("runs %q, %v", runs, err)
	}
}

// A loop over facts may be left at once, and begun again from the first fact.
func left(t *testing.T, join func() cluster.Exchange) {
	x := join()
	for i := range 3 {
		publish(t, x, fact("r", i, "plan", ""))
	}
	seq := x.Read(soon(t), "r")
	for range 2 { // a sequence may be read twice, from the first on
		for f, err := range seq {
			if err != nil || f.Round != 0 {
				t.Errorf("round %d, %v", f.Round, err)
			}
			break
		}
	}
}

// Calls with a context that has ended do nothing, and waiting ends with the context and its error.
func contexts(t *testing.T, join func() cluster.Exchange) {
	x := join()
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := x.Publish(ended, fact("r", 1, "plan", "p")); err == nil {
		t.Error("Publish ignores the context")
	}
	for range x.Read(ended, "r") {
		t.Error("Read ignores the context")
	}
	short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	begin := time.Now()
	for range x.Read(short, "r") {
		t.Error("there was something to read")
	}
	if d := time.Since(begin); d > 20*time.Second { // far above what it takes, also on a busy machine
		t.Errorf("they waited %v beyond the context", d)
	}
}
