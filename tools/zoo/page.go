package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// write writes the page, and the picture beside it.
func (z *zoo) write(path string) error {
	var b strings.Builder
	z.page(&b)
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(path, filepath.Ext(path))+".svg", []byte(z.picture()), 0o666)
}

// page writes it all.
func (z *zoo) page(b *strings.Builder) {
	fmt.Fprintf(b, `# The zoo

What the picks of methods with fixed budgets lose on %d tables. `+"`make zoo`"+` writes this page; `+"`make zoo-peers`"+` adds the methods of other projects.
%d of the tables are not for tuning: nobody chooses between methods by them. They were named by a hash of their names before the first run
(`+"`tools/zoo/tables.go`"+`), and are reported apart.

## In one line each

A cell is a table and a budget. A method is best in it where it loses less than every other that is named, level where none loses less, and behind where one does. A difference counts where its
95 %% interval, paired by run and by Student's law, leaves out 0. No interval is adjusted for the number of comparisons: by chance alone a method that is
level with eight others is called behind in about one of ten cells.

`, len(z.tables), z.held())
	for _, held := range []bool{true, false} {
		fmt.Fprintf(b, "%s:\n\n", map[bool]string{true: "Tables not for tuning", false: "Tables for tuning"}[held])
		for m, of := range z.methods {
			if of.ours {
				fmt.Fprintf(b, "- `%s` against all methods that are not ours: %s.\n", of.name, z.standings(m, held, z.foreign).text())
			}
		}
		b.WriteString("\n")
	}
	z.duels(b)
	fmt.Fprintf(b, "![Every cell coloured by its distance to the best](%s)\n\n", "zoo.svg")
	z.describe(b)
	for _, held := range []bool{true, false} {
		fmt.Fprintf(b, "## %s\n\n", map[bool]string{true: "Tables not for tuning", false: "Tables for tuning"}[held])
		b.WriteString("Mean loss of a pick in % of what a random arm loses, ± half of the 95 % interval. **Bold**: the lowest of the row; =: the paired difference to it does not leave out 0. A raised number is how many runs there were where they are not ")
		fmt.Fprintf(b, "%d; – stands for fewer than %d.\n\n", z.usual(), leastRuns)
		z.table(b, held)
	}
	z.costs(b)
	z.list(b)
}

// held counts the tables that are not for tuning.
func (z *zoo) held() (n int) {
	for _, t := range z.tables {
		if t.held() {
			n++
		}
	}
	return n
}

// usual returns the largest number of runs.
func (z *zoo) usual() (n int) {
	for _, r := range z.shown {
		for _, of := range r.by {
			n = max(n, len(of))
		}
	}
	return n
}

// duels writes how each of our methods stands towards each other one.
func (z *zoo) duels(b *strings.Builder) {
	b.WriteString("One against one: cells in which ours loses less / no difference shows / ours loses more, on tables not for tuning; those for tuning in brackets.\n\n| other |")
	for _, of := range z.methods {
		if of.ours {
			fmt.Fprintf(b, " `%s` |", of.name)
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", z.ours()) + "\n")
	for k, other := range z.methods {
		fmt.Fprintf(b, "| %s |", other.name)
		for m, of := range z.methods {
			if !of.ours {
				continue
			}
			only := func(x int) bool { return x == k }
			h, t := z.standings(m, true, only), z.standings(m, false, only)
			if m == k || h[best]+h[level]+h[behind]+t[best]+t[level]+t[behind] == 0 {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(b, " %d / %d / %d (%d / %d / %d) |", h[best], h[level], h[behind], t[best], t[level], t[behind])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// ours counts our methods.
func (z *zoo) ours() (n int) {
	for _, of := range z.methods {
		if of.ours {
			n++
		}
	}
	return n
}

// describe lists the methods.
func (z *zoo) describe(b *strings.Builder) {
	b.WriteString("## The methods\n\n| method | what it does, and what it is told besides features |\n|---|---|\n")
	for _, of := range z.methods {
		fmt.Fprintf(b, "| %s | %s |\n", of.name, of.about)
	}
	b.WriteString(`
The k-th reward of an arm in a run is the same number for every method. Budgets are pulls of each arm on average; a method may spend them all in one task only if it says so
(ours do; the others give every task its share). No method is told means. Columns whose logarithm an expert would take are given to other projects' methods and to the documented
kernel as logarithms, and to ` + "`fb` and `best`" + ` as they are.

`)
}

// table writes the losses.
func (z *zoo) table(b *strings.Builder, held bool) {
	b.WriteString("| table | pulls an arm |")
	for _, of := range z.methods {
		fmt.Fprintf(b, " %s |", of.name)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(z.methods)) + "\n")
	usual := z.usual()
	for _, r := range z.shown {
		if r.table.held() != held {
			continue
		}
		for k, each := range eachArm {
			name := r.table.name
			if k > 0 {
				name = ""
			}
			fmt.Fprintf(b, "| %s | %g |", name, each)
			first := r.lowest(k)
			for m, of := range r.by {
				fmt.Fprintf(b, " %s |", r.cell(of, m, first, k, usual))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n")
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
	return fmt.Sprintf("%.2f", x)
}

// costs writes processor time and memory.
func (z *zoo) costs(b *strings.Builder) {
	b.WriteString("## Time and memory\n\nProcessor time of a run with all four budgets and of one decision (a choice of pulls, or an answer), and the most memory that the process of a method had, on one processor, in the runs of this page. The medians are over tables.\n\n")
	b.WriteString("| method | tables | a run: median | a run: most | a decision: median | a decision: most | memory: median | memory: most |\n|---|---|---|---|---|---|---|---|\n")
	for m, of := range z.methods {
		var run, decision, memory []float64
		for _, r := range z.shown {
			var cpu, decisions, peak float64
			for _, l := range r.by[m] {
				cpu, decisions, peak = cpu+l.CPU, decisions+float64(l.Decisions), max(peak, l.Peak)
			}
			if n := float64(len(r.by[m])); n > 0 {
				run, decision, memory = append(run, cpu/n), append(decision, cpu/decisions), append(memory, peak)
			}
		}
		if len(run) == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %.0f MB | %.0f MB |\n", of.name, len(run), seconds(middle(run)), seconds(most(run)), seconds(middle(decision)), seconds(most(decision)), middle(memory), most(memory))
	}
	b.WriteString("\n")
}

// list describes the tables.
func (z *zoo) list(b *strings.Builder) {
	b.WriteString(`## The tables

What the truth of a table is: **known**, a generator makes it, another one in every run; **resampled**, the means of at least five replicates in every cell, which rewards are drawn from;
**counts**, shares of many outcomes of 0 and 1; **drawn**, in every run another draw from the posterior of the measurements under a kernel exp(-distance) with effects of tasks, arms and cells,
which no method has, with normal noise. The tables of packages are taken at fixed versions into the cache and are not in this repository.

| table | for tuning | tasks × arms in all | truth | from | what |
|---|---|---|---|---|---|
`)
	for _, r := range z.shown {
		use := "yes"
		if r.table.held() {
			use = "**no**"
		}
		fmt.Fprintf(b, "| %s | %s | %d, %d cells | %s | %s | %s |\n", r.table.name, use, r.tasks, r.cells, r.table.truth, r.table.from, r.table.about)
	}
	if len(z.missing) > 0 {
		fmt.Fprintf(b, "\nLeft out, since their packages were not in the cache: %s.\n", strings.Join(z.missing, ", "))
	}
}
