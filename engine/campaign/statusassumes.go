package campaign

// epsilon returns the accuracy in force.
func (x *Run) epsilon(p Protocol) float64 {
	if x.Epsilon != nil {
		return *x.Epsilon
	}
	return p.Options.Epsilon
}

// nextEpsilon says that the last change of epsilon is not the one that answers are for, as long as it waits.
func (s *State) nextEpsilon(now float64) []Note {
	next := now
	for _, a := range s.amends {
		if a.Epsilon != nil {
			next = *a.Epsilon
		}
	}
	if next == now || s.done != nil && !s.reopened && s.open() == nil {
		return nil
	}
	return []Note{{Kind: NoteEpsilon, Numbers: []float64{next, now}}}
}

// assumes lists what the answers rest on besides the guarantee of the algorithm: what happened to
// pulls on the way.
func (s *State) assumes(x *Run) []Note {
	var out []Note
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
	add := func(kind NoteKind, n int) {
		if n > 0 {
			out = append(out, noteOf(kind, n))
		}
	}
	add(NoteLost, lost)
	add(NoteExtra, extra)
	add(NoteClosed, closed)
	add(NoteEarly, early)
	if b := x.Outcome.Bound; b > x.Delta {
		out = append(out, Note{Kind: NoteChanged, Numbers: []float64{float64(x.Added), float64(x.Withdrawn), b, x.Delta}})
	}
	return out
}
