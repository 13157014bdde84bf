package canon

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// numbered returns a key of a value that a test makes.
func numbered(n int) Key { return Key{Kind: KindOmega, Pulls: n} }

func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	large := make([]float64, memoryLimit/4) // one array represents all
	computed := 0
	ask := func(n int) {
		t.Helper()
		got, err := Remember(context.Background(), &m, numbered(n), func() ([]float64, error) {
			computed++
			return large[:len(large)-n], nil
		})
		if err != nil || len(got) != len(large)-n {
			t.Fatalf("asked for %d, got %d numbers, %v", n, len(got), err)
		}
	}
	for n := range 50 {
		ask(n)
		ask(0) // in use all the time
		held := 0
		for _, generation := range []map[string]entry{m.young, m.old} {
			for _, e := range generation {
				held += e.floats
			}
		}
		if held > 2*memoryLimit {
			t.Fatalf("%d numbers held, more than %d", held, 2*memoryLimit)
		}
	}
	if computed != 50 {
		t.Errorf("computed %d times; 50 different things, one of them in use all the time", computed)
	}
	ask(1)
	if computed != 51 {
		t.Error("what was not used for long is still held")
	}
}

func TestMemoryKeepsNoFailure(t *testing.T) {
	var m Memory
	failed := errors.New("ended")
	if _, err := Remember(t.Context(), &m, numbered(1), func() (float64, error) { return 0, failed }); err != failed {
		t.Fatalf("got %v", err)
	}
	if got, err := Remember(t.Context(), &m, numbered(1), func() (float64, error) { return 1, nil }); err != nil || got != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
}

// Concurrent workers wait for the one that computes and get its value or its error.
func TestMemoryComputesOnce(t *testing.T) {
	failed := errors.New("no such design")
	for _, want := range []error{nil, failed} {
		synctest.Test(t, func(t *testing.T) {
			var m Memory
			computed, release := 0, make(chan struct{})
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					got, err := Remember(t.Context(), &m, numbered(1), func() (float64, error) {
						computed++
						<-release
						return 3, want
					})
					if err != want || err == nil && got != 3 {
						t.Errorf("got %g, %v; want 3, %v", got, err, want)
					}
				})
			}
			synctest.Wait() // all of them have asked
			close(release)
			wg.Wait()
			if computed != 1 {
				t.Errorf("computed %d times for 16 workers", computed)
			}
			if len(m.pending) != 0 {
				t.Errorf("%d computations are left under way", len(m.pending))
			}
		})
	}
}

// A worker whose own context ends stops waiting; the others are not affected.
func TestMemoryWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Memory
		release := make(chan struct{})
		ask := func(ctx context.Context) (float64, error) {
			return Remember(ctx, &m, numbered(1), func() (float64, error) { <-release; return 3, nil })
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if got, err := ask(t.Context()); err != nil || got != 3 {
				t.Errorf("the one that computes got %g, %v", got, err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		var impatient sync.WaitGroup
		impatient.Go(func() {
			if _, err := ask(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("the one that waits got %v", err)
			}
		})
		synctest.Wait()
		cancel()
		impatient.Wait() // while the computation goes on
		close(release)
		wg.Wait()
	})
}

// If the computing worker is interrupted or panics, another one computes.
func TestMemorySurvivesWhoComputes(t *testing.T) {
	for name, end := range map[string]func() (float64, error){
		"cancelled":   func() (float64, error) { return 0, context.Canceled },
		"out of time": func() (float64, error) { return 0, context.DeadlineExceeded },
		"panic":       func() (float64, error) { panic("a defect") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var m Memory
			release := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { _ = recover() }()
				if _, err := Remember(t.Context(), &m, numbered(1), func() (float64, error) { <-release; return end() }); err == nil {
					t.Errorf("%s: no error for the one that was interrupted", name)
				}
			})
			synctest.Wait()
			computed := 0
			for range 15 {
				wg.Go(func() {
					got, err := Remember(t.Context(), &m, numbered(1), func() (float64, error) { computed++; return 3, nil })
					if err != nil || got != 3 {
						t.Errorf("%s: got %g, %v; want 3", name, got, err)
					}
				})
			}
			synctest.Wait()
			close(release)
			wg.Wait()
			if computed != 1 {
				t.Errorf("%s: computed %d times for the 15 that waited", name, computed)
			}
		})
	}
}

// Keys that differ in any field have different bytes.
func TestKeysDiffer(t *testing.T) {
	seen := map[string]int{}
	for i, k := range []Key{
		{}, {Kind: KindDesign}, {From: KindDesign}, {Of: "a"}, {Of: "ab"}, {Ridge: 1}, {Level: 1}, {Pulls: 1},
		{Sets: [][]int{{}}}, {Sets: [][]int{{1}}}, {Sets: [][]int{{1, 2}}}, {Sets: [][]int{{1}, {2}}}, {Sets: [][]int{{2}, {1}}},
	} {
		if j, twice := seen[string(k.encode(nil))]; twice {
			t.Errorf("keys %d and %d have the same bytes", j, i)
		}
		seen[string(k.encode(nil))] = i
	}
}
