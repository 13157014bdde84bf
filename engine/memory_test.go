package engine

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/design"
)

func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	large := make([]float64, memoryLimit/4) // one array stands for all
	computed := 0
	ask := func(k int) {
		t.Helper()
		st, err := m.remember(strconv.Itoa(k), func() (*stage, error) {
			computed++
			return &stage{design: design.Design{Value: float64(k), Weights: large}}, nil
		})
		if err != nil || st.design.Value != float64(k) {
			t.Fatalf("asked for %d, got %v, %v", k, st, err)
		}
	}
	for k := range 50 {
		ask(k)
		ask(0) // in use all the time
		held := 0
		for _, generation := range []map[string]*stage{m.young, m.old} {
			for range generation {
				held += len(large)
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
	if _, err := m.remember("k", func() (*stage, error) { return nil, failed }); err != failed {
		t.Fatalf("got %v", err)
	}
	if st, err := m.remember("k", func() (*stage, error) { return &stage{design: design.Design{Value: 1}}, nil }); err != nil || st.design.Value != 1 {
		t.Fatalf("got %v, %v", st, err)
	}
}

// Models with other rewards, budgets or orders of work may use a memory at once
// (the race detector watches) and nothing that follows from rewards is mixed up.
func TestMemoryIsShared(t *testing.T) {
	memory := new(Memory)
	var wg sync.WaitGroup
	for _, gap := range []float64{0.1, 0.2, 0.4} {
		for number := 1; number <= 3; number++ {
			wg.Go(func() {
				p, err := PaperCase(number, gap)
				if err != nil {
					t.Error(err)
					return
				}
				shared, err := NewModel(p, 0)
				if err != nil {
					t.Error(err)
					return
				}
				shared.Share(memory)
				alone, _ := NewModel(p, 0)
				for _, ridge := range []float64{0, 1e-9} {
					a, errA := shared.Hardness(ridge, 0)
					b, errB := alone.Hardness(ridge, 0)
					c, errC := shared.Design(ridge, p.Groups())
					d, errD := alone.Design(ridge, p.Groups())
					if err := errors.Join(errA, errB, errC, errD); err != nil || a.Value != b.Value || c.Value != d.Value {
						t.Errorf("case %d, gap %g: rho* %v and %v, rho %v and %v, %v", number, gap, a.Value, b.Value, c.Value, d.Value, err)
					}
				}
			})
		}
	}
	wg.Wait()
}

// Allocations of the same sets to the same number of pulls are told apart in the memory.
func TestMemoryTellsAllocationsApart(t *testing.T) {
	p := small(t, independent, []float64{0, 1, 2})
	m, err := NewModel(p.Only(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	ways := []allocation{shared(), separate(), {"G-optimal", (*Model).armDesign}, narrowest()}
	for range 2 { // cold, then warm
		for _, a := range ways {
			st, _, err := m.exactly(a, 0, m.Problem.Groups(), 600)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := a.choose(m, 0, m.Problem.Groups()); err != nil || d.Value != st.design.Value {
				t.Errorf("%s: the stage has a design worth %g, its own is worth %g (%v)", a.name, st.design.Value, d.Value, err)
			}
		}
	}
	names := map[string]bool{}
	for _, a := range ways {
		if names[a.name] {
			t.Errorf("two allocations are called %s", a.name)
		}
		names[a.name] = true
	}
}
