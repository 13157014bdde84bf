//go:build unix

package main

import (
	"hash/fnv"
	"slices"
)

// What is the truth of a table.
const (
	truthKnown     = "known"     // a generator made it, another one in every run
	truthResampled = "resampled" // the means of at least fewest replicates in every cell, which are resampled
	truthDrawn     = "drawn"     // a draw from a posterior in every run, of an exponential kernel that no method has
	truthCounts    = "counts"    // the shares of many outcomes of 0 and 1
)

// fewest is the least number of replicates of every cell of a table that is resampled.
const fewest = 5

// table is one table of the zoo.
type table struct {
	name  string
	about string // in one line
	from  string // where its numbers are from
	truth string
	make  func(run int) (*world, error)
}

// world returns the table as a run meets it: the same for every method.
func (t table) world(run int) (*world, error) {
	w, err := t.make(run)
	if err != nil {
		return nil, err
	}
	w.seed = seedOf(t.name, run)
	return w, nil
}

// seen lists the tables, besides seenGenerators, on which somebody had seen how methods do before the zoo
// was made. They are for tuning.
var seen = []string{"coupling", "coupling by additive", "stroke", "suzuki", "suzuki by base"}

// held reports whether a table is not for tuning: two thirds of the tables that nobody had seen, by a hash of the name. The
// rule was written before the first run. Nobody may look at their numbers to choose between methods; they are there to be
// reported.
func (t table) held() bool {
	if slices.Contains(seen, t.name) || slices.ContainsFunc(seenGenerators, func(g generator) bool { return g.name == t.name }) {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(t.name))
	return h.Sum32()%3 != 0
}

// tables returns the tables that can be had: the repository's, the generators, and the packages' that the
// cache has; and the names of tables that are left out.
func tables(root, cache string) (out []table, missing []string) {
	out = repositoryTables(root)
	for _, g := range slices.Concat(seenGenerators, newGenerators) {
		out = append(out, table{g.name, g.about, "generator", truthKnown, func(run int) (*world, error) {
			return g.make(source(seedOf("table "+g.name, run))), nil
		}})
	}
	more, missing := packageTables(cache)
	return append(out, more...), missing
}
