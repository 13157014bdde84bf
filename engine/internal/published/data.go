package published

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// part holds arms whose pulls inform about each other, with their least-squares estimates. No pull of another part
// informs about them, so the information matrix of all arms is block-diagonal.
//
// Features are coordinates in a basis of arms: c_i with φ_i = Σ_b c_ib φ_b. They are scaled so that one pull of a basis
// arm has information 1, and have no unit. V = Σ n_i p_i c_i c_iᵀ is the information of the pulls. part stores n × n
// matrices for its n arms, and updates them in n² operations per pull.
type part struct {
	arms        []int   // n: the first arm of each set of equal arms
	copies      [][]int // n: all equal arms
	basis       []int   // m positions
	coordinates *mat.Dense
	precision   []float64 // n: p
	tasks       [][]int   // positions of the arms of each task; tasks with equal arms are listed once

	counts, sums []float64 // n: pulls, and sums of their normalised rewards
	measured     bool      // whether V can be inverted
	mean         []float64 // n: c_iᵀθ̂
	variance     []float64 // n × n: c_iᵀV⁻¹c_j
	second       []float64 // n × n: c_iᵀV⁻²c_j
	ridged       []float64 // n × n: c_iᵀ(V+λI)⁻¹c_j, with λ = priorPulls
	logDet       float64   // log det(I + V/λ)
	updates      int       // since the matrices were computed from the counts
}

// refresh is the number of updates after which the matrices are recomputed from the counts, because rounding errors
// accumulate.
const refresh = 1000

// newParts divides the arms of a model into parts. taskPart has the part of each task. position has, for each arm, its
// part and its position in it.
func newParts(m *model.Model) (parts []*part, taskPart []int, position [][2]int, err error) {
	p := m.Problem
	block, root := make([]int, p.N()), make([]int, len(m.Layout.Blocks))
	for k, b := range m.Layout.Blocks {
		root[k] = k
		for _, i := range b.All {
			block[i] = k
		}
	}
	for i, v := range p.TaskOf { // a task is in one part
		first, _ := p.ArmsOf(v)
		from, to := root[block[i]], root[block[first]]
		for k := range root {
			if root[k] == from {
				root[k] = to
			}
		}
	}
	number := map[int]int{}
	position = make([][2]int, p.N())
	taskPart = make([]int, p.V())
	for i, v := range p.TaskOf {
		k, known := number[root[block[i]]]
		if !known {
			k = len(parts)
			number[root[block[i]]] = k
			parts = append(parts, new(part))
		}
		taskPart[v] = k
		a := parts[k]
		if m.Layout.First[i] == i {
			a.arms, a.copies = append(a.arms, i), append(a.copies, m.Layout.Same[i])
			a.precision = append(a.precision, m.Precision[i])
		}
		position[i] = [2]int{k, slices.Index(a.arms, m.Layout.First[i])}
	}
	for _, a := range parts {
		if err := memlimit.Matrices(m.Context(), "the covariances", 3, len(a.arms), len(a.arms)); err != nil {
			return nil, nil, nil, err
		}
		a.begin(m.Features)
	}
	return parts, taskPart, position, nil
}

// begin computes the coordinates, and allocates the matrices.
func (a *part) begin(features *mat.Dense) {
	n := len(a.arms)
	_, dim := features.Dims()
	rows := mat.NewDense(n, dim, nil)
	for k, i := range a.arms {
		rows.SetRow(k, features.RawRowView(i))
	}
	a.basis, a.coordinates = basisOf(rows, a.precision)
	a.counts, a.sums, a.mean = make([]float64, n), make([]float64, n), make([]float64, n)
	a.variance, a.second, a.ridged = make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	a.measured = len(a.basis) == 0
	a.rebuild()
}

// basisOf chooses a basis among the rows by Gauss-Jordan elimination with complete pivoting. It returns the positions of
// the basis rows and the coordinates of all rows in this basis. It overwrites rows.
func basisOf(rows *mat.Dense, precision []float64) (basis []int, coordinates *mat.Dense) {
	n, dim := rows.Dims()
	for i := range n {
		for k := range dim {
			rows.Set(i, k, rows.At(i, k)*math.Sqrt(precision[i]))
		}
	}
	const rounding = 1e-13
	var columns []int
	largest := 0.0
	for len(basis) < min(n, dim) {
		at, column, most := -1, -1, 0.0
		for i := range n {
			if slices.Contains(basis, i) {
				continue
			}
			for k := range dim {
				if x := math.Abs(rows.At(i, k)); x > most && !slices.Contains(columns, k) {
					at, column, most = i, k, x
				}
			}
		}
		largest = max(largest, most)
		if at < 0 || most <= rounding*largest {
			break
		}
		pivot := rows.At(at, column)
		for i := range n {
			rows.Set(i, column, rows.At(i, column)/pivot)
		}
		for k := range dim {
			if factor := rows.At(at, k); k != column && factor != 0 {
				for i := range n {
					rows.Set(i, k, rows.At(i, k)-factor*rows.At(i, column))
				}
			}
		}
		basis, columns = append(basis, at), append(columns, column)
	}
	coordinates = mat.NewDense(n, max(1, len(basis)), nil)
	for i := range n {
		for k, column := range columns {
			coordinates.Set(i, k, rows.At(i, column)/math.Sqrt(precision[i]))
		}
	}
	return basis, coordinates
}

// add adds count pulls of the arm at position i; sum is the sum of their normalised rewards.
func (a *part) add(i int, count, sum float64) {
	a.counts[i] += count
	a.sums[i] += sum
	if !a.measured || a.updates >= refresh {
		a.rebuild()
		return
	}
	a.updates++
	n := len(a.arms)
	w := count * a.precision[i]
	g, h, r := a.variance[i*n:(i+1)*n], a.second[i*n:(i+1)*n], a.ridged[i*n:(i+1)*n]
	g, h, r = slices.Clone(g), slices.Clone(h), slices.Clone(r)
	s, move := w/(1+w*g[i]), (sum/count-a.mean[i])*w/(1+w*g[i])
	ofRidged := w / (1 + w*r[i])
	a.logDet += math.Log1p(w * r[i])
	both := s * s * h[i]
	for k := range n {
		a.mean[k] += move * g[k]
		row, second, ridged := a.variance[k*n:(k+1)*n], a.second[k*n:(k+1)*n], a.ridged[k*n:(k+1)*n]
		sg, sh, rr := s*g[k], both*g[k]-s*h[k], ofRidged*r[k]
		for l := range row {
			second[l] += sh*g[l] - sg*h[l]
			row[l] -= sg * g[l]
			ridged[l] -= rr * r[l]
		}
	}
}

// rebuild computes the matrices from the counts. It does nothing until all basis arms have pulls, because V is singular
// before.
func (a *part) rebuild() {
	a.updates = 0
	m := len(a.basis)
	if m == 0 {
		return
	}
	for _, b := range a.basis {
		if a.counts[b] == 0 {
			return
		}
	}
	a.measured = true
	information, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for i, count := range a.counts {
		information.SymRankOne(information, count*a.precision[i], a.coordinates.RowView(i))
		right.AddScaledVec(right, a.precision[i]*a.sums[i], a.coordinates.RowView(i))
	}
	inverse := inverseOf(information)
	var theta, means mat.VecDense
	theta.MulVec(inverse, right)
	means.MulVec(a.coordinates, &theta)
	copy(a.mean, means.RawVector().Data)
	var twice mat.Dense
	twice.Mul(inverse, inverse)
	a.logDet = -float64(m) * math.Log(priorPulls)
	for k := range m {
		information.SetSym(k, k, information.At(k, k)+priorPulls)
	}
	var chol mat.Cholesky
	chol.Factorize(information)
	a.logDet += chol.LogDet()
	a.spread(a.variance, inverse)
	a.spread(a.second, &twice)
	a.spread(a.ridged, inverseOf(information))
}

// spread sets dst to C M Cᵀ, where the rows of C are the coordinates of the arms.
func (a *part) spread(dst []float64, m mat.Matrix) {
	var half, all mat.Dense
	half.Mul(a.coordinates, m)
	all.Mul(&half, a.coordinates.T())
	copy(dst, all.RawMatrix().Data)
}

// leastWeight is added to each weight, so that the information matrix is invertible.
const leastWeight = 1e-9

// factor returns one row r_i per arm with r_iᵀr_j = c_iᵀV⁻¹c_j, where V is the information of the arms with these weights.
func (a *part) factor(weights []float64) [][]float64 {
	m := len(a.basis)
	lower := make([][]float64, m) // V, then L with V = LLᵀ
	for j := range lower {
		lower[j] = make([]float64, j+1)
	}
	for i, w := range weights {
		w = (w + leastWeight) * a.precision[i]
		row := a.coordinates.RawRowView(i)
		for j, x := range row[:m] {
			for k, y := range row[:j+1] {
				lower[j][k] += w * x * y
			}
		}
	}
	solve := func(x []float64) (squares float64) { // x becomes L⁻¹x
		for j := range x {
			for k, l := range lower[j][:j] {
				x[j] -= l * x[k]
			}
			x[j] /= lower[j][j]
			squares += x[j] * x[j]
		}
		return squares
	}
	for j, row := range lower {
		row[j] = math.Sqrt(row[j] - solve(row[:j]))
	}
	rows := make([][]float64, len(weights))
	for i := range rows {
		rows[i] = slices.Clone(a.coordinates.RawRowView(i)[:m])
		solve(rows[i])
	}
	return rows
}

// squaredDistance returns ‖x - y‖².
func squaredDistance(x, y []float64) (sum float64) {
	for k := range x {
		sum += (x[k] - y[k]) * (x[k] - y[k])
	}
	return sum
}

// inverseOf returns the inverse of a positive-definite matrix.
func inverseOf(m *mat.SymDense) *mat.SymDense {
	var chol mat.Cholesky
	out := new(mat.SymDense)
	chol.Factorize(m)
	if err := chol.InverseTo(out); err != nil && out.IsEmpty() {
		return mat.NewSymDense(m.SymmetricDim(), nil)
	}
	return out
}

// contrast returns (c_i - c_j)ᵀV⁻¹(c_i - c_j), and the same with V⁻².
func (a *part) contrast(i, j int) (variance, second float64) {
	n := len(a.arms)
	return a.variance[i*n+i] + a.variance[j*n+j] - 2*a.variance[i*n+j], a.second[i*n+i] + a.second[j*n+j] - 2*a.second[i*n+j]
}

// leader returns the position of the task's arm with the largest estimate.
func (a *part) leader(task []int) int {
	best := task[0]
	for _, i := range task[1:] {
		if a.mean[i] > a.mean[best] {
			best = i
		}
	}
	return best
}

// leastInformation returns the smallest eigenvalue of V.
func (a *part) leastInformation() float64 {
	n := len(a.arms)
	inverse := mat.NewSymDense(len(a.basis), nil)
	trace := 0.0
	for k, i := range a.basis {
		scale := math.Sqrt(a.precision[i])
		for l, j := range a.basis[:k+1] {
			inverse.SetSym(k, l, a.variance[i*n+j]*scale*math.Sqrt(a.precision[j]))
		}
		trace += inverse.At(k, k)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(inverse, false) {
		return 1 / trace
	}
	return 1 / slices.Max(eigen.Values(nil))
}
