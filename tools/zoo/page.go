//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

//go:embed page.md
var pageText string

var pageTemplate = template.Must(template.New("page.md").Funcs(template.FuncMap{
	"title": title, "join": strings.Join, "halves": func() []bool { return []bool{true, false} }, "least": func() int { return leastRuns },
}).Parse(pageText))

// title names the tables that are not for tuning, or the others.
func title(held bool) string {
	if held {
		return "Tables not for tuning"
	}
	return "Tables for tuning"
}

// write writes the page, and the picture beside it, without methods that have too few runs on every table.
func (z *zoo) write(path string) (err error) {
	defer try.Caught(&err)
	for m := len(z.Methods) - 1; m >= 0; m-- {
		if !slices.ContainsFunc(z.Shown, func(r row) bool { return len(r.by[m]) >= leastRuns }) {
			z.Methods = slices.Delete(z.Methods, m, m+1)
			for t := range z.Shown {
				z.Shown[t].by = slices.Delete(z.Shown[t].by, m, m+1)
			}
		}
	}
	var b strings.Builder
	try.To(pageTemplate.Execute(&b, z))
	try.To(os.WriteFile(path, []byte(b.String()), 0o666))
	return os.WriteFile(strings.TrimSuffix(path, filepath.Ext(path))+".svg", []byte(z.picture()), 0o666)
}

// Standings are a method's among all that are not ours.
func (z *zoo) Standings(m int, held bool) string {
	c, l := z.standings(m, held, z.foreign)
	return c.Text() + "; " + l.Text()
}

// Held counts the tables that are not for tuning.
func (z *zoo) Held() int { return len(z.half(true)) }

// Versions lists the program's versions that made runs of ours.
func (z *zoo) Versions() string {
	var found []string
	for _, r := range z.Shown {
		for m, of := range r.by {
			for _, l := range of {
				if z.Methods[m].Ours && l.Version != "" {
					found = lists.Add(found, l.Version)
				}
			}
		}
	}
	return strings.Join(slices.Sorted(slices.Values(found)), ", ")
}

// Usual returns the largest number of runs.
func (z *zoo) Usual() int {
	return lists.Max(z.Shown, func(r row) int { return lists.Max(r.by, func(of runs) int { return len(of) }) })
}

// Duel says how method m stands towards another one.
func (z *zoo) Duel(m, other int) string {
	only := func(k int) bool { return k == other }
	h, _ := z.standings(m, true, only)
	t, _ := z.standings(m, false, only)
	if m == other || h.all()+t.all() == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d / %d, %s (%d / %d / %d, %s)", h[best], h[level], h[behind], z.meanDifference(m, other, true),
		t[best], t[level], t[behind], z.meanDifference(m, other, false))
}

// meanDifference is the mean over cells of the difference of two methods, in % of a random arm's loss.
func (z *zoo) meanDifference(m, other int, held bool) string {
	var differences []float64
	for _, r := range z.half(held) {
		for b := range r.pulls {
			if d := paired(r.by[m], r.by[other], b); d.n >= leastRuns {
				differences = append(differences, 100*d.mean)
			}
		}
	}
	if len(differences) == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.1f", stat.Mean(differences, nil))
}

// Losses are the rows of the table of losses.
func (z *zoo) Losses(held bool) string {
	var b strings.Builder
	usual := z.Usual()
	for _, r := range z.half(held) {
		for k, each := range eachArm {
			name := r.Table.Name
			if k > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %g |", name, each)
			first := r.lowest(k)
			for m, of := range r.by {
				fmt.Fprintf(&b, " %s |", r.cell(of, m, first, k, usual))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// lowest returns the method with the lowest mean loss, -1 without any.
func (r row) lowest(budget int) int {
	at, least := -1, math.Inf(1)
	for m, of := range r.by {
		if i := meanOf(of.shares(budget)); i.n >= leastRuns && i.mean < least {
			at, least = m, i.mean
		}
	}
	return at
}

// cell is one number of the table with its marks.
func (r row) cell(of runs, m, first, budget, usual int) string {
	i := meanOf(of.shares(budget))
	if i.n < leastRuns {
		return "–"
	}
	text := fmt.Sprintf("%s ± %s", percent(i.mean), percent(i.half))
	switch {
	case m == first:
		text = "**" + text + "**"
	case against(of, r.by[first], budget) == level:
		text = "= " + text
	}
	if i.n != usual {
		text += fmt.Sprintf(" <sup>%d</sup>", i.n)
	}
	return text
}

// percent shows a share with two digits.
func percent(x float64) string {
	switch x *= 100; {
	case x >= 9.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 0.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x) // a share may be 0
}

// Costs are the rows of the table of time and memory: each method, and fb on the tables where the method has runs.
func (z *zoo) Costs() string {
	var b strings.Builder
	first := slices.IndexFunc(z.Methods, func(m method) bool { return m.Name == nameDefault })
	for m, of := range z.Methods {
		var own, ours cost
		for _, r := range z.Shown {
			if len(r.by[m]) > 0 {
				own.add(r.by[m])
				if first >= 0 && len(r.by[first]) > 0 {
					ours.add(r.by[first])
				}
			}
		}
		if len(own.run) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.0f MB | %.0f MB |", of.Name, len(own.run), seconds(middle(own.run)),
			seconds(most(own.run)), seconds(middle(own.decision)), seconds(most(own.decision)), middle(own.memory), most(own.memory))
		if len(ours.run) > 0 {
			fmt.Fprintf(&b, " %s | %s | %.0f MB |\n", seconds(middle(ours.run)), seconds(middle(ours.decision)), middle(ours.memory))
		} else {
			b.WriteString(" – | – | – |\n")
		}
	}
	return b.String()
}

// cost is what runs of a method take, by table.
type cost struct {
	run, decision []float64 // processor time, s
	memory        []float64 // MB
}

func (c *cost) add(of runs) {
	var cpu, decisions, peak float64
	for _, l := range of {
		cpu, decisions, peak = cpu+l.CPU, decisions+float64(l.Decisions), max(peak, l.Peak)
	}
	c.run, c.decision, c.memory = append(c.run, cpu/float64(len(of))), append(c.decision, cpu/decisions), append(c.memory, peak)
}
