package sim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// competitorsFB are the baselines of [Du23, App. A].
var competitorsFB = [...]string{"CoKernelFB-IndAlloc", "IndPeaceFB", "IndUniformFB"}

// aboutErrors returns the claims about differences of error rates: in cases 1 and 2 CoKernelFB errs less than every baseline, in case 3
// it approaches IndPeaceFB.
func (p panel) aboutErrors(cell panelCell) ([]openClaim, error) {
	own := cell.results["CoKernelFB"]
	if own == nil {
		return nil, nil
	}
	var out []openClaim
	for _, name := range competitorsFB {
		rival := cell.results[name]
		if rival == nil || (cell.number == 3 && name != "IndPeaceFB") || cell.number < 1 || cell.number > 3 {
			continue
		}
		c, err := contrasted(own, rival, MeasureError)
		if err != nil {
			return nil, err
		}
		q := openClaim{Claim: Claim{
			Source: "[Du23, App. A]", Statement: "CoKernelFB errs less than " + name, Quantity: "errors of CoKernelFB minus errors of " + name,
		}, judge: c.fewerErrors}
		if cell.number == 3 {
			q.Statement, q.judge = "CoKernelFB errs about as often as "+name, c.alikeErrors
		}
		out = append(out, q)
	}
	trend, err := p.trend(cell)
	if err != nil || trend == nil {
		return out, err
	}
	return append(out, *trend), nil
}

// fewerErrors tests whether a difference of error rates is less than 0. It is not if both err in the same runs, whatever the interval.
func (c contrast) fewerErrors(alpha float64) (engine.Interval, string, Reason) {
	d := c.difference(alpha)
	switch {
	case d.CI95[1] < 0:
		return d, ClaimHolds, Reason{}
	case d.CI95[0] > 0:
		return d, ClaimFails, because(ReasonMoreErrors, 100*d.Mean)
	}
	if c.paired && c.onlyA+c.onlyB == 0 && c.a.count > 0 {
		return d, ClaimFails, because(ReasonSameRuns)
	}
	if why := c.unmeasurable(); why.Kind != "" {
		return d, ClaimOpen, why
	}
	return d, ClaimOpen, because(ReasonZero)
}

// alikeErrors tests whether a difference of error rates is 0 within the margin. Two unmeasurable rates are not evidence of equality.
func (c contrast) alikeErrors(alpha float64) (engine.Interval, string, Reason) {
	d := c.difference(alpha)
	why := c.unmeasurable()
	switch {
	case why.Kind != "":
		return d, ClaimOpen, why
	case d.CI95[0] >= -margin && d.CI95[1] <= margin:
		if d.CI95[0] > 0 || d.CI95[1] < 0 {
			return d, ClaimHolds, because(ReasonErrorsWithin, 100*margin, 100*math.Abs(d.Mean))
		}
		return d, ClaimHolds, Reason{}
	case d.CI95[0] > margin:
		return d, ClaimFails, because(ReasonMoreErrors, 100*d.Mean)
	case d.CI95[1] < -margin:
		return d, ClaimFails, because(ReasonFewerErrors, -100*d.Mean)
	}
	return d, ClaimOpen, because(ReasonErrorsWide, 100*margin)
}

// unmeasurable reports two error rates that are both small or both large, so that nothing separates them; otherwise the reason is empty.
func (c contrast) unmeasurable() Reason {
	a, b := Proportion(c.a.count, c.a.runs), Proportion(c.b.count, c.b.runs)
	if hi := max(a.CI95[1], b.CI95[1]); hi < margin {
		return because(ReasonBelow, 100*hi)
	}
	if lo := min(a.CI95[0], b.CI95[0]); lo > 1-margin {
		return because(ReasonAbove, 100*lo)
	}
	return Reason{}
}

// trend returns the claim for case 3 that the error of CoKernelFB is closer to IndPeaceFB's than in case 1 at the same budget; nil if one
// of the four results is missing.
func (p panel) trend(cell panelCell) (*openClaim, error) {
	if cell.number != 3 {
		return nil, nil
	}
	found := map[float64]contrast{} // by case
	for _, other := range p.cells {
		own, rival := other.results["CoKernelFB"], other.results["IndPeaceFB"]
		if other.value != cell.value || own == nil || rival == nil {
			continue
		}
		c, err := contrasted(own, rival, MeasureError)
		if err != nil {
			return nil, err
		}
		found[other.number] = c
	}
	first, ok := found[1]
	last, also := found[3]
	if !ok || !also {
		return nil, nil
	}
	return &openClaim{Claim: Claim{
		Source: "[Du23, App. A]", Statement: "CoKernelFB is closer to IndPeaceFB than in case 1",
		Quantity: "distance of the error rates of CoKernelFB and IndPeaceFB, case 3 minus case 1",
	}, judge: func(alpha float64) (engine.Interval, string, Reason) { return closer(first, last, alpha) }}, nil
}

// closer tests whether two error rates are closer in the last contrast than in the first. The interval combines two simultaneous
// intervals, one per difference, so it makes no assumption on their dependence.
func closer(first, last contrast, alpha float64) (engine.Interval, string, Reason) {
	f, l := distance(first.difference(alpha/2)), distance(last.difference(alpha/2))
	i := engine.Interval{Mean: l.Mean - f.Mean, CI95: [2]float64{l.CI95[0] - f.CI95[1], l.CI95[1] - f.CI95[0]}}
	if why := first.unmeasurable(); why.Kind != "" {
		why.Kind = map[ReasonKind]ReasonKind{ReasonBelow: ReasonFirstBelow, ReasonAbove: ReasonFirstAbove}[why.Kind]
		return i, ClaimOpen, why
	}
	if why := last.unmeasurable(); why.Kind != "" {
		return i, ClaimOpen, why
	}
	switch {
	case i.CI95[1] < 0:
		return i, ClaimHolds, Reason{}
	case i.CI95[0] > 0:
		return i, ClaimFails, because(ReasonApart, 100*i.Mean)
	}
	return i, ClaimOpen, because(ReasonZero)
}

// distance returns the interval of |d| from the interval of d.
func distance(d engine.Interval) engine.Interval {
	lo, hi := d.CI95[0], d.CI95[1]
	least := max(0, lo, -hi)
	return engine.Interval{Mean: math.Abs(d.Mean), CI95: [2]float64{least, max(-lo, hi)}}
}

// contrast compares two samples.
type contrast struct {
	a, b   sample
	paired bool
	// For paired samples: the covariance of the means; runs where only a is wrong, and where only b is.
	covariance   float64
	onlyA, onlyB float64
}

// newContrast pairs the samples if they are from the same runs.
func newContrast(a, b sample) contrast {
	c := contrast{a: a, b: b, paired: a.values != nil && b.values != nil && slices.Equal(a.ids, b.ids)}
	if !c.paired {
		return c
	}
	if a.runs > 1 {
		c.covariance = stat.Covariance(a.values, b.values, nil) / float64(a.runs)
	}
	for i := range a.values {
		c.onlyA += float64(indices.Indicator(a.values[i] > b.values[i]))
		c.onlyB += float64(indices.Indicator(a.values[i] < b.values[i]))
	}
	return c
}

// runs returns the number of runs of the smaller sample.
func (c contrast) runs() int { return min(c.a.runs, c.b.runs) }

// difference returns a - b with the interval that misses with probability alpha:
//
//	means, paired        Student's t over the differences
//	means                Welch's t
//	proportions, paired  adjusted Wald [Bonett and Price 2012]
//	proportions          adjusted Wald [Agresti and Caffo 2000]
func (c contrast) difference(alpha float64) engine.Interval {
	d := c.a.mean - c.b.mean
	if c.a.proportion {
		return c.proportions(d, alpha)
	}
	half := c.half(alpha, c.a.variance, c.b.variance, c.covariance)
	return engine.Interval{Mean: d, CI95: [2]float64{d - half, d + half}}
}

// proportions adds one run to each of the two discordant counts and two runs in total (paired), or one wrong and one right run to each
// sample.
func (c contrast) proportions(d, alpha float64) engine.Interval {
	z := distuv.UnitNormal.Quantile(1 - alpha/2)
	var centre, variance float64
	if c.paired {
		n := float64(c.a.runs) + 2
		p, q := (c.onlyA+1)/n, (c.onlyB+1)/n
		centre, variance = p-q, (p+q-(p-q)*(p-q))/n
	} else {
		n, m := float64(c.a.runs)+2, float64(c.b.runs)+2
		p, q := float64(c.a.count+1)/n, float64(c.b.count+1)/m
		centre, variance = p-q, p*(1-p)/n+q*(1-q)/m
	}
	half := z * math.Sqrt(variance)
	return engine.Interval{Mean: d, CI95: [2]float64{max(-1, centre-half), min(1, centre+half)}}
}

// half returns the half width of Student's interval for a difference with these variances.
func (c contrast) half(alpha, va, vb, covariance float64) float64 {
	variance := max(0, va+vb-2*covariance)
	if variance == 0 || c.runs() < 2 {
		return 0
	}
	na, nb := float64(c.a.runs-1), float64(c.b.runs-1)
	freedom := na
	if !c.paired {
		freedom = (va + vb) * (va + vb) / (va*va/na + vb*vb/nb) // Welch and Satterthwaite
	}
	return student(alpha, freedom) * math.Sqrt(variance)
}

// ratio returns a/b with the interval that misses with probability alpha, by the delta method for the logarithm; zero if a mean is not
// positive. Half a wrong run is added to both counts of an error rate, so that a may be 0.
func (c contrast) ratio(alpha float64) engine.Interval {
	if !(c.b.mean > 0) || !(c.a.mean > 0 || c.a.proportion) {
		return engine.Interval{}
	}
	a, b := c.a.mean, c.b.mean
	centre := math.Log(a / b)
	var half float64
	if c.a.proportion {
		x, y, n, m := float64(c.a.count)+.5, float64(c.b.count)+.5, float64(c.a.runs)+.5, float64(c.b.runs)+.5
		variance := 1/x - 1/n + 1/y - 1/m
		if c.paired {
			variance = (c.onlyA + c.onlyB + 1) / (x * y)
		}
		centre, half = math.Log(x/n/(y/m)), distuv.UnitNormal.Quantile(1-alpha/2)*math.Sqrt(variance)
	} else {
		half = c.half(alpha, c.a.variance/(a*a), c.b.variance/(b*b), c.covariance/(a*b))
	}
	r := engine.Interval{Mean: a / b, CI95: [2]float64{math.Exp(centre - half), math.Exp(centre + half)}}
	if a == 0 {
		r.CI95[0] = 0
	}
	return r
}
