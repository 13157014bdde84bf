package campaign

// review works out how far a campaign is from what an algorithm makes of it.
type review struct {
	Moment
	*Run
}

// nextEpsilon says that the last change of epsilon is not the one that answers are for, as long as it waits.
func (s review) nextEpsilon() []Note {
	now := s.epsilon(s.Protocol)
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
func (s review) assumes() []Note {
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
	if b := s.Outcome.Bound; b > s.Delta {
		out = append(out, Note{Kind: NoteChanged, Numbers: []float64{float64(s.Added), float64(s.Withdrawn), b, s.Delta}})
	}
	return out
}

// pending names the arms that were added and wait for the end of the open round; nil where none do.
func (s review) pending() []Note {
	n := Note{Kind: NotePending}
	for i := range s.Problem.TaskOf {
		if r := s.open(); r != nil && s.cameAfter(r, i) {
			n.Names = append(n.Names, s.Problem.NamesOf(i)...)
		}
	}
	if len(n.Names) == 0 {
		return nil
	}
	return []Note{n}
}

// cameLate returns how many pulls of a round came after it was over.
func (s review) cameLate(r *round) int {
	n := 0
	for _, g := range s.guides {
		if g.late && g.round == r.plan.Round {
			n += g.count()
		}
	}
	return n
}
