package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/belief"
)

// describe completes the answer: losses, the noise in words, and how far to believe it.
func (a *Answer) describe(b *belief.Belief) {
	for _, p := range a.Picks {
		a.LossNow += p.Loss / float64(len(a.Picks))
	}
	a.LossAfter = max(a.LossAfter+a.LossNow, 0)
	a.Noise = noiseWords(b.Scatter)
	switch blocks := b.Problem.Blocks; {
	case b.Blocks > 0:
		of := ""
		if l := b.Problem.Long; l != nil {
			of = " of " + strings.Join(l.Blocks, ", ")
		}
		a.Noise += fmt.Sprintf("; %d blocks%s differ by sd %s, which is taken out", len(blocks), of, short(b.Blocks))
	case len(blocks) > 0:
		a.Warnings = append(a.Warnings, "effects of blocks are not taken out of counts of successes")
	}
	l := b.Left
	a.Basis = fmt.Sprintf("Believe this as far as the kernel predicts: means that were left out, to ±%s", short(l.Error))
	if l.Without > 0 {
		a.Basis += fmt.Sprintf(" (the mean of the task's other arms: ±%s)", short(l.Without))
	}
	a.Basis += "."
	var unsure []string
	for _, p := range a.Picks {
		switch {
		case p.More > 0:
			unsure = append(unsure, fmt.Sprintf("at %s about %d more of %s", p.Task, p.More, strings.Join(p.MoreOf, " and ")))
		case p.More < 0:
			unsure = append(unsure, fmt.Sprintf("at %s more than %d", p.Task, MaxMore))
		}
	}
	if len(unsure) > 0 {
		const shown = 3
		rest := ""
		if len(unsure) > shown {
			rest = fmt.Sprintf("; and so on for %d further tasks", len(unsure)-shown)
			if len(unsure) == shown+1 {
				rest = "; and so on for one further task"
			}
			unsure = unsure[:shown]
		}
		a.Basis += " To be 95 % sure: " + strings.Join(unsure, "; ") + rest + "."
	}
	if l.Arms >= fewestLeft && l.Coverage < leastCoverage {
		a.Warnings = append(a.Warnings,
			fmt.Sprintf("of the means that were left out, %.0f %% lie in their 95 %% interval: the intervals above are too narrow", 100*l.Coverage))
	}
	if l.Arms >= fewestLeft && l.Without > 0 && l.Error > l.Without {
		a.Warnings = append(a.Warnings,
			"the features predict the arms no better than the mean of the task: the answer rests on what was measured of each arm alone")
	}
}

// leastCoverage is the share of left-out means in their 95 % interval below which that is said, of
// fewestLeft arms at least: 20 of them fall below it once in 200 times.
const leastCoverage, fewestLeft = 0.8, 20

// noiseWords says how measurements scatter.
func noiseWords(l belief.Scatter) string {
	each := "sd " + short(l.Scales[0]) + " to " + short(l.Scales[1])
	switch l.Kind {
	case belief.ScatterStated:
		return "as stated: " + each
	case belief.ScatterCounts:
		return "counts of successes"
	case belief.ScatterTask:
		return "a scale for each task: " + each
	case belief.ScatterArm:
		return "a scale for each arm: " + each
	case belief.ScatterMean:
		return "it changes with the mean: " + each
	case belief.ScatterUnknown:
		return "no arm was measured twice; from the kernel, sd " + short(l.Scales[1])
	}
	return "the same everywhere: sd " + short(l.Scales[1])
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
