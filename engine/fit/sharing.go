package fit

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// clearly is the smallest support, in nats, for a verdict that sharing helps or hurts: odds of about 7 to 1.
const clearly = 2

// sharing computes how similar the tasks are under the fitted kernel and the speedup by sharing, and compares with a
// kernel that does not share.
func (f *Fit) sharing(s *surface, best optimum, opt Options) error {
	d := s.d
	if d.p.V() < 2 {
		return nil
	}
	features, err := s.features(best)
	if err != nil {
		return err
	}
	alike, signal := d.alike(features)
	if size := mat.Norm(features, 2); signal <= noEffect*size*size/float64(len(d.y)) {
		return nil
	}
	noise, single := 0.0, 0.0
	for i, v := range best.process.variance {
		noise += v / float64(len(d.y))
		single += v * d.count[i] / float64(len(d.y))
	}
	f.Sharing = Sharing{Names: d.p.Tasks.Names, Alike: alike, Signal: math.Sqrt(signal), Noise: math.Sqrt(noise)}
	f.Sharing.Speedup = speedup(alike, signal, noise)
	f.Sharing.Single = speedup(alike, signal, single)
	f.Sharing.Rank = float64(d.p.V()) / f.Sharing.Speedup
	return f.separate(s, best, opt)
}

// noEffect is the mean variance of effects, divided by the mean variance of a reward, up to which effects count as
// rounding errors of 0.
const noEffect = 1e-12

// alike returns the V × V correlations of the arms' effects between tasks, and their mean variance as signal. features has
// a column per arm, and own is the variance of arms' independent effects. An effect is a reward minus the mean over the
// arms of its task. Arms are matched by name; the correlation of tasks without a common arm is 0.
func (d *data) alike(features *mat.Dense) (correlation [][]float64, signal float64) {
	groups, ids := d.p.Groups(), d.p.Arms.ID
	centred := mat.DenseCopyOf(features.T()) // N × m
	named := make([]map[int][]int, len(groups))
	for v, g := range groups {
		mean := make([]float64, features.RawMatrix().Rows)
		named[v] = map[int][]int{}
		for _, i := range g {
			named[v][ids[i]] = append(named[v][ids[i]], i)
			floats.AddScaled(mean, 1/float64(len(g)), centred.RawRowView(i))
		}
		for _, i := range g {
			floats.Sub(centred.RawRowView(i), mean)
		}
	}
	return correlated(len(groups), func(a, b int) float64 {
		sum, count := 0.0, 0
		for _, i := range groups[a] {
			for _, j := range named[b][ids[i]] {
				sum, count = sum+floats.Dot(centred.RawRowView(i), centred.RawRowView(j)), count+1
			}
		}
		if count == 0 {
			return 0
		}
		return sum / float64(count)
	})
}

// correlated returns the v × v correlations for covariances shared(a, b) of effects between tasks. signal is the mean of
// the variances.
func correlated(v int, shared func(a, b int) float64) (correlation [][]float64, signal float64) {
	own := make([]float64, v)
	largest := 0.0
	for a := range own {
		own[a] = shared(a, a)
		signal += own[a] / float64(v)
		largest = max(largest, own[a])
	}
	correlation = make([][]float64, v)
	for a := range correlation {
		correlation[a] = make([]float64, v)
		for b := range correlation[a] {
			switch {
			case a == b:
				correlation[a][b] = 1
			case own[a] > 1e-12*largest && own[b] > 1e-12*largest:
				correlation[a][b] = min(max(shared(a, b)/math.Sqrt(own[a]*own[b]), -1), 1)
			}
		}
	}
	return correlation, signal
}

// speedup returns how many times more measurements of an arm a task needs without sharing, to know an effect with the
// same posterior variance. Let λ_j be the eigenvalues of signal · alike, and η = noise the noise variance of a mean.
// With sharing, the mean posterior variance is
//
//	v = (1/V) Σ λ_j η/(λ_j + η)
//
// Without sharing it is s η'/(s + η') for the signal s and noise η'. The two are equal for η/η' = η (1/v - 1/s), which
// is the result. It is V for equal tasks, 1 for independent ones, and approaches V/rank as η approaches 0.
func speedup(alike [][]float64, signal, noise float64) float64 {
	v := len(alike)
	m := symmetric.Make(v, func(a, b int) float64 { return alike[a][b] })
	var eigen mat.EigenSym
	if !eigen.Factorize(m, false) {
		return 1
	}
	posterior := 0.0
	for _, l := range eigen.Values(nil) {
		l = max(l, 0) * signal
		posterior += l * noise / (l + noise) / float64(v)
	}
	return min(max(noise*(1/posterior-1/signal), 1), float64(v))
}

// separate fits the same arm kernels with tasks that share nothing, and compares the likelihoods. Both fits have a level
// per task, since similar levels do not help to find the best arms.
func (f *Fit) separate(s *surface, best optimum, opt Options) (err error) {
	defer try.Caught(&err)
	if opt.Mean != MeanTask {
		levelled, err := dataOf(s.d.p, MeanTask)
		if err != nil {
			return nil // every task has one arm
		}
		together := try.Of(s.beside(levelled, s.kernel, opt.Noise))
		best = try.Of(together.search(1, best.values))
		s = together
	}
	k := try.Of(s.at(best.values))
	separate := try.Of(alone(k, s))
	other := try.Of(s.beside(s.d, separate, opt.Noise))
	found := try.Of(other.search(opt.Starts))
	separate = try.Of(other.settled(found.values))
	r := &f.Sharing
	r.Separate, r.SeparateLikelihood = separate.String(), found.likelihood
	r.Support = best.likelihood - float64(len(s.free)) - (found.likelihood - float64(len(other.free)))
	switch {
	case r.Support > clearly:
		r.Verdict = SharingHelps
	case r.Support < -clearly:
		r.Verdict = SharingHurts
	default:
		r.Verdict = SharingUnclear
	}
	return nil
}

// alone replaces every task kernel by c*task(identity()), where c is its mean diagonal value. c is free if the task kernel
// has free hyperparameters, since one of them may be a scale.
func alone(k kernels.Joint, s *surface) (out kernels.Joint, err error) {
	defer try.Caught(&err)
	for _, t := range k.Terms {
		task := kernels.Joint{Terms: []kernels.Term{{Scale: t.Scale, Task: t.Task}}}
		gram := try.Of(task.TaskGram(s.ctx, s.d.p.Tasks))
		if diagonal(gram) { // this term already shares nothing
			out = kernels.AddJoint(out, kernels.Joint{Terms: []kernels.Term{t}})
			continue
		}
		scale := round(mat.Trace(gram) / float64(s.d.p.V()))
		free := try.Of(task.Free())
		made := kernels.Term{Scale: scale, Task: kernels.Identity{}, Arm: t.Arm}
		if len(free) > 0 && scale > 0 {
			made.Scale = 1
			made.Task = kernels.Product{Factors: []kernels.Kernel{kernels.Free{Value: scale, Min: scale / 1e4, Max: scale * 1e4},
				kernels.Identity{}}}
		}
		out = kernels.AddJoint(out, kernels.Joint{Terms: []kernels.Term{made}})
	}
	return out, nil
}

func diagonal(m *mat.SymDense) bool {
	for i := range m.SymmetricDim() {
		for j := range i {
			if m.At(i, j) != 0 {
				return false
			}
		}
	}
	return true
}
