package sim

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// claimed is a claim that Figure 2 of the paper makes about samples: of which case
// (0 is all), about which algorithm beside CoKernelFC, and how it is judged.
type claimed struct {
	number    float64
	rival     string
	statement string
	verdict   func(engine.Interval) (verdict string, why Reason)
}

// claimsOfSamples returns the claims of [Du23, Section 6]: same tasks match the V-fold speedup,
// similar ones lie between, different ones gain nothing; and nobody is better.
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

// aboutSamples asks for ratios of samples.
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
			Claim: Claim{Source: "[Du23, Section 6]", Statement: claim.statement, Quantity: "samples of CoKernelFC over those of " + claim.rival},
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

// fewestRuns is the number of runs below which samples are not judged: they are
// multiples of a round's pulls, so a few runs may well be all alike and their interval
// a point, or far too narrow.
const fewestRuns = 30

// unfinished reports runs that a limit stopped: their samples are not what the algorithm needs.
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

// below judges whether a ratio is less than 1.
func below(i engine.Interval) (verdict string, why Reason) {
	switch {
	case i.CI95[1] < 1:
		return ClaimHolds, barely(i)
	case i.CI95[0] >= 1:
		return ClaimFails, times(i)
	}
	return ClaimOpen, undetermined(i)
}

// above judges whether a ratio is more than 1.
func above(i engine.Interval) (verdict string, why Reason) {
	switch {
	case i.CI95[0] > 1:
		return ClaimHolds, barely(i)
	case i.CI95[1] <= 1:
		return ClaimFails, times(i)
	}
	return ClaimOpen, undetermined(i)
}

// negligible is a relative difference of samples that rounding to whole pulls makes.
const negligible = 0.001

// barely qualifies a difference that is there and does not matter.
func barely(i engine.Interval) Reason {
	if math.Abs(i.Mean-1) < negligible {
		return because(ReasonBarely, 100*negligible)
	}
	return Reason{}
}

// times says what a ratio is instead.
func times(i engine.Interval) Reason {
	if math.Abs(i.Mean-1) < negligible {
		return because(ReasonNoDifference, 100*negligible)
	}
	return because(ReasonTimes, i.Mean)
}

// alike judges whether a ratio is 1 within the margin.
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

// undetermined says why a ratio is on neither side of 1.
func undetermined(i engine.Interval) Reason {
	if off := max(i.CI95[1]-1, 1-i.CI95[0]); off <= margin {
		return because(ReasonNear, 100*off)
	}
	return because(ReasonOne)
}
