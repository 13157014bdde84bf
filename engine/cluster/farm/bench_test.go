package farm_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// processor returns the processor time of this process so far, seconds.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// A sweep of 48 combinations and 4,800 runs as a script makes it: here, by workers in memory, and by
// workers over an embedded server, on the same cores.
func BenchmarkSweep(b *testing.B) {
	const text = `r = fc(paper(case=2, gap=0.3), delta=0.1, runs=100)
sweep(r, case=1..3, gap=[0.3, 0.4, 0.5, 0.6], algorithm=["CoKernelFC", "CoTestFC", "IndKernelFC", "CoBayesFC"])`
	const runs = 4900 // with the runs of r
	// measure evaluates the script again and again, and reports the processor time of all parties, since they are in this process
	measure := func(b *testing.B, opt dsl.Options) {
		before := processor(b)
		for b.Loop() {
			if _, _, err := evaluate(b, context.Background(), text, opt); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((processor(b)-before)/float64(b.N), "cpu-s/op")
		b.ReportMetric(float64(runs)*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	}
	// away has the runs made by a worker; mine and theirs may be one exchange
	away := func(b *testing.B, mine, theirs cluster.Exchange, slots int) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := work(ctx, &farm.Worker{Exchange: theirs, Name: "a", Slots: slots})
		measure(b, dsl.Options{Runner: runner(mine)})
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
	b.Run("here", func(b *testing.B) { measure(b, dsl.Options{}) })
	for _, slots := range []int{1, 2} {
		b.Run(fmt.Sprintf("memory/slots=%d", slots), func(b *testing.B) {
			ex := cluster.NewMemory()
			away(b, ex, ex, slots)
		})
		b.Run(fmt.Sprintf("server/slots=%d", slots), func(b *testing.B) {
			ctx := context.Background()
			s, err := jetstream.Serve(ctx, b.TempDir(), jetstream.ServeOptions{Listen: "127.0.0.1:0"})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			mine, err := jetstream.Dial(ctx, s.URL(), jetstream.DialOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer mine.Close()
			theirs, err := jetstream.Dial(ctx, s.URL(), jetstream.DialOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer theirs.Close()
			away(b, mine, theirs, slots)
		})
	}
}
