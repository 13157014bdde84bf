package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// labels holds the labels that tell several results apart. A label consists of the bound name, if any, and the settings in
// which the results differ. Tables use the columns, figures the texts.
type labels struct {
	names   []string // one name per result; nil if the settings suffice
	columns []Column // settings other than algorithm and schedule in which the results differ
	cells   [][]any  // for each result, one cell per column
	// whether the results differ only in algorithm and schedule
	algorithms bool
	abridged   bool // whether the text of kernels omits the parts that all kernels have

	texts []string // one label in text form per result
	what  string   // what texts contains, as a noun: "algorithm", "kernel" or "result"
}

// attribute is a setting in which results may differ.
type attribute struct {
	name, title string
	of          func(engine.Result) any // returns the cell of a result; nil if unknown
	word        string                  // noun before the value in a text; "" if the value alone is clear
}

// attributes returns the settings, other than algorithm and schedule, in which results can differ, in the order of the
// columns. It adds each further option that a result has.
func attributes(results []engine.Result) []attribute {
	all := []attribute{
		{"problem", "Problem", func(r engine.Result) any { return known(r.Problem) }, ""},
		{"kernel", "Kernel", func(r engine.Result) any { return known(r.Kernel) }, ""},
		{"noise", "Noise", func(r engine.Result) any { return known(r.Noise) }, "noise"},
		{"delta", "δ", func(r engine.Result) any { return known(r.Delta) }, "delta"},
		{"epsilon", "ε", func(r engine.Result) any { return known(r.Epsilon) }, "epsilon"},
		{"budget", "Budget", func(r engine.Result) any { return known(r.Budget) }, "budget"},
	}
	for _, r := range results {
		for _, s := range r.Stated {
			if !slices.ContainsFunc(all, func(a attribute) bool { return a.name == s.Name }) {
				all = append(all, attribute{s.Name, upper(s.Name), func(r engine.Result) any { return stated(r, s.Name) }, s.Name})
			}
		}
	}
	return all
}

func stated(r engine.Result, name string) any {
	if s, there := lists.First(r.Stated, func(s engine.Setting) bool { return s.Name == name }); there {
		return s.Value
	}
	return nil
}

// labelsOf returns labels for the results, all of them different. If the results differ only in algorithm and schedule,
// the algorithms are the labels.
func labelsOf(results []engine.Result) labels {
	var l labels
	l.cells = make([][]any, len(results))
	algorithms := lists.Map(results, func(r engine.Result) string { return scheduled(markedName(r.Algorithm), r.Schedule, "") })
	parts := make([][]string, len(results))
	add := func(a attribute) {
		values := lists.Map(results, a.of)
		if allSame(values) {
			return
		}
		if a.name == "kernel" {
			values, l.abridged = distinct(values)
		}
		column := text(a.name, a.title)
		known, _ := lists.First(values, func(v any) bool { return v != nil })
		if _, isNumber := numeric(known); isNumber {
			column.Align = Right
		}
		l.columns = append(l.columns, column)
		for i, v := range values {
			l.cells[i] = append(l.cells[i], v)
			if v != nil {
				parts[i] = append(parts[i], strings.TrimSpace(a.word+" "+cell(v, 0)))
			}
		}
	}
	for _, a := range attributes(results) {
		add(a)
	}
	joined := func() []string { // algorithm and differing settings of each result
		return lists.Make(len(results), func(i int) string { return algorithms[i] + "\n" + strings.Join(parts[i], "\n") })
	}
	if !allDiffer(joined()) { // the settings are equal, so add the number of runs and the seed
		add(attribute{"runs", "Runs", func(r engine.Result) any { return r.Asked }, "runs"})
		add(attribute{"seed", "Seed", func(r engine.Result) any { return r.Seed }, "seed"})
	}
	l.algorithms = len(l.columns) == 0 && allDiffer(algorithms)
	if l.algorithms {
		l.texts, l.what = algorithms, "algorithm"
		return l
	}
	if l.names = boundNames(results); l.names == nil && !allDiffer(joined()) && len(results) > 1 {
		l.names = lists.Make(len(results), func(i int) string { return fmt.Sprint(i + 1) })
	}
	l.write(algorithms, parts)
	return l
}

// write sets l.texts and l.what. parts has the differing settings of each result as texts. Figures cut long labels. If two
// labels would then be equal and the results have no names, write puts a number before each.
func (l *labels) write(algorithms []string, parts [][]string) {
	const cut = 34
	if !allSame(algorithms) {
		for i := range parts {
			parts[i] = append([]string{algorithms[i]}, parts[i]...)
		}
	}
	short := make([]string, len(parts))
	for i, p := range parts {
		l.texts = append(l.texts, strings.Join(p, ", "))
		short[i] = string([]rune(l.texts[i])[:min(cut, len([]rune(l.texts[i])))])
	}
	l.what = "result"
	if len(l.columns) == 1 && l.names == nil && allSame(algorithms) {
		l.what = strings.ToLower(l.columns[0].Title)
	}
	for i := range l.texts {
		name := ""
		switch {
		case l.names != nil:
			name = l.names[i]
		case !allDiffer(short):
			name = fmt.Sprint(i + 1)
		}
		l.texts[i] = strings.Trim(name+": "+l.texts[i], ": ")
	}
}

// boundNames returns the name that each result is bound to. It returns nil if no result has a name, or if two have the
// same name.
func boundNames(results []engine.Result) []string {
	names := lists.Map(results, func(r engine.Result) string { return r.Name })
	given := lists.Where(names, func(name string) bool { return name != "" })
	if len(given) == 0 || !allDiffer(given) {
		return nil
	}
	return names
}

func allSame[T comparable](values []T) bool {
	return len(values) == 0 || !slices.ContainsFunc(values, func(v T) bool { return v != values[0] })
}

func allDiffer(texts []string) bool {
	sorted := slices.Sorted(slices.Values(texts))
	return len(slices.Compact(sorted)) == len(texts)
}

// lead returns the columns that identify results in a table, and their cells in the row of each result.
func (l labels) lead() (columns []Column, rows [][]any) {
	if l.names == nil {
		return slices.Clone(l.columns), lists.Map(l.cells, slices.Clone[[]any])
	}
	rows = lists.Make(len(l.cells), func(i int) []any { return append([]any{known(l.names[i])}, l.cells[i]...) })
	return append([]Column{text("name", "Result")}, l.columns...), rows
}

// distinct shortens the texts of kernels to the parts in which they differ. It removes "lengthscale=" before the first
// argument. Equal terms of sums, or equal factors of products, become "…" if all kernels have the same number of them. cut
// reports whether a part became "…".
func distinct(kernels []any) (out []any, cut bool) {
	kernels = slices.Clone(kernels)
	for i, k := range kernels {
		if s, ok := k.(string); ok {
			kernels[i] = strings.ReplaceAll(s, "(lengthscale=", "(")
		}
	}
	if slices.Contains(kernels, any(nil)) {
		return kernels, false
	}
	for _, separator := range []string{" + ", " * "} {
		parts := lists.Map(kernels, func(k any) []string { return splitOutside(k.(string), separator) })
		if slices.ContainsFunc(parts, func(p []string) bool { return len(p) != len(parts[0]) }) {
			return kernels, false
		}
		if len(parts[0]) == 1 {
			continue
		}
		out := make([]any, len(kernels))
		for i := range kernels {
			var shortened []string
			for j, part := range parts[i] {
				if slices.ContainsFunc(parts, func(p []string) bool { return p[j] != part }) {
					shortened = append(shortened, part)
				} else if len(shortened) == 0 || shortened[len(shortened)-1] != "…" {
					shortened, cut = append(shortened, "…"), true
				}
			}
			out[i] = strings.Join(shortened, separator)
		}
		return out, cut
	}
	return kernels, false
}

// splitOutside splits a text at each separator that is not inside brackets or quotes.
func splitOutside(s, separator string) []string {
	var out []string
	depth, from, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth == 0 && strings.HasPrefix(s[i:], separator):
			out, from = append(out, s[from:i]), i+len(separator)
			i = from - 1
		}
	}
	return append(out, s[from:])
}
