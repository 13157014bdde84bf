package problem

import (
	"fmt"
	"math"
	"strings"
)

// unmeasured returns the arms without an expected reward where some have one.
func (p *Problem) unmeasured() []int {
	var missing []int
	for i, m := range p.Partial {
		if math.IsNaN(m) {
			missing = append(missing, i)
		}
	}
	return missing
}

// Unmeasured names the arms that have no expected reward although others have, as a sentence
// without a full stop that says what can be done; "" where all have one, or none.
func (p *Problem) Unmeasured() string {
	const most = 8
	missing := p.unmeasured()
	if missing == nil {
		return ""
	}
	var words []string
	for _, i := range missing[:min(most, len(missing))] {
		words = append(words, p.Where(i))
	}
	if more := len(missing) - most; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	verb := "are"
	if len(missing) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %d arms %s not measured (%s); measure what is missing, or write unmeasured=\"drop\" in problem(…) "+
		"to go on without it",
		len(missing), p.N(), verb, strings.Join(words, "; "))
}

// Measured returns the problem of the arms whose expected rewards are known, without tasks that
// have none; p itself where all are known, or none is. Its name says that it is one of measured
// arms.
func (p *Problem) Measured() *Problem {
	missing := p.unmeasured()
	if missing == nil {
		return p
	}
	known := func(i int) bool { return !math.IsNaN(p.Partial[i]) }
	var tasks []int
	for v := range p.V() {
		for lo, hi := p.ArmsOf(v); lo < hi; lo++ {
			if known(lo) {
				tasks = append(tasks, v)
				break
			}
		}
	}
	q := p.only(tasks, known)
	q.Name = fmt.Sprintf("%s (%d measured of %d arms)", p.Name, q.N(), p.N())
	return q
}

// measuredArms counts the arms that have a mean.
func (p *Problem) measuredArms() int {
	count := 0
	for _, m := range p.Means() {
		if !math.IsNaN(m) {
			count++
		}
	}
	return count
}

// separate makes the means unknown, and partially known, if one of them is: what needs means needs
// all of them.
func (p *Problem) separate(path string) {
	var missing []int
	for i, m := range p.Mean {
		if math.IsNaN(m) {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return
	}
	if len(missing) < p.N() {
		p.Partial = p.Mean
	}
	p.Mean = nil
	p.Notes = append(p.Notes, p.noteOf(NoteUnmeasured, path, missing))
}

// dropUnmeasured returns the arms that have a mean and the tasks that have such an arm, in their
// order, with a note on the others. It reports a table that has none.
func dropUnmeasured(path string, arms []arm, order []string) ([]arm, []string, []Note, error) {
	var kept []arm
	has := map[string]bool{}
	var dropped []string // task and arm of each
	for _, a := range arms {
		if math.IsNaN(a.mean) {
			dropped = append(dropped, a.task, a.name)
			continue
		}
		kept = append(kept, a)
		has[a.task] = true
	}
	if len(kept) == 0 {
		return nil, nil, nil, &DataError{Path: path, Message: "no arm is measured, so there is nothing left with unmeasured=\"drop\""}
	}
	var tasks []string
	for _, name := range order {
		if has[name] {
			tasks = append(tasks, name)
		}
	}
	if len(dropped) == 0 {
		return kept, tasks, nil, nil
	}
	return kept, tasks, []Note{{
		Kind: NoteDropped, Path: path, Names: dropped[:min(len(dropped), 2*mostListed)],
		Numbers: []float64{float64(len(arms) - len(kept)), float64(len(arms))},
	}}, nil
}
