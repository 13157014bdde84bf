package report

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/plan"
)

// budgetBlocks shows what a number of measurements buys.
func budgetBlocks(f plan.Forecast) []Block {
	out := []Block{Paragraph{Lead: true, Text: budgetSentence(f)}, budgetTable(f)}
	for _, n := range f.Notes {
		out = append(out, Note{Text: upper(n.String()) + "."})
	}
	return append(out, budgetFigure(f))
}

// budgetSentence says what all of the budget buys, and where the knee is.
func budgetSentence(f plan.Forecast) string {
	b := f.Budget
	first, last := b.Points[0], b.Points[len(b.Points)-1]
	s := fmt.Sprintf("%s on %s: the picks are then expected to lose %s a task", plural(int(last.Samples), "further measurement"),
		f.Problem, decimal(last.Loss, 3))
	if b.Simulated == "" {
		s += fmt.Sprintf(" (%s now)", decimal(first.Loss, 3))
	}
	what := "is the best"
	if f.Epsilon > 0 {
		what = "is within " + decimal(f.Epsilon, 4) + " of the best"
	}
	s += fmt.Sprintf(", and a pick %s with probability %s.", what, percent(last.Within))
	if b.Knee >= 0 {
		k := b.Points[b.Knee]
		s += fmt.Sprintf(" The knee is at %s", plural(int(k.Samples), "measurement"))
		switch along := f.Prices.Along(k); {
		case k.Cost > 0 && along == k.Cost:
			s += fmt.Sprintf(", a cost of %s", decimal(k.Cost, 4))
		case k.Time > 0 && along == k.Time:
			s += fmt.Sprintf(", %s%s", decimal(k.Time, 4), unitWord(f.Prices.TimeUnit))
		}
		s += fmt.Sprintf(": loss %s; what comes after brings much less.", decimal(k.Loss, 3))
	}
	return s
}

// unitWord is a unit of time behind a number.
func unitWord(unit string) string {
	if unit == "" {
		return " units of time"
	}
	return " " + unit
}

// budgetTable has a row for each point of the curve.
func budgetTable(f plan.Forecast) Table {
	b := f.Budget
	within := "P(best)"
	if f.Epsilon > 0 {
		within = "P(within " + decimal(f.Epsilon, 4) + " of the best)"
	}
	t := Table{
		Caption: "What they buy",
		Columns: []Column{
			number("samples", "Measurements", ""), number("cost", "Cost", ""), number("time", "Calendar time", f.Prices.TimeUnit),
			{Name: "loss", Title: "Expected loss", Unit: rewardUnits, Align: Right, Digits: 3}, number("within", within, ""), text("knee", ""),
		},
	}
	for k, p := range b.Points {
		mark := any(nil)
		if k == b.Knee {
			mark = "knee"
		}
		t.Rows = append(t.Rows, []any{p.Samples, known(p.Cost), known(p.Time), p.Loss, Share(p.Within), mark})
	}
	if b.Simulated == "" {
		t.Notes = []string{"From what was measured, with the next measurements where they bring most; kernel and noise stay as " +
			"they are believed today. Loss and probability are means over tasks."}
	} else {
		t.Notes = []string{fmt.Sprintf("Means over tasks and %s of %s, after each round, simulated with %s.", plural(b.Runs, "run"),
			b.Algorithm, b.Simulated)}
	}
	return t.withoutEmptyColumns()
}

// budgetFigure draws the curve with its knee.
func budgetFigure(f plan.Forecast) Figure {
	b := f.Budget
	out := Figure{Title: "What measurements buy, " + f.Problem, XLabel: "further measurements",
		YLabel: "expected loss (" + unitOf(rewardUnits, f.Words) + ")", NonNegative: true}
	switch {
	case f.Prices.Sample > 0 || f.Prices.Round > 0:
		out.XLabel = "cost"
	case f.Prices.SampleTime > 0 || f.Prices.RoundTime > 0:
		out.XLabel = "time"
		if f.Prices.TimeUnit != "" {
			out.XLabel += " (" + f.Prices.TimeUnit + ")"
		}
	}
	s := Series{Name: "expected loss"}
	for _, p := range b.Points {
		s.X, s.Y = append(s.X, f.Prices.Along(p)), append(s.Y, p.Loss)
	}
	out.Series = []Series{s}
	if b.Knee >= 0 {
		out.Lines = []ReferenceLine{{Label: "knee", At: s.X[b.Knee], Vertical: true}}
	}
	return out
}
