package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// labels distinguishes several results: by their bound names, and by the settings in which they differ. Tables use its columns,
// figures its texts.
type labels struct {
	names   []string // names of each result; nil if none is needed
	columns []Column // columns of differences besides algorithm and schedule
	cells   [][]any  // by result, one for each column
	// algorithms states that they and their schedules tell the results apart, and nothing else differs
	algorithms bool
	abridged   bool // kernels are without what they have in common

	texts []string // one line for each result
	what  string   // that the texts are of: "algorithm", "kernel", "result"
}

// attribute is something by which results may differ.
type attribute struct {
	name, title string
	of          func(engine.Result) any // a cell; nil when the result does not know it
	word        string                  // before its value in a text; "" where the value says enough
}

// attributes returns the settings in which results can differ besides algorithm and schedule, in the order of the columns. Further
// options are included if some result states them.
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

// labelsOf labels results, each so that no other has its label. Where only algorithms differ they
// are the labels.
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
	joined := func() []string { // the labels by which results differ
		return lists.Make(len(results), func(i int) string { return algorithms[i] + "\n" + strings.Join(parts[i], "\n") })
	}
	if !allDiffer(joined()) { // nothing but what makes no other experiment
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

// write makes the texts. Figures cut long ones, so that one without a name that would be cut to another's text
// has a number.
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

// boundNames returns the names that results are bound to; nil if none has one, or two have the same.
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

// lead returns the columns with which a table of the results begins, and their cells by result.
func (l labels) lead() (columns []Column, rows [][]any) {
	if l.names == nil {
		return slices.Clone(l.columns), lists.Map(l.cells, slices.Clone[[]any])
	}
	rows = lists.Make(len(l.cells), func(i int) []any { return append([]any{known(l.names[i])}, l.cells[i]...) })
	return append([]Column{text("name", "Result")}, l.columns...), rows
}

// distinct shortens the texts of kernels. Length scales that come first lose their name, as people write them. Common terms of sums
// with equally many terms, and common factors of single products, are replaced by …. It reports whether it cut anything.
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

// splitOutside splits a text at a separator outside of all brackets and quotes.
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
