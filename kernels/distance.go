package kernels

// squares sets dst[j] = Σ_c w_c (x_c - ys_c[from+j])² over the columns read, and
// returns the factor that makes it the squared distance in units of the length
// scales: several length scales go into the weights w, a single one into the factor.
func (d Dims) squares(dst, x []float64, ys *Points, from int, lengthscale []float64) (factor float64) {
	clear(dst)
	n := d.count(len(x))
	weight := func(int) float64 { return 1 }
	if len(lengthscale) > 1 {
		weight = func(c int) float64 { return 1 / (lengthscale[c] * lengthscale[c]) }
	}
	column := func(c int) (xc float64, yc []float64, w float64) {
		at := d.at(c)
		return x[at], ys.X[at][from : from+len(dst)], weight(c)
	}
	c := 0
	for ; c+4 <= n; c += 4 { // four columns a pass: dst is read and written a quarter as often
		x0, y0, w0 := column(c)
		x1, y1, w1 := column(c + 1)
		x2, y2, w2 := column(c + 2)
		x3, y3, w3 := column(c + 3)
		y0, y1, y2, y3 = y0[:len(dst)], y1[:len(dst)], y2[:len(dst)], y3[:len(dst)]
		for j := range dst {
			d0, d1, d2, d3 := x0-y0[j], x1-y1[j], x2-y2[j], x3-y3[j]
			dst[j] += (w0*d0*d0 + w1*d1*d1) + (w2*d2*d2 + w3*d3*d3)
		}
	}
	for ; c < n; c++ {
		xc, yc, w := column(c)
		yc = yc[:len(dst)]
		for j := range dst {
			diff := xc - yc[j]
			dst[j] += w * diff * diff
		}
	}
	if len(lengthscale) == 1 {
		return 1 / (lengthscale[0] * lengthscale[0])
	}
	return 1
}

// square is the plain form of squares for one pair.
func (d Dims) square(x, y, lengthscale []float64) float64 {
	sum := 0.0
	for c := range d.count(len(x)) {
		diff := (x[d.at(c)] - y[d.at(c)]) / perColumn(lengthscale, c)
		sum += diff * diff
	}
	return sum
}

// perColumn returns the value of a list parameter for the column read in place c:
// 1 for an empty list, the one value, or the value of its own.
func perColumn(values []float64, c int) float64 {
	switch len(values) {
	case 0:
		return 1
	case 1:
		return values[0]
	}
	return values[c]
}

// products sets dst[j] = Σ_c x_c ys_c[from+j] / ℓ_c² over the columns read.
func (d Dims) products(dst, x []float64, ys *Points, from int, lengthscale []float64) {
	clear(dst)
	for c := range d.count(len(x)) {
		ell, yc := perColumn(lengthscale, c), ys.X[d.at(c)][from:from+len(dst)]
		xc := x[d.at(c)] / (ell * ell)
		if xc == 0 { // indicator columns are mostly zero
			continue
		}
		for j, y := range yc {
			dst[j] += xc * y
		}
	}
}

// product is the plain form of products for one pair.
func (d Dims) product(x, y, lengthscale []float64) float64 {
	sum := 0.0
	for c := range d.count(len(x)) {
		ell := perColumn(lengthscale, c)
		sum += (x[d.at(c)] / ell) * (y[d.at(c)] / ell)
	}
	return sum
}
