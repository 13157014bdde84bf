//go:build unix

package attack

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
)

// figure is a column of the table: a way to be wrong.
type figure int

const (
	lost     figure = iota // an act that was acknowledged is not recorded, or a recorded one is gone
	doubled                // one act, pull or id is there twice
	half                   // a part of a sheet, list or report
	unproven               // verify refuses what is as recorded, or passes what is not
	untrue                 // what is shown is false
	maligned               // words call a healthy folder damaged
	other                  // a crash, a hang, an end without words, a request that was obeyed
	figures
)

var heads = [figures]string{"lost", "doubled", "half", "verify wrong", "shown false", "called damaged", "crashed, obeyed"}

// finding is one fault.
type finding struct {
	figure figure
	text   string
}

// series is a row of the table.
type series struct {
	name    string
	skipped string // why it was not made; "" if it was

	mu    sync.Mutex
	tries int
	count [figures]int
}

func newSeries(name string) *series { return &series{name: name} }

// add counts tries and what they found, and prints each fault.
func (s *series) add(tries int, what string, found ...finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries += tries
	for _, f := range found {
		s.count[f.figure]++
		fmt.Fprintf(os.Stderr, "%s, try %d: %s: %s: %s\n", s.name, s.tries, heads[f.figure], what, f.text)
	}
}

// tableOf returns the table, and reports whether every series was made and every figure is 0.
func tableOf(all []*series) (table string, healthy bool) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "tries\t%s\t \t\n", strings.Join(heads[:], "\t"))
	healthy = true
	for _, s := range all {
		if s.skipped != "" {
			fmt.Fprintf(w, "SKIPPED%s\t  %s: %s\n", strings.Repeat("\t", int(figures)), s.name, s.skipped)
			healthy = false
			continue
		}
		fmt.Fprintf(w, "%d\t", s.tries)
		for _, n := range s.count {
			fmt.Fprintf(w, "%d\t", n)
			healthy = healthy && n == 0
		}
		fmt.Fprintf(w, "  %s\n", s.name)
		healthy = healthy && s.tries > 0
	}
	w.Flush()
	return b.String(), healthy
}
