package published

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// plainly is the estimator and the test transcribed plainly: explicit features φ = z ⊗ x, dense pseudo-inverses, all data at each step.
//
//	papers                here
//	V, A                  information of the pulls so far, without a ridge
//	θ̂                     theta
//	K                     distinct arms: equal features and noise in several tasks are one arm
//	log det(I + V/λ)      the sum of the logarithms of the eigenvalues of prior + V, minus those of the prior
type plainly struct {
	ref   *plain.Reference
	opt   engine.Options
	all   engine.Batch
	total int
	part  []int // N: the part of each arm
	parts int
	prior []float64 // N: pulls that the prior is worth

	theta *mat.VecDense
	inv   *mat.Dense
}

func newPlainly(p *problem.Problem, a *sequential, opt engine.Options) *plainly {
	r := &plainly{ref: plain.NewReference(p, 0), opt: opt, part: make([]int, p.N()), prior: make([]float64, p.N())}
	r.all = engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
	for i := range r.part {
		r.part[i] = i
	}
	for range p.N() { // tasks and related arms are in one part
		for i := range r.part {
			for j := range r.part {
				if p.TaskOf[i] == p.TaskOf[j] || math.Abs(mat.Dot(r.ref.Phi[i], r.ref.Phi[j])) > 1e-12 {
					r.part[i] = min(r.part[i], r.part[j])
					r.part[j] = r.part[i]
				}
			}
		}
	}
	r.parts = len(slices.Compact(slices.Sorted(slices.Values(r.part))))
	for _, part := range a.parts {
		for _, b := range part.basis {
			r.prior[part.arms[b]] = priorPulls
		}
	}
	return r
}

func (r *plainly) learn(b engine.Batch) {
	for i, c := range b.Counts {
		if c > 0 {
			sum := r.all.Means[i]*float64(r.all.Counts[i]) + b.Means[i]*float64(c)
			r.all.Counts[i] += c
			r.all.Means[i] = sum / float64(r.all.Counts[i])
			r.total += c
		}
	}
	r.theta, r.inv = r.ref.LeastSquares(r.all)
}

// gram returns the information of pulls of the arms of one part, or of all for part -1.
func (r *plainly) gram(part int, pulls func(i int) float64) *mat.SymDense {
	w := make([]float64, len(r.part))
	for i := range w {
		if part < 0 || r.part[i] == part {
			w[i] = pulls(i)
		}
	}
	return r.ref.Gram(w)
}

func (r *plainly) pulled(i int) float64 { return float64(r.all.Counts[i]) }

func logEigenvalues(m *mat.SymDense) (sum float64) {
	var eig mat.EigenSym
	eig.Factorize(m, false)
	values := eig.Values(nil)
	for _, v := range values {
		if v > 1e-10*values[len(values)-1] {
			sum += math.Log(v)
		}
	}
	return sum
}

func (r *plainly) threshold(part int) float64 {
	if r.opt.Threshold == engine.ThresholdHeuristic {
		return math.Log((1 + math.Log(float64(r.total))) / r.opt.Delta)
	}
	both := r.gram(part, func(i int) float64 { return r.prior[i] + r.pulled(i) })
	prior := r.gram(part, func(i int) float64 { return r.prior[i] })
	return math.Log(float64(r.parts)/r.opt.Delta) + (logEigenvalues(both)-logEigenvalues(prior))/2
}

// leader returns the arm of a task with the largest estimate.
func (r *plainly) leader(v int) int {
	rewards := r.ref.Rewards(r.theta)
	lo, hi := r.ref.P.ArmsOf(v)
	best := lo
	for i := lo; i < hi; i++ {
		if rewards[i] > rewards[best]+1e-12 {
			best = i
		}
	}
	return best
}

// size returns ‖y‖² of the test.
func (r *plainly) size(y *mat.VecDense) float64 {
	size := mat.Inner(y, r.inv, y)
	if r.opt.Threshold != engine.ThresholdHeuristic {
		var u mat.VecDense
		u.MulVec(r.inv, y)
		size += mat.Inner(&u, r.gram(-1, func(i int) float64 { return r.prior[i] }), &u)
	}
	return size
}

func (r *plainly) difference(i, j int) *mat.VecDense {
	y := new(mat.VecDense)
	y.SubVec(r.ref.Phi[i], r.ref.Phi[j])
	return y
}

// epsilon returns ε, normalised.
func (r *plainly) epsilon() float64 { return r.opt.Epsilon / r.ref.P.LargestNoise() }

// done reports whether all leaders are separated from their rivals, and the smallest ratio of a statistic to its threshold.
func (r *plainly) done() (done bool, least float64) {
	least = math.Inf(1)
	p := r.ref.P
	for v := range p.V() {
		first := r.leader(v)
		beta := r.threshold(r.part[first])
		lo, hi := p.ArmsOf(v)
		for j := lo; j < hi; j++ {
			if j != first {
				y := r.difference(first, j)
				gap := mat.Dot(y, r.theta) + r.epsilon()
				least = min(least, gap*gap/2/r.size(y)/beta)
			}
		}
	}
	return least >= 1, least
}

// follow makes a run, and compares each decision by check, which sees the state before the pull.
func follow(t *testing.T, create func(*model.Model, model.Terms) (engine.Algorithm, error), opt engine.Options, most int,
	check func(a *sequential, r *plainly, arm int) error) {
	t.Helper()
	for _, p := range enginetest.Instances(t) {
		for _, threshold := range []string{engine.ThresholdMixture, engine.ThresholdHeuristic} {
			opt.Threshold = threshold
			alg := try.Of(plain.On(engine.ModeFC, create)(plain.ModelOf(t, p), opt))
			a := alg.(*sequential)
			r, rng := newPlainly(p, a, opt), rand.New(rand.NewPCG(5, 6))
			started := len(a.initial)
			for n := range most {
				plan := try.Of(alg.Plan(t.Context()))
				if plan.Pulls() != 1 {
					t.Fatalf("%s: %d pulls", p.Name, plan.Pulls())
				}
				if n >= started {
					if err := check(a, r, slices.Index(plan.Counts, 1)); err != nil {
						t.Fatalf("%s, %s, pull %d: %v", p.Name, threshold, n, err)
					}
				}
				b := enginetest.Pull(rng, p, plan)
				try.To(alg.Learn(t.Context(), b))
				r.learn(b)
				if n+1 < started {
					continue
				}
				done, least := r.done()
				if done != alg.Done() && math.Abs(least-1) > 1e-9 {
					t.Fatalf("%s, %s, pull %d: done %v, plainly %v with ratio %g", p.Name, threshold, n, alg.Done(), done, least)
				}
				if done {
					break
				}
			}
			if !alg.Done() {
				t.Errorf("%s, %s: not done after %d pulls", p.Name, threshold, most)
			}
		}
	}
}

// copiesOf returns the distinct arms with the pulls of their copies.
func (r *plainly) copiesOf(a *sequential) (arms []int, pulls []float64) {
	for k, part := range a.parts {
		for i, first := range part.arms {
			n := 0.0
			for j := range r.part {
				if a.position[j] == [2]int{k, i} {
					n += r.pulled(j)
				}
			}
			arms, pulls = append(arms, first), append(pulls, n)
		}
	}
	return arms, pulls
}

// LinGapE pulls the arm after which the variance of the most doubtful difference is smallest.
func TestReferenceLinGapE(t *testing.T) {
	follow(t, NewLinGapE, engine.Options{Delta: 0.1, Epsilon: 0.6}, 2000, func(a *sequential, r *plainly, arm int) error {
		p := r.ref.P
		rewards := r.ref.Rewards(r.theta)
		var y *mat.VecDense
		most := math.Inf(-1)
		for v := range p.V() {
			first := r.leader(v)
			lo, hi := p.ArmsOf(v)
			for j := lo; j < hi; j++ {
				if j == first {
					continue
				}
				d := r.difference(first, j)
				bound := rewards[j] - rewards[first] + math.Sqrt(2*r.threshold(r.part[j])*r.size(d))
				if bound > most+1e-12 {
					y, most = d, bound
				}
			}
		}
		after := func(arm int) float64 {
			inverse := plain.PseudoInverse(r.gram(-1, func(i int) float64 {
				n := r.pulled(i)
				if i == arm {
					n++
				}
				return n
			}))
			return mat.Inner(y, inverse, y)
		}
		least, at := math.Inf(1), -1
		for i := range p.N() {
			if x := after(i); x < least-1e-12 {
				least, at = x, i
			}
		}
		if got := after(arm); got > least*(1+1e-9) {
			return fmt.Errorf("arm %d leaves the variance %g, arm %d leaves %g", arm, got, at, least)
		}
		return nil
	})
}

// The weights of Track-and-Stop are optimal, its forced exploration is that of the paper, and its counts track the sums of the weights.
func TestReferenceTrackAndStop(t *testing.T) {
	for name, create := range map[string]func(*model.Model, model.Terms) (engine.Algorithm, error){
		"TrackAndStop": NewTrackAndStop, "LazyTrackAndStop": NewLazyTrackAndStop,
	} {
		sums, forced, last := map[*sequential][]float64{}, map[*sequential]int{}, 0
		follow(t, create, engine.Options{Delta: 0.1, Epsilon: 0.6}, 2000, func(a *sequential, r *plainly, arm int) error {
			rule := a.rule.(*trackAndStop)
			arms, pulls := r.copiesOf(a)
			weights := slices.Concat(rule.weights...)
			if sums[a] == nil {
				sums[a], last = slices.Clone(pulls), 0
			}
			if r.total > last+last/4 { // not at each step: the check is slow
				last = r.total
				if rule.due > r.total && (!rule.lazy || rule.due == int(math.Ceil(1.1*float64(r.total)))) {
					if err := r.optimal(arms, weights); err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
				}
			}
			for k, w := range weights {
				sums[a][k] += w
			}
			limit := math.Sqrt(float64(r.total) / float64(len(rule.basis)))
			if r.leastEigenvalue(a) < limit*(1-1e-9) {
				at := rule.basis[forced[a]]
				forced[a] = (forced[a] + 1) % len(rule.basis)
				if want := a.parts[at[0]].arms[at[1]]; a.position[want] != a.position[arm] {
					return fmt.Errorf("%s: forced exploration pulls %d, want %d", name, arm, want)
				}
				return nil
			}
			most, lag := math.Inf(-1), 0.0
			for k := range arms {
				if sums[a][k] > 0 {
					most = max(most, sums[a][k]-pulls[k])
				}
				if a.position[arms[k]] == a.position[arm] {
					lag = sums[a][k] - pulls[k]
				}
			}
			if lag < most-1e-9 {
				return fmt.Errorf("%s: pulls an arm that lags %g pulls, another lags %g", name, lag, most)
			}
			return nil
		})
	}
}

// leastEigenvalue returns the smallest eigenvalue of V in the coordinates of the basis, by solving for them densely.
func (r *plainly) leastEigenvalue(a *sequential) float64 {
	var basis []int
	for _, part := range a.parts {
		for _, b := range part.basis {
			basis = append(basis, part.arms[b])
		}
	}
	// (B V⁺ Bᵀ)⁻¹ for the scaled rows B of the basis has the eigenvalues of V in its coordinates
	inner := mat.NewSymDense(len(basis), nil)
	unit := r.ref.P.LargestNoise()
	for k, i := range basis {
		for l, j := range basis[:k+1] {
			inner.SetSym(k, l, mat.Inner(r.ref.Phi[i], r.inv, r.ref.Phi[j])*unit*unit/r.ref.P.Noise.Scales[i]/r.ref.P.Noise.Scales[j])
		}
	}
	var eig mat.EigenSym
	eig.Factorize(inner, false)
	return 1 / slices.Max(eig.Values(nil))
}

// optimal compares weights of distinct arms with a lower bound of the best value by plain multiplicative updates: for any weights λ and any
// mixture u of the contrasts, with f = Σ u_p ‖y_p‖² and g_i = Σ u_p (y_pᵀA⁻¹φ_i)²/σ_i², no weights have a value below f²/max g.
func (r *plainly) optimal(arms []int, weights []float64) error {
	p := r.ref.P
	value := func(w []float64) *mat.Dense {
		all := make([]float64, len(r.part))
		for k, i := range arms {
			all[i] = w[k]
		}
		return plain.PseudoInverse(r.ref.Gram(all))
	}
	var ys []*mat.VecDense
	for v := range p.V() {
		first := r.leader(v)
		lo, hi := p.ArmsOf(v)
		for j := lo; j < hi; j++ {
			if j != first {
				y := r.difference(first, j)
				y.ScaleVec(1/(mat.Dot(y, r.theta)+r.epsilon()), y)
				ys = append(ys, y)
			}
		}
	}
	inverse, largest := value(weights), 0.0
	for _, y := range ys {
		largest = max(largest, mat.Inner(y, inverse, y))
	}
	u, w, best := make([]float64, len(ys)), make([]float64, len(arms)), 0.0
	for k := range u {
		u[k] = 1 / float64(len(u))
	}
	for k := range w {
		w[k] = 1 / float64(len(w))
	}
	for range 3000 {
		inverse = value(w)
		f, most, steepest := 0.0, 0.0, 0.0
		h, g := make([]float64, len(ys)), make([]float64, len(arms))
		for k, y := range ys {
			h[k] = mat.Inner(y, inverse, y)
			f += u[k] * h[k]
			most = max(most, h[k])
			var by mat.VecDense
			by.MulVec(inverse, y)
			for l, i := range arms {
				x := mat.Dot(&by, r.ref.Phi[i]) * p.LargestNoise() / p.Noise.Scales[i]
				g[l] += u[k] * x * x
			}
		}
		for l := range g {
			steepest = max(steepest, g[l])
		}
		if best = max(best, f*f/steepest); largest <= best*1.01 {
			return nil
		}
		sum := 0.0
		for k := range u {
			u[k] *= math.Pow(h[k]/most, 0.5)
			sum += u[k]
		}
		for k := range u {
			u[k] /= sum
		}
		sum = 0
		for l := range w {
			w[l] *= math.Sqrt(g[l] / f)
			sum += w[l]
		}
		for l := range w {
			w[l] /= sum
		}
	}
	return fmt.Errorf("the weights have value %g, and the best is known to be at least %g only", largest, best)
}

// LinGame's weights are those of a plain transcription of the authors' program, step by step.
func TestReferenceLinGame(t *testing.T) {
	type state struct {
		losses map[string][]float64
		gaps   map[string]float64
		sums   []float64
	}
	states := map[*sequential]*state{}
	follow(t, NewLinGame, engine.Options{Delta: 0.1, Epsilon: 0.6}, 2000, func(a *sequential, r *plainly, arm int) error {
		p := r.ref.P
		arms, pulls := r.copiesOf(a)
		s := states[a]
		if s == nil {
			s = &state{map[string][]float64{}, map[string]float64{}, slices.Clone(pulls)}
			states[a] = s
		}
		var leaders []int
		for v := range p.V() {
			leaders = append(leaders, a.position[r.leader(v)][0], a.position[r.leader(v)][1])
		}
		key := fmt.Sprint(leaders)
		if s.losses[key] == nil {
			s.losses[key], s.gaps[key] = make([]float64, len(arms)), 0.01
		}
		losses := s.losses[key]
		eta := math.Log(float64(len(arms))) / s.gaps[key]
		w := hedge(losses, eta)
		all := make([]float64, len(r.part))
		for k, i := range arms {
			all[i] = w[k] + leastWeight
		}
		inverse := plain.PseudoInverse(r.ref.Gram(all))
		least, move := math.Inf(1), new(mat.VecDense)
		for v := range p.V() {
			first := r.leader(v)
			lo, hi := p.ArmsOf(v)
			for j := lo; j < hi; j++ {
				if j == first {
					continue
				}
				y := r.difference(first, j)
				gap, size := mat.Dot(y, r.theta)+r.epsilon(), mat.Inner(y, inverse, y)
				if x := gap * gap / 2 / size; x < least-1e-15 {
					least = x
					move.MulVec(inverse, y)
					move.ScaleVec(gap/size, move)
				}
			}
		}
		width := math.Log(float64(r.total))
		l := make([]float64, len(arms))
		for k, i := range arms {
			dev := math.Abs(mat.Dot(move, r.ref.Phi[i])) + math.Sqrt(2*width*mat.Inner(r.ref.Phi[i], r.inv, r.ref.Phi[i]))
			l[k] = -min(dev*dev/2*plain.Sq(p.LargestNoise()/p.Noise.Scales[i]), width)
		}
		smallest, sum, mean := slices.Min(l), 0.0, 0.0
		for k := range l {
			sum += w[k] * math.Exp(-eta*(l[k]-smallest))
			mean += w[k] * l[k]
			losses[k] += l[k]
		}
		s.gaps[key] += mean - (smallest - math.Log(sum)/eta)
		most, lag := math.Inf(-1), 0.0
		got := slices.Concat(a.rule.(*linGame).sums...)
		for k := range arms {
			s.sums[k] += w[k]
			if math.Abs(s.sums[k]-got[k]) > 1e-5*float64(r.total) {
				return fmt.Errorf("arm %d has a sum of weights of %g, plainly %g", arms[k], got[k], s.sums[k])
			}
			most = max(most, s.sums[k]-pulls[k])
			if a.position[arms[k]] == a.position[arm] {
				lag = s.sums[k] - pulls[k]
			}
		}
		if lag < most-1e-3 {
			return fmt.Errorf("pulls an arm that lags %g pulls, another lags %g", lag, most)
		}
		return nil
	})
}

func hedge(losses []float64, eta float64) []float64 {
	w, sum, least := make([]float64, len(losses)), 0.0, slices.Min(losses)
	for k, x := range losses {
		w[k] = math.Exp(-eta * (x - least))
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}
