package sequential

import "slices"

// Walks while their question changes (docs/theory/changes.md).

// goes returns the look to which a step of that information takes a walk; fixed is the one that a
// clock with fixed times prescribes. The clock belongs to the walk.
func (c Clock) goes(w *Walk, info float64, fixed int) int {
	if w.Stakes != nil {
		return w.nextStake()
	}
	if c.Times != nil {
		return fixed
	}
	return c.nearest(c.Time(w.Look) + info)
}

// strict returns the clock of walks without the steps of arms that were withdrawn. Their level is
// lower, since any contest may have been chosen for a change with an eye on its walks.
func (c Clock) strict() Clock {
	if c.Strict != nil {
		c.Z = c.Strict
	}
	return c
}

// Withdraw lets the walk hold without an arm that is no answer any more. The steps that it led
// speak against x only because it was better, so the walk is made a second time as if it had sat
// out of them, and is judged by the strict heights; x is out when both have crossed. Where that arm
// led no step, the second walk has the steps of the first. It reports whether the arm led any.
func (w *Walk) Withdraw(c Clock, leader int) bool {
	led := func(v *Walk) bool {
		return slices.ContainsFunc(v.steps, func(s step) bool { return s.leader == leader })
	}
	var more []*Walk
	if first := led(w); first || !w.copied {
		more = append(more, w.without(c, leader))
		w.copied = w.copied || !first
	}
	for _, v := range w.also {
		if led(v) {
			more = append(more, v.without(c, leader))
		}
	}
	w.also = append(w.also, more...)
	w.settle()
	return led(w)
}

// without makes the walk again, sitting out where that arm led.
func (w *Walk) without(c Clock, leader int) *Walk {
	out := &Walk{Look: -1, Offset: w.Offset, Stakes: w.Stakes}
	for _, s := range w.steps {
		if s.leader == leader {
			continue
		}
		if s.look = c.Of(out).goes(out, s.info, s.look); s.look > out.Look {
			out.take(c.strict(), s)
		}
	}
	return out
}

// Recheck looks again at the steps so far under other heights: x is out where its walk has crossed
// them.
func (w *Walk) Recheck(c Clock) {
	w.crossed = w.crossed || w.excludes(c, -1, 0)
	for _, v := range w.also {
		v.crossed = v.crossed || v.excludes(c.strict(), -1, 0)
	}
	w.settle()
}

// Moved returns a copy of the walk whose arms have other numbers, in units of which one old one has so
// many.
func (w *Walk) Moved(to func(arm int) int, unit float64) *Walk {
	out := *w
	if out.Stakes == nil {
		out.Sum /= unit
	}
	out.steps, out.also = slices.Clone(w.steps), nil
	for k := range out.steps {
		s := &out.steps[k]
		s.leader, s.Gap, s.Sd, s.root, s.info = to(s.leader), s.Gap*unit, s.Sd*unit, s.root/unit, s.info/(unit*unit)
		s.loss, s.raised = 0, s.zero
		s.Slope = scaled(s.Slope, 1/unit)
	}
	for _, v := range w.also {
		out.also = append(out.also, v.Moved(to, unit))
	}
	return &out
}

// scaled returns the numbers times a factor; nil for nil.
func scaled(x []float64, factor float64) []float64 {
	out := slices.Clone(x)
	for j := range out {
		out[j] *= factor
	}
	return out
}
