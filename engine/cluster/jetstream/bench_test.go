package jetstream_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// A round of V agents: each publishes 320 bytes (twenty arms) and reads the messages of all. An
// operation is the round from the first publishing to the last reading. All V are in this process.
func BenchmarkRound(b *testing.B) {
	forms := []struct {
		name string
		join func(*testing.B) func() cluster.Facts
	}{
		{"memory", func(*testing.B) func() cluster.Facts {
			m := cluster.NewMemory()
			return func() cluster.Facts { return m }
		}},
		{"embedded", func(b *testing.B) func() cluster.Facts {
			s := serve(b, b.TempDir(), jetstream.ServeOptions{Listen: jetstream.Nowhere})
			return func() cluster.Facts {
				x, err := s.Dial(b.Context(), jetstream.DialOptions{})
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { x.Close() })
				return x
			}
		}},
		{"loopback", func(b *testing.B) func() cluster.Facts {
			s := serve(b, b.TempDir(), jetstream.ServeOptions{})
			return func() cluster.Facts { return join(b, s.URL(), "") }
		}},
	}
	for _, f := range forms {
		for _, agents := range []int{4, 16, 64} {
			b.Run(fmt.Sprintf("%s/V=%d", f.name, agents), func(b *testing.B) { benchmarkRound(b, f.join(b), agents) })
		}
	}
}

func benchmarkRound(b *testing.B, join func() cluster.Facts, agents int) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	start := make([]chan int, agents)
	all := make(chan struct{}, agents)
	body := make([]byte, 320)
	var wg sync.WaitGroup
	for v := range agents {
		x := join()
		start[v] = make(chan int)
		read := make(chan struct{}, 64*agents)
		wg.Go(func() {
			for _, err := range x.Read(ctx, "r") {
				if err != nil {
					b.Error(err)
					return
				}
				read <- struct{}{}
			}
		})
		wg.Go(func() {
			for round := range start[v] {
				if err := x.Publish(ctx, cluster.Fact{Run: "r", Round: round, Name: fmt.Sprintf("agent-%d", v+1), Body: body}); err != nil {
					b.Error(err)
				}
				for range agents {
					<-read
				}
				all <- struct{}{}
			}
		})
	}
	took := []time.Duration{}
	round := 0
	one := func() {
		begin := time.Now()
		for _, c := range start {
			c <- round
		}
		for range agents {
			<-all
		}
		took = append(took, time.Since(begin))
		round++
	}
	for range 5 { // readers are made
		one()
	}
	took = took[:0]
	before := processorTime(b)
	for b.Loop() {
		one()
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(len(took)), "cpu-µs/op")
	for _, c := range start {
		close(c)
	}
	stop()
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/median")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs/p99")
	b.ReportMetric(float64(agents*agents), "deliveries/op")
}

// processorTime returns what this process took of all processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWork offers, takes and finishes one piece of work, which is what a chunk of a sweep costs.
func BenchmarkWork(b *testing.B) {
	s := serve(b, b.TempDir(), jetstream.ServeOptions{})
	x := join(b, s.URL(), "")
	i := 0
	for b.Loop() {
		i++
		if err := x.Offer(b.Context(), "r", cluster.Work{ID: fmt.Sprint("c-", i), Body: make([]byte, 500)}); err != nil {
			b.Fatal(err)
		}
		w, err := x.Take(b.Context(), "r")
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Done(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
