//go:build unix

package main

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// operation is a script whose cost is measured at growing numbers of arms.
type operation struct {
	name  string
	last  string // the line of the script after that of the problem
	sizes []int  // numbers of arms
	// CPU seconds that it may take at some sizes, and bytes of memory
	seconds map[int]float64
	memory  map[int]float64
}

const gib = 1 << 30

// operations lists what is measured, with its budgets.
func operations() []operation {
	all := []int{1000, 3000, 10_000, 30_000, 100_000}
	fc := func(algorithm, options string) string {
		return fmt.Sprintf("r = fc(p, delta=0.05, epsilon=0.1, algorithm=%q, runs=1, seed=1%s)\nr", algorithm, options)
	}
	norm := fmt.Sprintf(", norm=%.4g", manyarms.Norm/manyarms.Noise) // in units of the noise
	return []operation{
		{name: "read, check and show the problem", last: "p", sizes: all,
			seconds: map[int]float64{100_000: 1}},
		{name: "`spectrum`, ξ = 1e-3", last: "spectrum(p, xi=0.001)", sizes: all,
			seconds: map[int]float64{1000: 0.3, 10_000: 1.5, 100_000: 15}, memory: map[int]float64{100_000: 2 * gib}},
		{name: "`bounds`, ξ = 1e-3", last: "bounds(p, xi=0.001, delta=0.05)", sizes: all,
			seconds: map[int]float64{1000: 1.5, 10_000: 8, 100_000: 90}},
		{name: "`fc` CoTestFC, norm known", last: fc("CoTestFC", norm), sizes: all,
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 30}, memory: map[int]float64{10_000: gib / 2, 100_000: 2 * gib}},
		{name: "`fc` CoBayesFC", last: fc("CoBayesFC", ""), sizes: all,
			seconds: map[int]float64{1000: 0.5, 10_000: 2, 100_000: 20}},
		{name: "`fc` CoKernelFC, tuned", last: fc("CoKernelFC", ", xi=0.01"+norm), sizes: all,
			seconds: map[int]float64{1000: 2, 10_000: 12, 100_000: 120}},
		{name: "`fb` CoTestFB, the default, 500 pulls a task", last: "r = fb(p, budget=500, runs=1, seed=1)\nr", sizes: all,
			seconds: map[int]float64{1000: 1, 10_000: 4, 100_000: 40}},
		{name: "`fc` CoTestFC, norm known, to JSON and a table of all arms",
			last: fc("CoTestFC", norm) + "\nsave(r, \"r.json\")\nsave(explain(r), \"r.csv\")", sizes: all},
		{name: "`fit`, 2,000 measurements, two length scales", last: "fit(p, kernel=task(rbf(free(1))) * arm(rbf(free(1))))", sizes: []int{2000},
			seconds: map[int]float64{2000: 10}},
	}
}

// script returns the script for a table.
func (o operation) script(table string) string {
	return fmt.Sprintf("p = problem(%q, kernel=%s, noise=%g)\n%s\n", table, manyarms.Kernel, manyarms.Noise, o.last)
}
