package sequential

import (
	"iter"
	"math"
)

// sum is the statistic S = Σ √dT Z, minus the bound on its bias, on the clock T: the inverse-normal combination
// [LehmacherWassmer99]. It crosses the boundary if it reaches z_k √T_k.
type sum struct{}

func (sum) next(w *Walk, c Clock, info float64, round int) int { return c.Next(w.Look, info, round) }

func (sum) take(w *Walk, c Clock, s step) (crossed bool) {
	s.zero, s.root = s.Z(0), math.Sqrt(c.Time(s.look)-c.Time(w.Look))
	s.loss, s.raised = 0, s.zero
	w.steps = append(w.steps, s)
	w.Sum, w.Allowed, w.Look = w.Sum+s.root*s.zero+w.Allowed-s.allowed, s.allowed, s.look
	return w.Sum >= c.Height(s.look)
}

// path yields the look and the sum after each step, if the leader is below x by loss.
func (sum) path(w *Walk, leader int, loss float64) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		total := 0.0
		for k := range w.steps {
			s := &w.steps[k]
			total += s.root * s.against(leader, loss)
			if !yield(s.look, total-s.allowed) {
				return
			}
		}
	}
}

// lastSum returns the last look and sum that path yields.
func (s sum) lastSum(w *Walk, leader int, loss float64) (look int, total float64) {
	look = -1
	for k, x := range s.path(w, leader, loss) {
		look, total = k, x
	}
	return look, total
}

func (s sum) raised(w *Walk, leader int, loss float64) float64 {
	_, total := s.lastSum(w, leader, loss)
	return total
}

// against returns Z of the step, raised by the loss if leader was its opponent. The last result is cached.
func (s *step) against(leader int, loss float64) float64 {
	if s.opponent != leader || loss == 0 {
		return s.zero
	}
	if loss != s.loss {
		s.loss, s.raised = loss, s.Z(loss)
	}
	return s.raised
}

func (s sum) excludes(w *Walk, c Clock, leader int, loss float64) bool {
	for look, total := range s.path(w, leader, loss) {
		if total >= c.Height(look) {
			return true
		}
	}
	return false
}

func (s sum) evidence(w *Walk, c Clock, leader int, loss float64) (statistic, threshold float64) {
	look, total := s.lastSum(w, leader, loss)
	return total, c.Height(look)
}

func (s sum) gap(w *Walk, c Clock) (gap float64, width func() float64) {
	var weight float64
	for _, s := range w.steps {
		weight += s.root / s.Sd
	}
	look, _ := s.lastSum(w, -1, 0)
	return w.Sum / weight, func() float64 { return c.Height(look) / weight }
}

func (s sum) need(w *Walk, c Clock, leader int, gap, slack, above float64) float64 {
	return s.lacks(w, c, s.raised(w, leader, slack), gap, above)
}

// lacks returns the dT that solves S + gap dT = (z + above) √(T + dT), but at least the information up to the next look.
// raised is S.
func (sum) lacks(w *Walk, c Clock, raised, gap, above float64) float64 {
	t, height := c.Time(w.Look), c.Z[max(w.Look, 0)]+above
	rest := raised - gap*t
	root := (height + math.Sqrt(max(0, height*height-4*gap*rest))) / (2 * gap)
	return max(root*root-t, c.within(w.Look+1)-t)
}
