package report

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/plan"
)

// planMeasures returns the measures of a forecast that can be drawn; without rows, as before a
// forecast is made, whatever one may have.
func planMeasures(rows []plan.Row, prices plan.Prices) []measure {
	if len(rows) == 0 {
		prices.Sample, prices.SampleTime = 1, 1
	}
	all := []measure{
		{name: "samples", title: "Samples per agent", quantity: "Samples", log: true},
		{name: "samples_total", title: "Samples, all agents", quantity: "Samples", log: true},
		{name: "rounds", title: "Rounds", quantity: "Rounds"},
	}
	if prices.Sample > 0 || prices.Round > 0 {
		all = append(all, measure{name: "cost", title: "Cost", quantity: "Cost", log: true})
	}
	if prices.SampleTime > 0 || prices.RoundTime > 0 {
		all = append(all, measure{name: "time", title: "Calendar time", unit: prices.TimeUnit, quantity: "Time", log: true})
	}
	return all
}

// planned returns a measure of a row, as a cell.
func planned(r plan.Row, name string) any {
	switch name {
	case "samples":
		return engine.Interval{Mean: r.SamplesPerAgent, CI95: r.SamplesPerAgentCI95}
	case "samples_total":
		return r.SamplesTotal
	case "rounds":
		return r.Rounds
	case "cost":
		return r.Cost
	}
	return r.Time
}

// planAxes returns the axes that planFigure can draw of rows: along the gap where there are
// several, or where there are no rows yet.
func planAxes(rows []plan.Row, prices plan.Prices) (xs, ys []string) {
	for _, m := range planMeasures(rows, prices) {
		ys = append(ys, m.name)
	}
	switch {
	case len(rows) > 0 && rows[0].Change != "":
		return []string{"change"}, ys
	case len(rows) == 0 || len(gapsOf(rows)) > 1:
		return []string{"gap", "algorithm"}, ys
	}
	return []string{"algorithm"}, ys
}

// sameScale reports whether the bars of alternatives are of such lengths that all are seen on an
// axis from 0, where their lengths are in proportion.
func sameScale(rows []plan.Row, name string) bool {
	const most = 20
	low, high := math.Inf(1), 0.0
	for _, r := range rows {
		if y, _, _, known := withInterval(planned(r, name)); known && isFinite(y) {
			low, high = min(low, y), max(high, y)
		}
	}
	return high <= most*low
}

// planFigure draws a forecast: a line for each method against the gap, or bars.
func planFigure(title string, rows []plan.Row, prices plan.Prices, o PlotOptions) (Figure, error) {
	all := planMeasures(rows, prices)
	m := all[slices.IndexFunc(all, func(m measure) bool { return m.name == o.Y[0] })]
	several := len(gapsOf(rows)) > 1
	if several && o.X == "gap" {
		c := chart{title: title, names: []string{"gap", "algorithm"}, measures: []measure{m}}
		for _, r := range rows {
			c.rows = append(c.rows, chartRow{values: []any{r.Gap, methodName(r)}, algorithm: methodName(r), cells: []any{planned(r, m.name)}})
		}
		return c.figure(o)
	}
	f := barFigure(title, m.column().heading(), o.X, m.log && !(o.X == "change" && sameScale(rows, m.name)))
	f.NonNegative = true
	for _, r := range rows {
		name := methodName(r)
		switch {
		case r.Change != "":
			name = r.Change
		case several:
			name += ", gap " + decimal(r.Gap, 0)
		}
		y, lo, hi, _ := withInterval(planned(r, m.name))
		addBar(&f, name, y)
		s := &f.Series[0]
		s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
	}
	return f, nil
}
