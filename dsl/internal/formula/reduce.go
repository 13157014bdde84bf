package formula

// reduce combines the elements of a vector: their sum, or the smallest or largest.
type reduce struct {
	operator string // "" for the sum, "min", "max"
	columns  int
	before   []hoisted
	body     node // element of the column f.column
	distance bool // the body is (x - y)²
}

// hoisted is a number with the slot that holds it during the loop.
type hoisted struct {
	slot
	value node
}

// finish looks for the body (x - y)², which has its own loop.
func (n *reduce) finish() {
	s, ok := n.body.(square)
	if !ok || n.operator != "" {
		return
	}
	d, ok := s.a.(*binary)
	if !ok || d.operator != "-" {
		return
	}
	x, y := d.a, d.b
	if _, swapped := y.(xAt); swapped {
		x, y = y, x
	}
	n.distance = x == node(xAt(everyColumn)) && y == node(yAt(everyColumn))
}

func (n *reduce) uniform() bool { return n.body.uniform() }

// prepare computes what the body reads from slots.
func (n *reduce) prepare(f *frame) {
	for _, h := range n.before {
		if h.same {
			f.slots[h.index][0] = h.value.one(f)
			continue
		}
		own := f.slots[h.index][:f.to-f.from]
		if out := h.value.rows(f, own); &out[0] != &own[0] {
			copy(own, out)
		}
	}
}

func (n *reduce) one(f *frame) float64 {
	n.prepare(f)
	f.column = 0
	total := n.body.one(f)
	for f.column = 1; f.column < n.columns; f.column++ {
		total = accumulate(n.operator, total, n.body.one(f))
	}
	return total
}

func accumulate(operator string, a, b float64) float64 {
	switch operator {
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	}
	return a + b
}

func (n *reduce) rows(f *frame, dst []float64) []float64 {
	if n.distance {
		squares(dst, f.x, f.ys, f.from)
		return dst
	}
	n.prepare(f)
	f.column = 0
	if first := n.body.rows(f, dst); &first[0] != &dst[0] {
		copy(dst, first)
	}
	spare := f.buffer()
	for f.column = 1; f.column < n.columns; f.column++ {
		values := n.body.rows(f, spare)[:len(dst)]
		if n.operator == "" {
			for j := range dst {
				dst[j] += values[j]
			}
			continue
		}
		for j := range dst {
			dst[j] = accumulate(n.operator, dst[j], values[j])
		}
	}
	f.give(spare)
	return dst
}

// squares sets dst[j] = Σ_c (x_c - ys_c[from+j])², four columns a pass.
func squares(dst, x []float64, ys [][]float64, from int) {
	clear(dst)
	c := 0
	for ; c+4 <= len(x); c += 4 {
		x0, x1, x2, x3 := x[c], x[c+1], x[c+2], x[c+3]
		y0, y1 := ys[c][from:][:len(dst)], ys[c+1][from:][:len(dst)]
		y2, y3 := ys[c+2][from:][:len(dst)], ys[c+3][from:][:len(dst)]
		for j := range dst {
			d0, d1, d2, d3 := x0-y0[j], x1-y1[j], x2-y2[j], x3-y3[j]
			dst[j] += (d0*d0 + d1*d1) + (d2*d2 + d3*d3)
		}
	}
	for ; c < len(x); c++ {
		xc, yc := x[c], ys[c][from:][:len(dst)]
		for j := range dst {
			d := xc - yc[j]
			dst[j] += d * d
		}
	}
}
