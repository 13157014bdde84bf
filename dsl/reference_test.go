package dsl

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// reference returns the lists of docs/reference/language.md and docs/reference/functions.md that come from the catalogues, by
// the name of their place in the text: functions, formula functions, algorithms and limits. They are Markdown.
func reference() map[string]string {
	return map[string]string{
		"functions": functionText(), "formulas": formulaTable(), "algorithms": algorithmTable(), "limits": limitTable(),
	}
}

// brief says what a parameter accepts in the fewest signs, for the reference: nothing where its name, its
// default or its description say it.
func (p Param) brief() string {
	var parts []string
	for _, t := range p.Types {
		switch {
		case t == Text && len(p.Choices) > manyChoices:
			parts = append(parts, "an algorithm")
		case t == Text && len(p.Choices) > 0:
			for _, choice := range p.Choices {
				if quoted := fmt.Sprintf("%q", choice); !strings.Contains(p.Doc, quoted) {
					parts = append(parts, quoted)
				}
			}
		case t == Number && p.Whole && !p.IsSwitch():
			parts = append(parts, "whole number"+p.limits())
		case t == Number && !p.IsSwitch():
			parts = append(parts, "number"+p.limits())
		case t == List || t == Free || t == Kernel || t == Joint || len(p.Types) > 1:
			parts = append(parts, string(t))
		}
	}
	if len(parts) > manyChoices { // too many to read; the description says what they are
		return ""
	}
	return orList(parts)
}

// manyChoices is the number of choices from which on the reference does not list them: they are algorithms.
const manyChoices = 9

// limits writes the range of a parameter as inequalities.
func (p Param) limits() string {
	r := p.Range
	switch above, below := !math.IsInf(r.Min, -1), r.Max < math.Exp2(53); {
	case above && below:
		from, to := "[", "]"
		if r.MinOpen {
			from = "("
		}
		if r.MaxOpen {
			to = ")"
		}
		return fmt.Sprintf(" in %s%s, %s%s", from, formatNumber(r.Min), formatNumber(r.Max), to)
	case above && r.MinOpen:
		return " > " + formatNumber(r.Min)
	case above:
		return " ≥ " + formatNumber(r.Min)
	}
	return ""
}

// entry returns the line of a parameter in the reference, without the default, which is before
// the line. The table of algorithms says which algorithms have an option.
func (p Param) entry() string {
	text := p.Doc
	if what := p.brief(); what != "" {
		text += " (" + what + ")"
	}
	return text + "\n"
}

// sharedParams returns, by name, the description of the parameter of that name that most functions have, of several.
func sharedParams() map[string]string {
	count, shared := map[[2]string]int{}, map[string]string{}
	for _, f := range functions {
		for _, p := range f.Params {
			own := [2]string{p.Name, p.entry()}
			// The description that occurs most, if it occurs twice.
			if count[own]++; count[own] > max(1, count[[2]string{p.Name, shared[p.Name]}]) {
				shared[p.Name] = own[1]
			}
		}
	}
	return shared
}

// functionText lists the functions by section with their parameters, and at the end the parameters that several have, by name.
func functionText() string {
	var b strings.Builder
	shared := sharedParams()
	for _, section := range []Section{SectionKernels, SectionSpaces, SectionProblems, SectionRuns, SectionCampaign, SectionOutput} {
		fmt.Fprintf(&b, "\n## %s\n", section)
		for i := range functions {
			if f := &functions[i]; f.Section == section {
				fmt.Fprintf(&b, "\n### %s\n\n%s", f.Name, f.text(shared))
			}
		}
	}
	fmt.Fprintf(&b, "\n## %s\n\n", SectionNumbers)
	var each []string
	for i := range functions {
		switch f := &functions[i]; {
		case f.Section != SectionNumbers:
		case formula.Elementwise(f.Name) != nil: // functions of one number share a line
			each = append(each, f.Signature())
		default:
			fmt.Fprintf(&b, "- `%s`: %s\n", f.Signature(), f.Doc)
		}
	}
	fmt.Fprintf(&b, "- `%s`: of a number, or of each element of a list\n", strings.Join(each, " "))
	b.WriteString("\n## Shared parameters\n\n")
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		b.WriteString("- `" + name + "`: " + shared[name])
	}
	return b.String()
}

// text describes a function and its own parameters, without shared ones.
func (f *Function) text(shared map[string]string) string {
	const long = 60
	text := fmt.Sprintf("`%s` → %s. %s.", f.describeValue(long), cmp.Or(f.Result, "value"), sentence.Upper(f.Doc))
	if f.Formula != "" {
		text += fmt.Sprintf(" k(x, y) = `%s`", f.Formula)
	}
	if f.Reference != "" {
		text += " (" + f.Reference + ")"
	}
	text += "\n"
	var rest []string
	list := ""
	for _, p := range f.Params {
		if line := p.entry(); line != shared[p.Name] { // its own, or another description than the shared one
			list += "- `" + p.written() + "`: " + line
		} else if p.Default != "" {
			rest = append(rest, p.written())
		}
	}
	for _, a := range f.otherArguments() {
		list += fmt.Sprintf("- `%s`: %s\n", a[0], a[1])
	}
	if len(rest) > 0 && len(f.Signature()) > long {
		list += "- shared: `" + strings.Join(rest, " ") + "`\n"
	}
	if list != "" {
		text += "\n" + list
	}
	return text
}

// describeValue returns the signature, of a long one only what must be given.
func (f *Function) describeValue(long int) string {
	all := f.Signature()
	if len(all) <= long {
		return all
	}
	var needed []string
	for _, p := range f.Params {
		if p.Default == "" {
			needed = append(needed, p.Name)
		}
	}
	return f.Name + "(" + strings.Join(append(needed, "…"), ", ") + ")"
}

// formulaTable lists what formulas call; functions of one number share a row.
func formulaTable() string {
	var b strings.Builder
	var each []string
	b.WriteString("| function | value |\n|---|---|\n")
	for _, f := range formula.Functions() {
		if formula.Elementwise(f.Name) != nil {
			each = append(each, "`"+f.Signature+"`")
			continue
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Signature, f.Doc)
	}
	fmt.Fprintf(&b, "| %s | of each element; `log` is the natural logarithm |\n", strings.Join(each, " "))
	return b.String()
}

// algorithmTable lists all algorithms, with the options that only some of their mode have.
func algorithmTable() string {
	var b strings.Builder
	b.WriteString("| algorithm | for | what it does | its options |\n|---|---|---|---|\n")
	for _, a := range algorithms.All() {
		options := ""
		if names := ownOptions(a); len(names) > 0 {
			options = "`" + strings.Join(names, " ") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", a.Name, a.Mode, a.Doc, options)
	}
	return b.String()
}

// limitTable lists the limits of texts, values and functions in one sentence.
func limitTable() string {
	limits := append(front.Limits(),
		front.Limit{What: "elements of all lists together", Most: maxElements},
		front.Limit{What: "lists inside each other", Most: maxNesting},
		front.Limit{What: "numbers in a range `a..b`", Most: maxRange},
		front.Limit{What: "parts of a kernel", Most: maxParts},
		front.Limit{What: "exponent of a kernel", Most: maxExponent},
		front.Limit{What: "combinations of a sweep", Most: maxCells},
		front.Limit{What: "arms of all agents in `classic`", Most: maxArms})
	var parts []string
	for _, l := range limits {
		parts = append(parts, fmt.Sprintf("%s %s", l.What, groupThousands(strconv.Itoa(l.Most))))
	}
	return "At most: " + strings.Join(parts, "; ") + "."
}
