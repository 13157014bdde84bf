package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/sentence"
)

// String returns the sentence, without a full stop.
func (w Warning) String() string { return WarningText(w) }

// UnmarshalJSON reads the fact as it is stored, or its sentence as package report writes it.
func (w *Warning) UnmarshalJSON(b []byte) error {
	var said string
	if json.Unmarshal(b, &said) == nil {
		*w = Warning{Kind: WarningKind(said)}
		return nil
	}
	type fact Warning
	return json.Unmarshal(b, (*fact)(w))
}

// Named reports whether the warning names a task, an arm or something else: what it says is then
// not true of others of its kind.
func (w Warning) Named() bool { return len(w.Names) > 0 || w.LackOfFit != nil }

// Same reports whether two warnings read the same: numbers count to the digits that are shown.
func (w Warning) Same(v Warning) bool { return w.String() == v.String() }

// WarningText returns one sentence for several warnings of one kind, at least one. Each number of
// the sentence is a range where they differ, as in "1.06 to 1.15 times the scale"; warnings that
// name something are not merged, and the first stands for all. A kind that is not listed is its
// own sentence.
func WarningText(ws ...Warning) string {
	w := ws[0]
	format, listed := sentences[w.Kind]
	switch {
	case w.LackOfFit != nil:
		return w.lackOfFit()
	case w.OfPrior():
		return w.prior(format)
	case w.Named():
		ws = ws[:1]
	}
	if !listed {
		var notes []problem.Note
		for _, x := range ws {
			notes = append(notes, x.Note())
		}
		return problem.NoteText(notes...)
	}
	var numbers [][]float64
	for _, x := range ws {
		numbers = append(numbers, x.Numbers)
	}
	return sentence.Write(format, w.Names, numbers...)
}

// Note returns the warning as a note of a problem, where it is about the kernel on its points.
func (w Warning) Note() problem.Note {
	return problem.Note{Kind: problem.NoteKind(w.Kind), Names: w.Names, Numbers: w.Numbers}
}

// lackOfFit returns the sentence of WarnLackOfFit.
func (w Warning) lackOfFit() string {
	l := w.LackOfFit
	var arms []string
	for _, r := range l.Worst {
		arms = append(arms, fmt.Sprintf("task %q, arm %q by %.3g (%s standard errors)", r.Task, r.Arm, r.Off, tenths(r.Standardised)))
	}
	remedy := fmt.Sprintf("the remedy is + %.3g*identity() in the kernel, or robust=true with CoTestFC", l.Nugget)
	if l.Robust {
		remedy = fmt.Sprintf("robust=true allows for it; in the kernel it is + %.3g*identity()", l.Nugget)
	}
	if l.Scales {
		remedy += `; or the noise is larger than stated, which noise="unknown" allows for`
	}
	if math.IsInf(l.Nugget, 1) {
		remedy = "no kernel explains numbers so large: look for a slip in them"
	}
	if a := l.Alike; a != nil {
		remedy = fmt.Sprintf("arms %q and %q of task %q have the same features and differ by %.3g (%s standard errors): a column "+
			"that tells them apart is missing; ", a.Arm, a.Other, a.Task, math.Abs(a.Off), tenths(math.Abs(a.Standardised))) + remedy
	}
	s := fmt.Sprintf("the kernel does not fit: in round %d the mean rewards differed from what it can represent by more than "+
		"noise does (p = %.2g); farthest off: %s; %s",
		l.Round, l.PValue, strings.Join(arms, ", "), remedy)
	if len(w.Numbers) == 2 && w.Numbers[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", w.Numbers[0], w.Numbers[1], s)
	}
	return s
}

// NoiseWarnings says that rewards are simulated with a guess of their noise, where nothing is known
// of it: predictions go by it, and rewards in other units have another one. An algorithm that
// estimates the scale takes no guess for true, and its guarantee does not rest on one.
func NoiseWarnings(p *problem.Problem) []Warning {
	if p.Noise.UnknownBy != "" && p.Noise.SD == nil && p.Rewards == nil && p.N() > 0 {
		return []Warning{{Kind: WarnNoiseGuessed, Names: []string{p.Name}, Numbers: []float64{p.LargestNoise()}}}
	}
	return nil
}

// priorNumbers is how many numbers of a warning about a prior are about one run.
const priorNumbers = 5

// OfPrior reports whether the warning says that data are not credible under a prior.
func (w Warning) OfPrior() bool {
	return w.Kind == WarnPriorLevel || w.Kind == WarnPriorScale || w.Kind == WarnPriorKernel
}

// prior returns the sentence of a warning about a prior, with the number of runs where there are
// several.
func (w Warning) prior(format string) string {
	s := sentence.Write(format, nil, w.Numbers[:min(priorNumbers, len(w.Numbers))])
	if runs := w.Numbers[min(priorNumbers, len(w.Numbers)):]; len(runs) == 2 && runs[1] > 1 {
		s = fmt.Sprintf("in %.0f of %.0f runs %s (of the first such run)", runs[0], runs[1], s)
	}
	return s
}

// tenths writes a number of standard errors, of which more than a thousand have no tenths.
func tenths(x float64) string {
	if math.Abs(x) < 1000 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
