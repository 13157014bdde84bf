package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
)

// A measured setting may differ from the planned one: 150.2 for 150. A row with an id belongs to the pull of this id
// whatever its settings, which become its note. A row that names its arm by columns belongs to the only arm within the
// tolerance, if a tolerance is stated.

// Check implements Checked.
func (a *Tell) Check() *ArgError {
	if _, err := tolerances(a.Tolerance); err != nil {
		return &ArgError{Param: "tolerance", Text: err.Error(), Hint: `write tolerance="temp=0.5"`}
	}
	return nil
}

// tolerances parses texts such as "temp=0.5" into the largest allowed deviation by column.
func tolerances(list []string) (map[string]float64, error) {
	out := map[string]float64{}
	for _, text := range list {
		k := strings.LastIndex(text, "=")
		column := strings.TrimSpace(text[:max(k, 0)])
		x, err := strconv.ParseFloat(strings.TrimSpace(text[k+1:]), 64)
		if column == "" || err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("needs a column and its tolerance, 0 or more, such as temp=0.5, got %q", sentence.Brief(text))
		}
		out[column] = x
	}
	return out, nil
}

// candidate is an arm that a row may refer to.
type candidate struct {
	arm  int
	off  []string // one text for each column that differs: the value set, and the planned one
	need []string // the tolerances under which the row belongs to this arm
	far  float64  // sum of the deviations, in ranges of the columns
	in   bool     // whether all deviations are within the tolerances
}

// meant finds the arm that a row refers to, if no arm of its task has exactly the settings of the row. If one arm is
// within the tolerance, it returns this arm, and the differing settings as a note. Otherwise the error names the nearest
// arm, or several arms within the tolerance. If no arm can be compared with the row, arm is -1 and the error is nil.
func (t *teller) meant(row problem.SheetRow, task int) (arm int, note string, err error) {
	allowed, _ := tolerances(t.opt.Tolerance) // already checked
	lo, hi := t.protocol.Problem.ArmsOf(task)
	var near []candidate
	for i := lo; i < hi; i++ {
		if c, comparable := t.candidate(row, i, allowed); comparable {
			near = append(near, c)
		}
	}
	if len(near) == 0 {
		return -1, "", nil
	}
	names := t.protocol.Problem.Arms.Names
	switch within := lists.Where(near, func(c candidate) bool { return c.in }); len(within) {
	case 0:
		c := slices.MinFunc(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
		return -1, "", fmt.Errorf(". The nearest is %q, planned with %s. If that arm was meant, --tolerance %s accepts the row and notes its "+
			"settings", names[c.arm], strings.Join(c.off, ", "), strings.Join(lists.Map(c.need, shell.Quote), " --tolerance "))
	case 1:
		return within[0].arm, strings.Join(within[0].off, "; "), nil
	default:
		few := lists.Map(within, func(c candidate) string { return names[c.arm] })
		return -1, "", fmt.Errorf(". Several arms are within the tolerance: %s. Make it smaller", sentence.List(few, 4))
	}
}

// candidate compares the settings of a row with those of an arm. comparable is false if the row lacks a setting or has a
// text that differs from the arm's.
func (t *teller) candidate(row problem.SheetRow, arm int, allowed map[string]float64) (c candidate, comparable bool) {
	p, of := t.protocol, t.settingsOf(arm)
	x, texts := of.x, of.texts
	c.arm, c.in = arm, true
	for k, column := range p.Problem.Arms.Columns {
		name := strings.TrimPrefix(column, "x_")
		cell := cmp.Or(row.Text(column), row.Text(name))
		// if arms have one feature, the column arm may hold its value
		if cell == "" && len(p.Problem.Arms.Columns) == 1 {
			cell = row.Text("arm")
		}
		if cell = formulas.Unguard(cell); cell == "" || slices.Contains(p.Problem.Categories[column], cell) && cell != texts[k] {
			return c, false
		}
		if cell == texts[k] {
			continue
		}
		set, err := strconv.ParseFloat(decimalComma.ReplaceAllString(cell, "$1.$2"), 64)
		if err != nil || p.Problem.Categories[column] != nil {
			return c, false
		}
		off := math.Abs(set - x[k])
		if rounded(set) == rounded(x[k]) {
			continue
		}
		most, stated := allowed[column]
		if !stated {
			most = allowed[name]
		}
		c.in = c.in && rounded(off) <= rounded(most)
		c.far += off / max(t.span(k), math.SmallestNonzeroFloat64)
		c.off = append(c.off, fmt.Sprintf("%s=%s instead of %s", name, cell, texts[k]))
		c.need = append(c.need, fmt.Sprintf("%s=%s", name, strconv.FormatFloat(rounded(off), 'g', -1, 64)))
	}
	return c, true
}

// setting holds the features of an arm: x as numbers, and texts as in the table.
type setting struct {
	x     []float64
	texts []string
}

// settingsOf returns the settings of an arm. They are computed once for each sheet.
func (t *teller) settingsOf(arm int) setting {
	if t.settings == nil {
		t.settings = lists.Make(t.protocol.Problem.N(), func(i int) setting {
			return setting{t.protocol.features(i), t.protocol.settings(i)}
		})
	}
	return t.settings[arm]
}

// span returns the range of a column over all arms, but at least the absolute value of its first entry.
func (t *teller) span(column int) float64 {
	if t.spans == nil {
		t.spans = lists.Make(len(t.protocol.Problem.Arms.Columns), func(k int) float64 {
			of := func(i int) float64 { return t.settingsOf(i).x[k] }
			all := lists.Make(t.protocol.Problem.N(), of)
			return max(slices.Max(all)-slices.Min(all), math.Abs(all[0]))
		})
	}
	return t.spans[column]
}
