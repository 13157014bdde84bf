package dsl

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
)

// arguments lists what the function takes, as pairs of name and description.
func (f *Function) arguments() [][2]string {
	var list [][2]string
	for _, p := range f.Params {
		list = append(list, [2]string{p.Name, p.Doc + "; " + p.Given()})
	}
	if f.Variadic != "" {
		list = append(list, [2]string{"…", f.Variadic})
	}
	if f.Named != "" {
		list = append(list, [2]string{"name=…", f.Named})
	}
	return list
}

// Given says what a parameter accepts and what it is when not given.
func (p Param) Given() string {
	text := p.wants()
	if text == "" {
		text = "any value"
	}
	if p.Whole && !p.IsSwitch() {
		text += ", whole"
	}
	if !p.IsSwitch() && p.Range != anyNumber && p.accepts(Number) && len(p.Types) > 0 {
		text += ", " + p.Range.String()
	}
	switch p.Default {
	case "":
		return text
	case unset:
		return text + ", optional"
	}
	return text + ", default " + p.initial()
}

// Reference returns the lists of docs/language.md that come from the catalogues, by
// the name of their place in the text: functions by section, formula functions,
// algorithms and limits. They are Markdown.
func Reference() map[string]string {
	lists := map[string]string{"formulas": formulaTable(), "algorithms": algorithmTable(), "limits": limitTable()}
	for _, section := range []Section{SectionKernels, SectionSpaces, SectionProblems, SectionRuns, SectionCampaign, SectionOutput, SectionNumbers} {
		lists[strings.ToLower(string(section))] = sectionText(section)
	}
	return lists
}

// sectionText lists the functions of a section with their parameters.
func sectionText(section Section) string {
	var b strings.Builder
	for _, f := range functions {
		if f.Section != section {
			continue
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s.", f.Signature(), capital(f.Doc))
		if f.Formula != "" {
			fmt.Fprintf(&b, " k(x, y) = `%s`", f.Formula)
		}
		if f.Reference != "" {
			fmt.Fprintf(&b, " (%s)", f.Reference)
		}
		fmt.Fprintf(&b, "\n\nGives %s. Example: `%s`\n\n", f.Result.a(), f.Example)
		list := f.arguments()
		for _, a := range list {
			fmt.Fprintf(&b, "- `%s`: %s\n", a[0], a[1])
		}
		if len(list) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func formulaTable() string {
	var b strings.Builder
	b.WriteString("| function | value |\n|---|---|\n")
	for _, f := range formula.Functions() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Signature, f.Doc)
	}
	return b.String()
}

func algorithmTable() string {
	var b strings.Builder
	b.WriteString("| algorithm | for | what it does | from |\n|---|---|---|---|\n")
	for _, a := range algorithms.All() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", a.Name, a.Mode, a.Doc, a.Source)
	}
	return b.String()
}

func limitTable() string {
	var b strings.Builder
	b.WriteString("| what | at most |\n|---|---|\n")
	limits := append(front.Limits(),
		front.Limit{What: "elements of all lists together", Most: maxElements},
		front.Limit{What: "lists inside each other", Most: maxNesting},
		front.Limit{What: "numbers in a range `a..b`", Most: maxRange},
		front.Limit{What: "parts of a kernel", Most: maxParts},
		front.Limit{What: "exponent of a kernel", Most: maxExponent},
		front.Limit{What: "combinations of a sweep", Most: maxCells},
		front.Limit{What: "arms of all agents in `classic`", Most: maxArms})
	for _, l := range limits {
		fmt.Fprintf(&b, "| %s | %d |\n", l.What, l.Most)
	}
	return b.String()
}
