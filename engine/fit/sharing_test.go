package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Sharing is supported where the tasks are alike, and not where they are not.
func TestSharing(t *testing.T) {
	w := world{tasks: 6, arms: 10, reps: 4, noise: 0.5}
	arm := kernels.Mul(kernels.Constant{Value: 4}, kernels.RBF{Lengthscale: []float64{1}})
	same := rand.New(rand.NewPCG(4, 1))
	alike := fitted(t, w.draw(t, kernels.LiftArm(arm), 0, same), Options{Kernel: joint(t, rbf(5), arm)})
	if alike.Sharing.Verdict != SharingHelps || alike.Sharing.Speedup < 4 {
		t.Errorf("equal tasks: %s, speedup %v", alike.Sharing.Verdict, alike.Sharing.Speedup)
	}
	own := fitted(t, w.draw(t, joint(t, kernels.Identity{}, arm), 0, same), Options{Kernel: joint(t, kernels.RBF{Lengthscale: []float64{10}}, arm)})
	if own.Sharing.Verdict != SharingHurts || !slices.ContainsFunc(own.Warnings, func(w engine.Warning) bool { return w.Kind == engine.WarnPoolHurts }) {
		t.Errorf("independent tasks under a kernel that pools them: %s, %q", own.Sharing.Verdict, own.Warnings)
	}
	free := fitted(t, w.draw(t, joint(t, kernels.Identity{}, arm), 0, same), Options{Kernel: joint(t, rbf(1), arm)})
	if free.Sharing.Verdict == SharingHelps || free.Sharing.Speedup > 1.5 {
		t.Errorf("independent tasks: %s, speedup %v", free.Sharing.Verdict, free.Sharing.Speedup)
	}
}

// A kernel that does not distinguish arms of a task has nothing to share.
func TestSharingOfNoEffects(t *testing.T) {
	level := joint(t, kernels.Identity{}, kernels.Mul(free(4, 0.1, 100), kernels.Constant{Value: 1}))
	p := world{tasks: 4, arms: 10, reps: 4, noise: 0.5}.draw(t, level, 0, rand.New(rand.NewPCG(4, 1)))
	if f := fitted(t, p, Options{Kernel: level, Mean: MeanNone}); f.Sharing.Names != nil {
		t.Errorf("effects of %g", f.Sharing.Signal)
	}
}

// The speedup has known limits: V for equal tasks, 1 for independent ones, V over the
// rank without noise.
func TestSpeedupLimits(t *testing.T) {
	ones := [][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}
	apart := [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	pairs := [][]float64{{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}
	for _, row := range []struct {
		alike       [][]float64
		noise, want float64
	}{{ones, 0.1, 4}, {ones, 100, 4}, {apart, 0.1, 1}, {apart, 100, 1}, {pairs, 1e-6, 2}, {pairs, 5, 2}} {
		if got := speedup(row.alike, 3, row.noise); math.Abs(got-row.want) > 1e-6*row.want {
			t.Errorf("%v at noise %v: %v, want %v", row.alike, row.noise, got, row.want)
		}
	}
}
