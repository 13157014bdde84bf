//go:build unix

// Peerposterior forms the posterior of many arms from pulls of some, as CoBayesFC does, writes what a
// second implementation needs to do the same, and prints the CPU seconds that it took.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"syscall"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

func main() {
	arms := flag.Int("arms", 10_000, "arms of all five tasks together")
	pulled := flag.Int("pulled", 200, "arms that are pulled, three times each")
	times := flag.Int("times", 10, "how often the posterior is formed")
	out := flag.String("o", "", "CSV file of points, pulls, posterior means and deviations")
	flag.Parse()
	if err := compare(*arms, *pulled, *times, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compare(arms, pulled, times int, path string) (err error) {
	defer try.Caught(&err)
	p := try.Of(manyarms.Problem(arms))
	rng := rand.New(rand.NewPCG(1, 1))
	counts, means := make([]int, p.N()), make([]float64, p.N())
	for _, i := range rng.Perm(p.N())[:pulled] {
		counts[i], means[i] = 3, p.Mean[i]+p.Noise.Scales[i]*rng.NormFloat64()/math.Sqrt(3)
	}
	var mean, variance []float64
	var m *model.Model
	before := cpu()
	for range times {
		m = try.Of(model.New(p, 0))
		post := try.Of(model.NewPosterior(m, model.Prior{Level: engine.Level{Known: true}, Scale: 1}, counts, means))
		mean = post.Estimates(means)
		variance = try.Of(post.ArmVariances(indices.All(p.N())))
	}
	fmt.Printf("%.4f\n", (cpu()-before)/float64(times))
	f := try.Of(os.Create(path))
	w := bufio.NewWriter(f)
	for i := range mean {
		fmt.Fprintf(w, "%.17g", p.Tasks.X[0][p.TaskOf[i]])
		for _, column := range p.Arms.X {
			fmt.Fprintf(w, ",%.17g", column[i])
		}
		fmt.Fprintf(w, ",%d,%.17g,%.17g,%.17g,%.17g\n", counts[i], means[i], p.Noise.Scales[i], mean[i]*m.Unit, math.Sqrt(variance[i])*m.Unit)
	}
	try.To(w.Flush())
	return f.Close()
}

// cpu returns the CPU seconds of the process so far.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
