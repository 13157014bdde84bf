package cores

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type key struct{}

// Within returns a context in which Do uses at most n cores (at least one).
func Within(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, key{}, max(1, n))
}

// Of returns the number of cores that a context allows. The default is all cores.
func Of(ctx context.Context) int {
	if n, stated := ctx.Value(key{}).(int); stated {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Share returns a context for each of several simultaneous computations. Each gets an equal part of the cores of ctx.
func Share(ctx context.Context, computations int) context.Context {
	return Within(ctx, Of(ctx)/max(1, computations))
}

// Do calls do for the blocks [0, size), [size, 2·size), … of the indices 0 to n-1, on as many cores as the context allows.
// It returns when all calls have returned. Blocks must be independent. When the context ends, no further block begins, and
// Do returns the context's error. A panic in do is repeated in the caller.
func Do(ctx context.Context, n, size int, do func(from, to int)) error {
	blocks := (n + size - 1) / size
	if workers := min(Of(ctx), blocks); workers > 1 {
		return together(ctx, n, size, workers, do)
	}
	for from := 0; from < n; from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(from, min(from+size, n))
	}
	return ctx.Err()
}

// together is Do on the given number of goroutines, one of which is the caller's.
func together(ctx context.Context, n, size, workers int, do func(from, to int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var once sync.Once
	var cause any
	work := func() {
		defer func() {
			if r := recover(); r != nil {
				once.Do(func() { cause = r })
				next.Store(int64(n)) // no more blocks begin
			}
		}()
		for ctx.Err() == nil {
			from := int(next.Add(int64(size))) - size
			if from >= n {
				return
			}
			do(from, min(from+size, n))
		}
	}
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if cause != nil {
		panic(cause)
	}
	return ctx.Err()
}
