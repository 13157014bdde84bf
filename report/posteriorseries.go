package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// byArm returns the series of a task along its arms. Dense ones and those without bands have no middle round,
// and means of dense ones are lines.
func (p picture) byArm(v int, names []string) []Series {
	arms := p.arms(v)
	if names != nil {
		slices.SortStableFunc(arms, func(i, j int) int {
			return cmp.Compare(slices.Index(names, p.Arms[i]), slices.Index(names, p.Arms[j]))
		})
	}
	at := make([]float64, len(arms))
	for k, i := range arms {
		at[k] = float64(k + 1)
		if names != nil {
			at[k] = float64(slices.Index(names, p.Arms[i]))
		}
	}
	means, truths, bands := Points, Points, Shade
	if names != nil && !p.dense && !scale(names) { // nothing lies between two of them
		bands = Points
	}
	rounds := p.shown()
	if (p.dense || bands == Points) && len(rounds) == 3 {
		rounds = []engine.RoundEstimates{rounds[0], rounds[2]}
	}
	if p.dense {
		means, truths = Forecast, Forecast
	}
	var out []Series
	for k, r := range rounds {
		s := p.series(fmt.Sprintf("after round %d", r.Round), r, arms, at)
		last := len(rounds) - 1
		if k == last && last > 0 {
			s.Name += ", the last"
		}
		if k == last && p.dense { // the shade below the line is not named by itself
			shade := s
			shade.Name, shade.Style, shade.Hue = "", Shade, 1
			out, s.Lo, s.Hi = append(out, shade), nil, nil
		}
		switch {
		case k == last:
			s.Style, s.Hue = means, 1
		case k == 0:
			s.Style, s.Hue = bands, 6
		default:
			s.Style, s.Hue = bands, 1
		}
		out = append(out, s)
	}
	if p.Truth == nil || !p.reference {
		return out
	}
	truth := Series{Name: p.compared, Style: truths, Reference: true, X: at}
	for _, i := range arms {
		truth.Y = append(truth.Y, p.Truth[i])
	}
	return append(out, truth)
}

// truthOf names what estimates are compared with.
func truthOf(r engine.Result) string {
	switch {
	case r.Sampled:
		return "mean measured"
	case r.Drawn:
		return "mean drawn for this run"
	}
	return "true mean"
}

// series returns the estimates of arms after a round.
func (p picture) series(name string, r engine.RoundEstimates, arms []int, at []float64) Series {
	s := Series{Name: name, X: at}
	for _, i := range arms {
		s.Y = append(s.Y, r.Mean[i])
		s.Lo, s.Hi = append(s.Lo, r.Mean[i]-r.Half[i]), append(s.Hi, r.Mean[i]+r.Half[i])
	}
	return s
}

// mostCurves is the most arms of a task that are told apart along the rounds; the others are thin
// lines without intervals.
const mostCurves = 5

// byRound returns the series of a task along the rounds: those that end highest first, in bands of
// their intervals.
func (p picture) byRound(v int) []Series {
	arms := p.arms(v)
	p.best(arms)
	var out []Series
	for k, i := range arms {
		s := Series{Name: p.Arms[i], Style: Band}
		if k >= mostCurves {
			s.Name, s.Style = "", Bound
			if k == mostCurves { // they are named once
				s.Name = "other arms"
			}
		}
		for _, r := range p.Rounds {
			s.X, s.Y = append(s.X, float64(r.Round)), append(s.Y, r.Mean[i])
			if s.Style == Band {
				s.Lo, s.Hi = append(s.Lo, r.Mean[i]-r.Half[i]), append(s.Hi, r.Mean[i]+r.Half[i])
			}
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Series) int { // what is told apart lies above the others
		return int(sign(float64(count(a.Style == Band)) - float64(count(b.Style == Band))))
	})
	return out
}
