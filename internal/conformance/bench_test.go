package conformance

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
)

// median returns the median of durations, in milliseconds.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

// started starts a kernel for a benchmark.
func started(b *testing.B, name string) *client.Kernel {
	b.Helper()
	spec := try.Of(client.Find(name))
	k := try.Of(client.Start(context.Background(), spec, client.StartOptions{Dir: b.TempDir()}))
	b.Cleanup(func() { k.Shutdown(context.Background()) })
	return k
}

// took returns the time that a kernel needs for a cell, from the request until its reply and all
// output have arrived.
func took(b *testing.B, k *client.Kernel, code string) time.Duration {
	b.Helper()
	begin := time.Now()
	reply, err := k.Execute(context.Background(), code, client.ExecuteOptions{Timeout: time.Minute})
	if err != nil || reply.Status != "ok" {
		b.Fatalf("%s: %v %v", code, reply, err)
	}
	return time.Since(begin)
}

// BenchmarkGoCellAdded sends the same cells to GoNB itself and to this kernel in turn:
// the difference is the cost of this kernel for a cell of GoNB. GoNB is set not to run go get, as
// this kernel does for cells that need none.
func BenchmarkGoCellAdded(b *testing.B) {
	warm(b)
	needGoNB(b)
	for _, c := range []struct {
		name string
		cell func(i int) string
	}{
		{"env", func(i int) string { return fmt.Sprintf("%%env A %d", i) }},
		{"shell", func(int) string { return "!true" }},
		{"go", func(i int) string { return fmt.Sprintf("%%%%\nfmt.Println(%d)", i) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			theirs, own := started(b, plainGoNB), started(b, ourKernel)
			took(b, theirs, "%noautoget")
			// the first starts GoNB, and is linked in full
			for _, k := range []*client.Kernel{theirs, own} {
				took(b, k, c.cell(-1))
				took(b, k, c.cell(-2))
			}
			var a, z, added []time.Duration
			for i := 0; b.Loop(); i++ {
				var x, y time.Duration
				if i%2 == 0 { // neither is always the second
					x = took(b, theirs, c.cell(i))
					y = took(b, own, c.cell(i))
				} else {
					y = took(b, own, c.cell(i))
					x = took(b, theirs, c.cell(i))
				}
				a, z, added = append(a, x), append(z, y), append(added, y-x)
			}
			b.ReportMetric(median(a), "ms-GoNB")
			b.ReportMetric(median(z), "ms-here")
			b.ReportMetric(median(added), "ms-added")
			b.ReportMetric(0, "ns/op") // the sum of both says nothing
		})
	}
}

// BenchmarkCopeCell measures the round trip of a script cell that does next to nothing.
func BenchmarkCopeCell(b *testing.B) {
	installed(b)
	k := started(b, ourKernel)
	var times []time.Duration
	for b.Loop() {
		times = append(times, took(b, k, "%%cope\n6*7"))
	}
	b.ReportMetric(median(times), "ms-median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms-p99")
}

// BenchmarkKernelReady measures the time from starting a kernel until it has answered and its
// output arrives.
func BenchmarkKernelReady(b *testing.B) {
	installed(b)
	needGoNB(b)
	for _, name := range []string{ourKernel, plainGoNB} {
		b.Run(name, func(b *testing.B) {
			spec := try.Of(client.Find(name))
			var times []time.Duration
			for b.Loop() {
				begin := time.Now()
				k := try.Of(client.Start(context.Background(), spec, client.StartOptions{Dir: b.TempDir()}))
				times = append(times, time.Since(begin))
				k.Shutdown(context.Background())
			}
			b.ReportMetric(median(times), "ms-median")
		})
	}
}

// BenchmarkReport7Cells measures gonb-cope report as its user runs it, on seven cells of both
// languages with a table and a figure.
func BenchmarkReport7Cells(b *testing.B) {
	warm(b)
	for _, ending := range []string{".html", ".ipynb"} {
		b.Run(ending[1:], func(b *testing.B) {
			folder := b.TempDir()
			book(b, folder, "mixed.ipynb", mixed()...)
			var times []time.Duration
			for b.Loop() {
				times = append(times, runIn(b, folder, limit, installed(b), "report", "mixed.ipynb", "-o", "r"+ending).must(b).took)
			}
			b.ReportMetric(median(times), "ms-median")
		})
	}
}
