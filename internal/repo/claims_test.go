package repo

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Numbers in sentences of pages are those of measured files.
func TestClaims(t *testing.T) {
	column := func(file, name string) (out []string) {
		records, err := csv.NewReader(strings.NewReader(read(t, file))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for k, head := range records[0] {
			for _, r := range records[1:] {
				if head == name {
					out = append(out, r[k])
				}
			}
		}
		if len(out) == 0 {
			t.Fatalf("%s has no column %q", file, name)
		}
		return out
	}
	cell := func(file, row, name string) string {
		first := column(file, "table")
		for k, value := range column(file, name) {
			if first[k] == row {
				return value
			}
		}
		t.Fatalf("%s has no row %q", file, row)
		return ""
	}
	const posterior, slips, tables = "tools/zoo/measured/posterior.csv", "engine/answer/measured/slips.csv", "tools/zoo/measured/tables.csv"
	share := regexp.MustCompile(`: ([\d.]+) %`)
	percent := func(table string) string { return share.FindStringSubmatch(cell(posterior, table, "wrong runs"))[1] }
	within, wrong := 0, column(posterior, "wrong runs")
	for _, text := range wrong {
		found := share.FindStringSubmatch(text)
		if found == nil {
			within++ // no wrong run
		} else if x, err := strconv.ParseFloat(found[1], 64); err == nil && x <= 10 {
			within++
		}
	}
	held := 0
	for _, text := range column(tables, "held_out") {
		if text == "true" {
			held++
		}
	}
	const robustness, accuracy, suite = "docs/explanation/robustness.md", "docs/explanation/accuracy.md", "docs/explanation/benchmark-suite.md"
	for _, c := range []struct{ page, sentence string }{
		{robustness, fmt.Sprintf("On %d of %d held-out tables", within, len(wrong))},
		{robustness, fmt.Sprintf("rare successes (%s %%), skewed rewards (%s %%) and delays of flights (%s %%)", percent("job applications"), percent("lognormal"), percent("flight delays"))},
		{accuracy, fmt.Sprintf("are named in %s of 200 field trials, of five in %s, and in one of 200 tables",
			cell(slips, "field trial", "10 sd: slip named"), cell(slips, "field trial", "5 sd: slip named"))},
		{accuracy, fmt.Sprintf("compares simple regret on %d tables", len(column(tables, "table")))},
		{suite, fmt.Sprintf("fixed budgets on %d tables", len(column(tables, "table")))},
		{suite, fmt.Sprintf("%d tables are **held out**", held)},
	} {
		if !strings.Contains(strings.Join(strings.Fields(read(t, c.page)), " "), c.sentence) {
			t.Errorf("%s does not have: %s", c.page, c.sentence)
		}
	}
}
