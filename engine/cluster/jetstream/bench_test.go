package jetstream_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A round of V agents: each publishes 320 bytes (twenty arms) and reads the messages of all. An
// operation is the round from the first publishing to the last reading. All V are in this process. Forms are an exchange within
// the process, a server within the process, and one over loopback.
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
				x := try.Of(s.Dial(b.Context(), jetstream.DialOptions{}))
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
		for _, agents := range []int{4, 16, 64, 256, 1000} {
			if agents > 64 && os.Getenv("GONB_COPE_MANY") == "" {
				continue // up to a million deliveries a round: GONB_COPE_MANY=1
			}
			b.Run(fmt.Sprintf("%s/V=%d", f.name, agents), func(b *testing.B) { benchmarkRound(b, f.join(b), agents) })
		}
	}
}

// benchmarkRound measures rounds of agents that each join once. A round begins for all of them at once, by their channels, and
// ends when each has read what all have said.
func benchmarkRound(b *testing.B, join func() cluster.Facts, agents int) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	start := make([]chan int, agents)         // rounds begin by it, one channel for each agent
	received := make([]func() uint64, agents) // bytes that came to each agent so far
	all := make(chan struct{}, agents)        // one for each agent that has read all of a round
	body := make([]byte, 320)
	var wg sync.WaitGroup
	for v := range agents {
		x := join()
		if e, ok := x.(*jetstream.Exchange); ok {
			received[v] = func() uint64 { _, _, _, n := e.Traffic(); return n }
		} else {
			received[v] = func() uint64 { return 0 }
		}
		start[v] = make(chan int)
		read := make(chan struct{}, 64*agents) // facts that came, of this round and of early ones of the next
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
	// one makes a round and notes how long it took
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
	// consumers are made with the first rounds, which do not count
	for range 5 { // readers are made
		one()
		if agents > 64 {
			break
		}
	}
	took = took[:0]
	// what came and was computed before the rounds that count
	bytes := sum(received)
	before := processorTime(b)
	for b.Loop() {
		one()
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(len(took)), "cpu-µs/op")
	for _, c := range start {
		close(c)
	}
	// the readers end with their context
	stop()
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/median")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs/p99")
	b.ReportMetric(float64(agents*agents), "deliveries/op")
	if all := sum(received); all > 0 {
		b.ReportMetric(float64(all-bytes)/1e6/float64(len(took)), "received-MB/op")
	}
	b.ReportMetric(float64(resident(b))/(1<<20), "peak-MiB")
}

// sum adds what functions return. The functions count the bytes of each agent.
func sum(all []func() uint64) (n uint64) {
	for _, f := range all {
		n += f()
	}
	return n
}

// processorTime returns what this process took of all processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	try.To(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident returns the most memory that this process had so far, in bytes. It is the peak, and not what the process has now.
func resident(b *testing.B) int64 {
	var u syscall.Rusage
	try.To(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Maxrss << 10 // Linux counts in KiB
}

// A round of V agents through a relay: each publishes 320 bytes, one of them reads all and publishes them
// together, and each reads that. An operation is the round from the first publishing to the last reading.
func BenchmarkRelay(b *testing.B) {
	for _, agents := range []int{64, 256, 1000} {
		if agents > 64 && os.Getenv("GONB_COPE_MANY") == "" {
			continue
		}
		b.Run(fmt.Sprintf("embedded/V=%d", agents), func(b *testing.B) { benchmarkRelay(b, agents) })
	}
}

// benchmarkRelay measures rounds of agents that read plans alone. Agent 1 reads everything, and publishes a plan of all messages
// when the last one of a round has come.
func benchmarkRelay(b *testing.B, agents int) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	s := serve(b, b.TempDir(), jetstream.ServeOptions{Listen: jetstream.Nowhere})
	start := make([]chan int, agents)
	received := make([]func() uint64, agents)
	all := make(chan struct{}, agents)
	body := make([]byte, 320)
	var wg sync.WaitGroup
	for v := range agents {
		x := try.Of(s.Dial(b.Context(), jetstream.DialOptions{}))
		b.Cleanup(func() { x.Close() })
		start[v] = make(chan int)
		received[v] = func() uint64 { _, _, _, n := x.Traffic(); return n }
		plans := make(chan struct{}, 64) // plans that came
		wg.Go(func() {
			facts := x.Read(ctx, "r", "plan")
			if v == 0 {
				facts = x.Read(ctx, "r")
			}
			heard := 0
			for f, err := range facts {
				switch {
				case err != nil:
					b.Error(err)
					return
				case f.Name == "plan":
					plans <- struct{}{}
				default:
					// the last message of a round: as many bytes as all messages together
					if heard++; heard%agents == 0 {
						if err := x.Publish(ctx, cluster.Fact{Run: "r", Round: f.Round + 1, Name: "plan", Body: make([]byte, 320*agents)}); err != nil {
							b.Error(err)
						}
					}
				}
			}
		})
		wg.Go(func() {
			for round := range start[v] {
				if err := x.Publish(ctx, cluster.Fact{Run: "r", Round: round, Name: fmt.Sprintf("agent-%d", v+1), Body: body}); err != nil {
					b.Error(err)
				}
				<-plans
				all <- struct{}{}
			}
		})
	}
	took := []time.Duration{}
	one := func(round int) {
		begin := time.Now()
		for _, c := range start {
			c <- round
		}
		for range agents {
			<-all
		}
		took = append(took, time.Since(begin))
	}
	one(0) // readers are made
	took = took[:0]
	bytes, before := sum(received), processorTime(b)
	for round := 1; b.Loop(); round++ {
		one(round)
	}
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(len(took)), "cpu-µs/op")
	b.ReportMetric(float64(sum(received)-bytes)/1e6/float64(len(took)), "received-MB/op")
	for _, c := range start {
		close(c)
	}
	stop()
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/median")
	// each message to the relay, and each plan to everybody
	b.ReportMetric(float64(2*agents), "deliveries/op")
	b.ReportMetric(float64(resident(b))/(1<<20), "peak-MiB")
}
