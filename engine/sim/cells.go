package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// The swept names that are no condition of an experiment.
const (
	nameAlgorithm = "algorithm" // what is compared
	nameSeed      = "seed"      // repetitions
)

// table is a sweep by its conditions: the finished cells of each combination of the
// swept names besides algorithm and seed.
type table struct {
	names      []string
	algorithms []string // all there are, by first appearance
	groups     []*group // by first appearance
}

// group is the results of one combination, by algorithm: one for each seed.
type group struct {
	values  []any
	results map[string][]engine.Result
}

// table groups the rows of a sweep over algorithms.
func (s Sweep) table() (*table, error) {
	if !slices.Contains(s.Names, nameAlgorithm) {
		return nil, fmt.Errorf("algorithms are compared over a sweep of the name %q; this one sweeps %s", nameAlgorithm, listed(s.Names))
	}
	t := &table{}
	var kept []int
	for k, name := range s.Names {
		if name != nameAlgorithm && name != nameSeed {
			t.names, kept = append(t.names, name), append(kept, k)
		}
	}
	index := map[string]*group{}
	for _, row := range s.Rows {
		if row.Result.Runs == 0 {
			continue // interrupted before its first run was finished
		}
		var values []any
		for _, k := range kept {
			values = append(values, row.Values[k])
		}
		key := fmt.Sprintf("%q", texts(values))
		g := index[key]
		if g == nil {
			g = &group{values, map[string][]engine.Result{}}
			index[key] = g
			t.groups = append(t.groups, g)
		}
		name := row.Result.Algorithm
		g.results[name] = append(g.results[name], row.Result)
		if !slices.Contains(t.algorithms, name) {
			t.algorithms = append(t.algorithms, name)
		}
	}
	if len(t.groups) == 0 {
		return nil, fmt.Errorf("the sweep has no finished run")
	}
	return t, nil
}

// needs returns an error when the algorithm is nowhere in the table.
func (t *table) needs(algorithm string) error {
	if slices.Contains(t.algorithms, algorithm) {
		return nil
	}
	return fmt.Errorf("the sweep has no runs of %s; it has %s", algorithm, listed(t.algorithms))
}

// missing returns the error for an algorithm without runs in one combination.
func (g *group) missing(names []string, algorithm string) error {
	return fmt.Errorf("the sweep has no finished runs of %s at %s", algorithm, place(names, g.values))
}

// place names a combination: "case 2, gap 0.4".
func place(names []string, values []any) string {
	if len(names) == 0 {
		return "its only cell"
	}
	var parts []string
	for k, name := range names {
		parts = append(parts, fmt.Sprintf("%s %v", name, values[k]))
	}
	return strings.Join(parts, ", ")
}

// texts returns the values as written; numbers of different types are equal when they read the
// same.
func texts(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(out, ", ")
}
