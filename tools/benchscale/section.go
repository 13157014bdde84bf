//go:build unix

package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// row is an operation with its measured cost.
type row struct {
	operation
	cells []cell
}

// section returns a table in Markdown for arms, tasks and options: a row for each operation, a column for each size, the
// growth between them, and below it what failed.
func section(rows []row, limit time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CPU seconds of the whole command (user and system, loading and report included) and largest resident "+
		"memory, one run each, %s/%s with %s, %s. In brackets the budget; * is above it. Growth is the exponent of a power of the "+
		"size, fitted to the row's seconds and, behind the stroke, to its memory. A command is ended after %s, and "+
		"larger sizes are left out.\n",
		runtime.GOOS, runtime.GOARCH, sentence.Count(runtime.NumCPU(), "processor"), runtime.Version(), limit)
	for _, unit := range []string{"arms", "tasks", "options"} {
		of := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.unit != unit })
		writeTableOf(&b, unit, of)
	}
	return b.String()
}

func writeTableOf(b *strings.Builder, unit string, rows []row) {
	if len(rows) == 0 {
		return
	}
	var sizes []int
	for _, r := range rows {
		for _, c := range r.cells {
			sizes = append(sizes, c.size)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	b.WriteString("\n| operation |")
	for _, n := range sizes {
		fmt.Fprintf(b, " %s %s |", thousands(n), unit)
	}
	b.WriteString(" growth |\n|---|" + strings.Repeat("---|", len(sizes)+1) + "\n")
	var troubles []string
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |", r.name)
		for _, n := range sizes {
			text := ""
			for _, c := range r.cells {
				if c.size == n {
					text = r.text(c)
				}
				if c.size == n && c.trouble != "" {
					troubles = append(troubles, fmt.Sprintf("%s, %s %s: %s", r.name, thousands(n), unit, c.trouble))
				}
			}
			fmt.Fprintf(b, " %s |", text)
		}
		fmt.Fprintf(b, " %s |\n", r.growth())
	}
	for _, t := range troubles {
		fmt.Fprintf(b, "\n%s\n", t)
	}
}

func (r row) text(c cell) string {
	if c.trouble != "" {
		return "refused"
	}
	s := fmt.Sprintf("%s s, %s", figures(c.seconds), size(c.memory))
	if c.over {
		s = "over " + figures(c.seconds) + " s"
	}
	var budget []string
	exceeded := false
	if want := r.seconds[c.size]; want > 0 {
		budget, exceeded = append(budget, figures(want)+" s"), c.seconds > want
	}
	if want := r.memory[c.size]; want > 0 {
		budget, exceeded = append(budget, size(want)), exceeded || c.memory > want
	}
	if len(budget) > 0 {
		if exceeded {
			s += " *"
		}
		s += " (" + strings.Join(budget, ", ") + ")"
	}
	return s
}

// growth returns the exponents of the seconds and of the memory.
func (r row) growth() string {
	var arms, seconds, memory []float64
	for _, c := range r.cells {
		if !c.failed() {
			arms, seconds, memory = append(arms, float64(c.size)), append(seconds, c.seconds), append(memory, c.memory)
		}
	}
	if len(arms) < 3 {
		return ""
	}
	return fmt.Sprintf("%.2f / %.2f", exponent(arms, seconds), exponent(arms, memory))
}

// exponent returns the slope of log y against log x by least squares.
func exponent(x, y []float64) float64 {
	_, slope := stat.LinearRegression(lists.Map(x, math.Log), lists.Map(y, math.Log), nil, false)
	return slope
}

// figures returns a number of seconds in two digits or more.
func figures(s float64) string {
	if s >= 10 {
		return fmt.Sprintf("%.0f", s)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2g", s), ".0")
}

func size(n float64) string {
	if n >= gib/2 {
		return fmt.Sprintf("%.2g GiB", n/gib)
	}
	return fmt.Sprintf("%.0f MiB", n/(1<<20))
}

// thousands writes a number as 10,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
