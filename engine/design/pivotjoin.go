package design

import "slices"

// discard forgets the arms that joined and are of no use.
func (w *wide) discard() {
	keep, lambda := w.in.Arms[:w.exact], w.lambda[:w.exact]
	for k := w.exact; k < len(w.in.Arms); k++ {
		i := w.in.Arms[k]
		w.pivot[i] = -1
		if w.useful(k) {
			w.pivot[i] = len(keep)
			keep, lambda = append(keep, i), append(lambda, w.lambda[k])
		}
	}
	w.in.Arms, w.lambda = keep, lambda
	w.survey.resize()
}

// settle makes pivots of the arms that joined and have weight, and looks at all arms once more.
func (w *wide) settle() {
	if w.exact == len(w.in.Arms) {
		return
	}
	w.spare()
	keep, lambda := w.in.Arms[:w.exact], w.lambda[:w.exact]
	var joined []int
	for k := w.exact; k < len(w.in.Arms); k++ {
		i := w.in.Arms[k]
		w.pivot[i] = -1
		if w.lambda[k] > 0 {
			w.pivot[i] = len(keep) + len(joined)
			joined, lambda = append(joined, i), append(lambda, w.lambda[k])
		}
	}
	w.extend(joined)
	w.in.Arms, w.lambda = append(keep, joined...), lambda
	w.exact = len(w.in.Arms)
	scale(1/sum(w.lambda), w.lambda)
	w.survey.resize()
	w.look()
}

// spare takes the weight from the arms that joined for which there is no room: the smallest ones.
func (w *wide) spare() {
	var order []ranked
	for k := w.exact; k < len(w.in.Arms); k++ {
		order = append(order, ranked{k, w.lambda[k]})
	}
	slices.SortFunc(order, byRank)
	for _, a := range order[min(len(order), w.p.phi.Stride-w.p.phi.Cols):] {
		w.lambda[a.arm] = 0
	}
}

// useful reports whether pivot k may be sampled in the next restricted problem: it was, or it helps
// nearly as much as those that were.
func (w *wide) useful(k int) bool {
	return w.level == 0 || w.lambda[k] > 0 || w.g[w.in.Arms[k]] > 0.9*w.top
}

// trim gives up weights so small that a rounding would turn them into single pulls of no use.
func (w *wide) trim(lambda []float64) []float64 {
	for k, l := range lambda {
		if l < trimBelow/float64(len(lambda)) {
			lambda[k] = 0
		}
	}
	scale(1/sum(lambda), lambda)
	return lambda
}
