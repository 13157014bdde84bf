package report

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// noiseKnown returns a word for what is known of the noise of a problem.
func noiseKnown(p problem.Problem) string {
	switch {
	case p.Noise.UnknownBy == problem.UnknownProblem:
		return "unknown common"
	case p.Noise.UnknownBy != "":
		return "unknown " + p.Noise.UnknownBy
	case p.Noise.Bounds != nil:
		return "bounded"
	case p.Noise.Estimated():
		return "estimated"
	}
	return "known"
}

// lowest says what the goal min means.
const lowest = "the lowest reward; gaps and regrets say how far above the best"

// noiseWords says what is known of the noise, and what that is good for.
func noiseWords(p problem.Problem) string {
	switch p.Noise.UnknownBy {
	case problem.UnknownProblem:
		return "scale unknown, up to one factor for all arms: estimated while sampling, by algorithms that can"
	case problem.UnknownTask:
		return "scale unknown, up to a factor for each task: estimated while sampling, by algorithms that can"
	case problem.UnknownArm:
		return "scale unknown for each arm: estimated while sampling, by algorithms that can"
	}
	switch {
	case p.Noise.Bounds != nil:
		return fmt.Sprintf("of any law, rewards lying between %s and %s", cell(p.TurnedBounds(p.Noise.Bounds)[0], 6),
			cell(p.TurnedBounds(p.Noise.Bounds)[1], 6))
	case p.Noise.Estimated():
		return "scale estimated from the data: guarantees that take it as known are heuristic"
	}
	return "scale known"
}

// environmentWords returns how rewards are simulated, in words.
func environmentWords(p problem.Problem) string {
	entry, err := problem.EnvironmentNamed(p.Noise.Environment)
	if err != nil {
		return p.Noise.Environment
	}
	if entry.Name == problem.EnvironmentPosterior {
		return "around expected rewards that each run draws from what these measurements say"
	}
	strength := p.Noise.Strength
	if strength == 0 {
		strength = entry.Strength
	}
	if entry.Strength == 0 {
		return entry.Name
	}
	return fmt.Sprintf("%s, %s %s: no guarantee covers this", entry.Name, entry.Means, cell(strength, 6))
}
