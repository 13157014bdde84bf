package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// margin is the distance from equal that still counts as alike: 10 % for samples, 10 percentage
// points for error rates.
const margin = 0.1

// ClaimsOf judges the claims of [Du23, Section 6] by a fixed-confidence sweep over case, gap and
// algorithm, and those of [Du23, App. A] by a fixed-budget sweep over case, budget and algorithm; a
// seed may be swept too. Either may be the zero Sweep, and no claim is made about an algorithm that
// is missing. References that are no algorithms (Entry.Role) are never competitors.
//
// The intervals of one case hold together with probability 95 % (Bonferroni: each
// misses with 0.05 divided by the number of claims of its case, both sweeps together).
// A claim of less or more holds when the interval lies on its side, fails when it lies
// on the other, and is open in between. A claim of equality, which no number of runs
// can prove exactly, holds when the interval lies within 10 % of equal (10 percentage
// points for error rates), fails when it lies outside, and is open in between; Why
// then says when the runs do show a difference smaller than that.
func ClaimsOf(fc, fb Sweep) (Claims, error) {
	confidence, err := fc.panel(engine.ModeFC, "gap")
	if err != nil {
		return Claims{}, err
	}
	budget, err := fb.panel(engine.ModeFB, "budget")
	if err != nil {
		return Claims{}, err
	}
	asked, err := confidence.openClaims()
	if err != nil {
		return Claims{}, err
	}
	more, err := budget.openClaims()
	if err != nil {
		return Claims{}, err
	}
	asked = append(asked, more...)
	if len(asked) == 0 {
		return Claims{}, errors.New(
			"nothing to judge: claims need a sweep over case (1, 2, 3), gap and algorithm with CoKernelFC and one of IndRAGE/V, " +
				"IndRAGE and its competitors, " +
				"or one over case, budget and algorithm with CoKernelFB and one of its competitors")
	}
	slices.SortStableFunc(asked, func(a, b openClaim) int { return cmp.Compare(a.Case, b.Case) })
	perCase := map[float64]float64{}
	for _, q := range asked {
		perCase[q.Case]++
	}
	var out Claims
	for _, q := range asked {
		c := q.Claim
		c.Measured, c.Verdict, c.Why = q.judge(outside / perCase[c.Case])
		out.Rows = append(out.Rows, c)
	}
	return out, nil
}

// openClaim is a claim before it is judged at a level.
type openClaim struct {
	Claim
	judge func(alpha float64) (measured engine.Interval, verdict string, why Reason)
}

// panel is the cells of the three cases of one mode, by gap or by budget.
type panel struct {
	mode, name string
	cells      []panelCell
}

type panelCell struct {
	number, value float64 // of the case; of the gap or budget
	results       map[string][]engine.Result
}

// panel reads a sweep as one of the paper's figures; the zero Sweep has no cells.
func (s Sweep) panel(mode, name string) (panel, error) {
	p := panel{mode: mode, name: name}
	if len(s.Names) == 0 && len(s.Rows) == 0 {
		return p, nil
	}
	wrong := fmt.Errorf("claims need a sweep of %s over case, %s and algorithm (and seed, if you like); this one sweeps %s", mode, name,
		listed(s.Names))
	t, err := s.table()
	if err != nil {
		return p, err
	}
	atCase, atValue := slices.Index(t.names, "case"), slices.Index(t.names, name)
	if atCase < 0 || atValue < 0 || len(t.names) != 2 {
		return p, wrong
	}
	for _, g := range t.groups {
		for _, results := range g.results {
			if got := results[0].Mode; got != mode {
				return p, fmt.Errorf("claims need a sweep of %s over case, %s and algorithm; this one has runs of %s", mode, name, got)
			}
		}
		number, ok := numeric(g.values[atCase])
		value, fine := numeric(g.values[atValue])
		if !ok || !fine {
			return p, wrong
		}
		for _, results := range g.results {
			if name := results[0].Problem; !strings.HasPrefix(name, fmt.Sprintf("paper case %g,", number)) {
				return p, fmt.Errorf("claims are what the paper says about its own problems, paper(case=...); this sweep has results for %q", name)
			}
		}
		p.cells = append(p.cells, panelCell{number, value, g.results})
	}
	return p, nil
}

// numeric returns the number that a swept value is.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// openClaims returns for each cell what the paper claims of it.
func (p panel) openClaims() ([]openClaim, error) {
	var out []openClaim
	for _, cell := range p.cells {
		asked, err := p.about(cell)
		if err != nil {
			return nil, fmt.Errorf("claims: case %g, %s %g: %w", cell.number, p.name, cell.value, err)
		}
		for _, q := range asked {
			q.Case, q.Name, q.Value = cell.number, p.name, cell.value
			out = append(out, q)
		}
	}
	return out, nil
}

// about lists what is claimed of a cell.
func (p panel) about(cell panelCell) ([]openClaim, error) {
	if p.mode == engine.ModeFC {
		return aboutSamples(cell)
	}
	return p.aboutErrors(cell)
}
