package sim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

// contrast compares the means of two samples, a and b.
type contrast struct {
	a, b   sample
	paired bool
	// For paired samples: the covariance of the means, and the numbers of runs in which only a is larger and only b is
	// larger. For errors, larger means wrong.
	covariance   float64
	onlyA, onlyB float64
}

// newContrast returns a contrast. It pairs the samples if they are from the same runs.
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

// proportions is difference for error rates. If paired, it adds one run to each of the two discordant counts and two runs
// in total. Otherwise it adds one wrong and one right run to each sample.
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

// half returns the half width of Student's interval for a difference of means. va and vb are the variances of the means,
// covariance is their covariance.
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

// ratio returns a/b with an interval that misses with probability alpha, by the delta method for log(a/b). It returns zero
// if a mean is not positive. For error rates, half a wrong run is added to both counts, so that a may be 0.
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
