package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// margin is the largest distance from equality that counts as equal: 10 % for samples, 10 percentage points for error rates.
const margin = 0.1

// ClaimsOf tests the claims of [Du23, Section 6] on a fixed-confidence sweep over case, gap and algorithm, and those of [Du23, App. A] on
// a fixed-budget sweep over case, budget and algorithm; a seed may be swept too. Either may be the zero Sweep. Claims about missing
// algorithms are left out, and references (Entry.Role) are never competitors.
//
// The intervals of one case have simultaneous coverage 95 % (Bonferroni: each misses with probability 0.05 divided by the number of
// claims of its case, both sweeps together). A claim of less or more holds if the interval lies on its side, fails if it lies on the
// other, and is open otherwise. A claim of equality, which no number of runs can prove exactly, holds if the interval lies within 10 % of
// equality (10 percentage points for error rates), fails if it lies outside, and is open otherwise; Why then says if the runs show a
// smaller difference.
//
// It returns an error for a sweep of another mode or without the needed names.
func ClaimsOf(fc, fb Sweep) (_ Claims, err error) {
	defer try.Caught(&err)
	var asked []openClaim
	for _, of := range []struct {
		sweep      Sweep
		mode, name string
	}{{fc, engine.ModeFC, "gap"}, {fb, engine.ModeFB, "budget"}} {
		asked = append(asked, try.Of(try.Of(of.sweep.panel(of.mode, of.name)).openClaims())...)
	}
	if len(asked) == 0 {
		return Claims{}, errors.New(
			"this sweep has nothing to compare. Sweep fc over case (1, 2, 3), gap and algorithm, with CoKernelFC and IndRAGE, IndRAGE/V or a " +
				"competitor. Or sweep fb over case, budget and algorithm, with CoKernelFB and a competitor")
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

// openClaim is a claim before its test.
type openClaim struct {
	Claim
	judge func(alpha float64) (measured engine.Interval, verdict string, why Reason)
}

// panel has the cells of the three cases of one mode, by gap or by budget.
type panel struct {
	mode, name string
	cells      []panelCell
}

type panelCell struct {
	number, value float64 // of the case; of the gap or budget
	results       map[string][]engine.Result
}

// panel returns the results of a sweep that one of the paper's figures needs. It returns a figure without results for the zero Sweep.
func (s Sweep) panel(mode, name string) (panel, error) {
	p := panel{mode: mode, name: name}
	if len(s.Names) == 0 && len(s.Rows) == 0 {
		return p, nil
	}
	wrong := fmt.Errorf("claims need a sweep of %s over case, %s and algorithm (seed is optional). This one sweeps %s", mode, name,
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
				return p, fmt.Errorf("claims are statements about the paper's own problems, paper(case=...). This sweep has results for %q", name)
			}
		}
		p.cells = append(p.cells, panelCell{number, value, g.results})
	}
	return p, nil
}

// numeric converts a swept value to a number.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// openClaims returns the paper's claims about each cell.
func (p panel) openClaims() ([]openClaim, error) {
	about := p.aboutErrors
	if p.mode == engine.ModeFC {
		about = aboutSamples
	}
	var out []openClaim
	for _, cell := range p.cells {
		asked, err := about(cell)
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

// claimed is a claim of Figure 2 of the paper about samples: the case (0 is all), the algorithm compared with CoKernelFC, and the test.
type claimed struct {
	number    float64
	rival     string
	statement string
	verdict   func(engine.Interval) (verdict string, why Reason)
}

// claimsOfSamples returns the claims of [Du23, Section 6]: equal tasks reach the V-fold speedup, similar ones lie between, different ones
// gain nothing; and no algorithm is better.
func claimsOfSamples() []claimed {
	return []claimed{
		{1, "IndRAGE/V", "CoKernelFC needs as many samples as IndRAGE/V", alike},
		{2, "IndRAGE/V", "CoKernelFC needs more samples than IndRAGE/V", above},
		{2, "IndRAGE", "CoKernelFC needs fewer samples than IndRAGE", below},
		{3, "IndRAGE", "CoKernelFC needs as many samples as IndRAGE", alike},
		{0, "CoKernelFC-IndAlloc", "CoKernelFC needs fewer samples than CoKernelFC-IndAlloc", below},
		{0, "IndALBA", "CoKernelFC needs fewer samples than IndALBA", below},
		{0, "IndPolyALBA", "CoKernelFC needs fewer samples than IndPolyALBA", below},
	}
}

// aboutSamples returns the claims about ratios of samples.
func aboutSamples(cell panelCell) ([]openClaim, error) {
	own := cell.results["CoKernelFC"]
	if own == nil || cell.number < 1 || cell.number > 3 {
		return nil, nil
	}
	var out []openClaim
	for _, claim := range claimsOfSamples() {
		rival := cell.results[claim.rival]
		if rival == nil || (claim.number != 0 && claim.number != cell.number) {
			continue
		}
		c, err := contrasted(own, rival, MeasureSamples)
		if err != nil {
			return nil, err
		}
		stopped := unfinished(own, rival)
		out = append(out, openClaim{
			Claim: Claim{Source: "[Du23, Section 6]", Statement: claim.statement, Quantity: "samples of CoKernelFC over samples of " + claim.rival},
			judge: func(alpha float64) (engine.Interval, string, Reason) {
				i := c.ratio(alpha)
				switch {
				case stopped.Kind != "":
					return i, ClaimOpen, stopped
				case c.runs() < fewestRuns:
					return i, ClaimOpen, because(ReasonFewRuns, float64(c.runs()), fewestRuns)
				}
				verdict, why := claim.verdict(i)
				return i, verdict, why
			},
		})
	}
	return out, nil
}

// fewestRuns is the number of runs below which samples are not compared: they are multiples of a round's pulls, so a few runs may all be
// equal and their interval far too narrow.
const fewestRuns = 30

// unfinished returns the results whose runs were stopped by a limit. Their numbers of samples are lower than the algorithm needs.
func unfinished(sides ...[]engine.Result) Reason {
	for _, results := range sides {
		for _, r := range results {
			if r.Status != engine.StatusDecided && r.Status != engine.StatusEpsilon {
				return Reason{Kind: ReasonStopped, Names: []string{r.Algorithm, string(r.Status)}}
			}
		}
	}
	return Reason{}
}

// below tests whether a ratio is less than 1.
func below(i engine.Interval) (verdict string, why Reason) {
	return beyond(i, i.CI95[1] < 1, i.CI95[0] >= 1)
}

// above tests whether a ratio is more than 1.
func above(i engine.Interval) (verdict string, why Reason) {
	return beyond(i, i.CI95[0] > 1, i.CI95[1] <= 1)
}

// beyond returns the verdict for a one-sided claim about a ratio.
func beyond(i engine.Interval, holds, fails bool) (verdict string, why Reason) {
	switch {
	case holds:
		return ClaimHolds, barely(i)
	case fails:
		return ClaimFails, times(i)
	}
	return ClaimOpen, undetermined(i)
}

// negligible is a relative difference of samples that rounding to whole pulls causes.
const negligible = 0.001

// barely qualifies a difference that exists and is negligible.
func barely(i engine.Interval) Reason {
	if math.Abs(i.Mean-1) < negligible {
		return because(ReasonBarely, 100*negligible)
	}
	return Reason{}
}

// times returns the measured ratio as the reason.
func times(i engine.Interval) Reason {
	if math.Abs(i.Mean-1) < negligible {
		return because(ReasonNoDifference, 100*negligible)
	}
	return because(ReasonTimes, i.Mean)
}

// alike tests whether a ratio is 1 within the margin.
func alike(i engine.Interval) (verdict string, why Reason) {
	lo, hi := 1/(1+margin), 1+margin
	differs := i.CI95[0] > 1 || i.CI95[1] < 1
	switch {
	case i.CI95[0] >= lo && i.CI95[1] <= hi:
		if off := math.Abs(i.Mean - 1); differs && off >= negligible {
			return ClaimHolds, because(ReasonWithin, 100*margin, 100*off)
		}
		return ClaimHolds, Reason{}
	case i.CI95[0] > hi || i.CI95[1] < lo:
		return ClaimFails, times(i)
	case differs:
		return ClaimOpen, because(ReasonMargin, 100*margin)
	}
	return ClaimOpen, because(ReasonWide, 100*margin)
}

// undetermined returns the reason why a ratio is on neither side of 1.
func undetermined(i engine.Interval) Reason {
	if off := max(i.CI95[1]-1, 1-i.CI95[0]); off <= margin {
		return because(ReasonNear, 100*off)
	}
	return because(ReasonOne)
}
