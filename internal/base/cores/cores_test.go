package cores

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func TestDoCoversEveryIndexOnce(t *testing.T) {
	for _, cores := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 5, 64, 1000, 1001} {
			seen := make([]atomic.Int32, n)
			try.To(Do(Within(context.Background(), cores), n, 10, func(from, to int) {
				if from%10 != 0 || to-from > 10 || to <= from {
					t.Errorf("block %d to %d", from, to)
				}
				for i := from; i < to; i++ {
					seen[i].Add(1)
				}
			}))
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Fatalf("%d cores, n = %d: %d was worked on %d times", cores, n, i, seen[i].Load())
				}
			}
		}
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	for _, cores := range []int{1, 2} {
		ctx, cancel := context.WithCancel(Within(context.Background(), cores))
		var blocks atomic.Int32
		err := Do(ctx, 1000, 1, func(int, int) {
			blocks.Add(1)
			cancel()
		})
		if !errors.Is(err, context.Canceled) || int(blocks.Load()) > cores {
			t.Errorf("%d cores: error %v after %d blocks", cores, err, blocks.Load())
		}
	}
}

func TestDoPassesPanicsOn(t *testing.T) {
	for _, cores := range []int{1, 3} {
		func() {
			defer func() {
				if r := recover(); r != "at 70" {
					t.Errorf("%d cores: recovered %v", cores, r)
				}
			}()
			_ = Do(Within(context.Background(), cores), 100, 10, func(from, _ int) {
				if from == 70 {
					panic("at 70")
				}
			})
			t.Errorf("%d cores: returned", cores)
		}()
	}
}

func TestShare(t *testing.T) {
	ctx := Within(context.Background(), 8)
	for computations, want := range map[int]int{0: 8, 1: 8, 2: 4, 3: 2, 8: 1, 100: 1} {
		if got := Of(Share(ctx, computations)); got != want {
			t.Errorf("%d computations on 8 cores: %d each, want %d", computations, got, want)
		}
	}
}
