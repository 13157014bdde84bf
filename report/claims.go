package report

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// verdicts in the order in which they are counted, as a word with a sign, so that
// neither colour nor shape alone says it.
var verdicts = []struct{ verdict, sign, verb string }{
	{sim.ClaimHolds, "✓ holds", "hold"}, {sim.ClaimFails, "✗ fails", "fail"}, {sim.ClaimOpen, "? open", "are open"},
}

func signed(verdict string) string {
	for _, v := range verdicts {
		if v.verdict == verdict {
			return v.sign
		}
	}
	return verdict
}

// claimsBlocks tells of claims(...): how many statements hold, which for each case,
// and then every one with its measurement.
func claimsBlocks(c sim.Claims) []Block {
	out := []Block{Paragraph{Text: claimsSentence(c), Lead: true}, claimsSummary(c)}
	if t := claimsTable(c, "What does not hold, or is open", func(x sim.Claim) bool { return x.Verdict != sim.ClaimHolds }); len(t.Rows) > 0 {
		out = append(out, t)
	}
	all := claimsTable(c, "All statements, measured", func(sim.Claim) bool { return true })
	all.Collapsed = true
	return append(out, all)
}

func claimsSentence(c sim.Claims) string {
	count := tally(c.Rows)
	return fmt.Sprintf("Of %s %d hold, %d fail and %d are open.", plural(len(c.Rows), "statement"),
		count[sim.ClaimHolds], count[sim.ClaimFails], count[sim.ClaimOpen])
}

func tally(rows []sim.Claim) map[string]int {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Verdict]++
	}
	return count
}

// claimsSummary has a row for each statement and case.
func claimsSummary(c sim.Claims) Table {
	t := Table{Caption: "The claims, by case", Columns: []Column{
		text("source", "Source"), number("case", "Case", ""), text("statement", "Statement"), text("verdict", "Verdict"),
		number("holds", "Holds", ""), number("fails", "Fails", ""), number("open", "Open", ""), text("where", "Where measured"),
	}}
	type key struct {
		source, statement, name string
		which                   float64
	}
	var keys []key
	rows := map[key][]sim.Claim{}
	for _, r := range c.Rows {
		k := key{r.Source, r.Statement, r.Name, r.Case}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		rows[k] = append(rows[k], r)
	}
	for _, k := range keys {
		count := tally(rows[k])
		t.Rows = append(t.Rows, []any{k.source, k.which, k.statement, overall(count), count[sim.ClaimHolds], count[sim.ClaimFails], count[sim.ClaimOpen], where(rows[k])})
	}
	return t
}

// overall is the verdict on a statement by those on its instances: it fails where one
// fails, and holds where all do.
func overall(count map[string]int) string {
	kinds := 0
	for _, n := range count {
		if n > 0 {
			kinds++
		}
	}
	switch {
	case kinds == 1:
		for v := range count {
			return signed(v)
		}
	case count[sim.ClaimFails] > 0:
		return "✗ fails in part"
	}
	return "✓ holds in part, ? open in part"
}

// where are the gaps or budgets at which a statement was measured.
func where(rows []sim.Claim) string {
	lo, hi := rows[0].Value, rows[0].Value
	for _, r := range rows {
		lo, hi = min(lo, r.Value), max(hi, r.Value)
	}
	if lo == hi {
		return fmt.Sprintf("%s %s", rows[0].Name, decimal(lo, 0))
	}
	return fmt.Sprintf("%s %s to %s", rows[0].Name, decimal(lo, 0), decimal(hi, 0))
}

// claimsTable has a row for each instance that is wanted.
func claimsTable(c sim.Claims, title string, wanted func(sim.Claim) bool) Table {
	t := Table{Caption: title, Columns: []Column{
		text("source", "Source"), text("setting", "Setting"), text("statement", "Statement"),
		text("quantity", "Quantity"), number("measured", "Measured", ""), text("verdict", "Verdict"), text("why", "Why"),
	}}
	for _, r := range c.Rows {
		if wanted(r) {
			setting := fmt.Sprintf("case %s, %s %s", decimal(r.Case, 0), r.Name, decimal(r.Value, 0))
			t.Rows = append(t.Rows, []any{r.Source, setting, r.Statement, r.Quantity, r.Measured, signed(r.Verdict), orAbsent(r.Why)})
		}
	}
	t.Notes = []string{"Brackets are simultaneous 95 % intervals over the statements of one case. A statement holds when its interval supports it, fails when the interval excludes it, and is open when the runs cannot tell."}
	if len(t.Rows) == 0 {
		return t
	}
	return t.withoutEmptyColumns().withoutConstant("source")
}
