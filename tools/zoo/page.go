//go:build unix

package main

import (
	_ "embed"
	"encoding/csv"
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

// title names the held-out tables, or the others.
func title(held bool) string {
	if held {
		return "held out"
	}
	return "for tuning"
}

// write writes the page, the picture beside it and the tables into a folder, without methods that have too few runs on every table.
func (z *zoo) write(path, folder string) (err error) {
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
	try.To(os.MkdirAll(folder, 0o777))
	for name, records := range map[string][][]string{"losses": z.losses(), "stops": z.stops(), "costs": z.costs(), "tables": z.tables()} {
		var text strings.Builder
		try.To(csv.NewWriter(&text).WriteAll(records))
		try.To(os.WriteFile(filepath.Join(folder, name+".csv"), []byte(text.String()), 0o666))
	}
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

// Duel compares method m with another one on the held-out tables.
func (z *zoo) Duel(m, other int) string {
	h, _ := z.standings(m, true, func(k int) bool { return k == other })
	if m == other || h.all() == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d / %d, %s", h[best], h[level], h[behind], z.meanDifference(m, other, true))
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

// losses are the mean losses by table, budget and method, with their heading.
func (z *zoo) losses() [][]string {
	out := [][]string{{"table", "held_out", "pulls_per_arm", "method", "loss_percent", "half_interval", "runs"}}
	for _, r := range z.Shown {
		for k, each := range eachArm {
			for m, of := range r.by {
				if i := meanOf(of.shares(k)); i.n >= leastRuns {
					out = append(out, []string{r.Table.Name, fmt.Sprint(r.Table.Held()), fmt.Sprint(each), z.Methods[m].Name,
						percent(i.mean), percent(i.half), fmt.Sprint(i.n)})
				}
			}
		}
	}
	return out
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

// tables are the tables, with their heading.
func (z *zoo) tables() [][]string {
	out := [][]string{{"table", "held_out", "tasks", "cells", "truth", "from", "about"}}
	for _, r := range z.Shown {
		of := r.Table
		out = append(out, []string{of.Name, fmt.Sprint(of.Held()), fmt.Sprint(r.Tasks), fmt.Sprint(r.Cells), of.Truth, of.From, of.About})
	}
	return out
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

// costs are medians and maxima over tables of what a method takes, and medians of fb on the same tables, with their heading.
func (z *zoo) costs() [][]string {
	out := [][]string{{"method", "tables", "run", "run_most", "decision", "decision_most", "memory_mb", "memory_most_mb",
		"fb_run", "fb_decision", "fb_memory_mb"}}
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
		record := []string{of.Name, fmt.Sprint(len(own.run)), seconds(middle(own.run)), seconds(most(own.run)), seconds(middle(own.decision)),
			seconds(most(own.decision)), fmt.Sprintf("%.0f", middle(own.memory)), fmt.Sprintf("%.0f", most(own.memory)), "", "", ""}
		if len(ours.run) > 0 {
			copy(record[8:], []string{seconds(middle(ours.run)), seconds(middle(ours.decision)), fmt.Sprintf("%.0f", middle(ours.memory))})
		}
		out = append(out, record)
	}
	return out
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
