package campaign

import (
	"fmt"
)

// epsilon returns the accuracy in force.
func (x *Run) epsilon(p Protocol) float64 {
	if x.Epsilon != nil {
		return *x.Epsilon
	}
	return p.Options.Epsilon
}

// changes says how many arms came and went.
func (x *Run) changes() string {
	arms := func(n int, what string) string {
		if n == 1 {
			return "1 arm was " + what
		}
		return fmt.Sprintf("%d arms were %s", n, what)
	}
	switch {
	case x.Added == 0:
		return arms(x.Withdrawn, "withdrawn")
	case x.Withdrawn == 0:
		return arms(x.Added, "added")
	}
	return arms(x.Withdrawn, "withdrawn") + " and " + arms(x.Added, "added")
}

// assumes lists what the answers rest on besides the guarantee of the algorithm: what happened to
// pulls on the way.
func (s *State) assumes(x *Run) []string {
	var out []string
	lost, extra, closed, early := 0, 0, 0, 0
	for _, r := range s.rounds {
		if r.closed == 0 {
			continue
		}
		for i, n := range r.plan.Counts {
			if d := n - r.measuredOf(i); d > 0 {
				lost += d
			} else {
				extra -= d
			}
		}
		if r.early {
			early++
			lost = max(0, lost-s.cameLate(r))
		}
		closed += count(r.reason != "" && !r.early)
	}
	if lost > 0 {
		out = append(out, fmt.Sprintf("the %s that %s lost have nothing to do with their rewards (a failed reaction is a reward of 0)", pulls(lost), map[bool]string{true: "was", false: "were"}[lost == 1]))
	}
	if extra > 0 {
		out = append(out, fmt.Sprintf("the %s beyond the plan were not chosen by their rewards", pulls(extra)))
	}
	if closed > 0 {
		out = append(out, fmt.Sprintf("%d %s closed for reasons that have nothing to do with rewards", closed, map[bool]string{true: "round was", false: "rounds were"}[closed == 1]))
	}
	if early > 0 {
		out = append(out, fmt.Sprintf("when a result comes has nothing to do with its reward: %d %s ended without late results, which the posterior took whole when they came", early, map[bool]string{true: "round", false: "rounds"}[early == 1]))
	}
	if b := x.Outcome.Bound; b > x.Delta {
		out = append(out, fmt.Sprintf("%s while it ran, so that the probability of a wrong answer is at most %.4g in place of %g (docs/theory.md, Changes of a running test)", x.changes(), b, x.Delta))
	}
	return out
}
